package mcpserve

import (
	"slices"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
)

// readRows are the tools of the toolset read.
func readRows() []matrixRow {
	return slices.Concat(pageRows(), findRows(), linkRows(), changesRows(), queryRows())
}

func pageRows() []matrixRow {
	return []matrixRow{
		{
			tool: "get_page", action: "data.ai.getPage", args: `{"title":"Bread","maxDepth":1}`,
			wants: []string{`"uid":"page-brea"`, "blk-flour", `"blocks":{"shown":3,"total":5}`, `"graph":"ALPHA"`, `"graphName":"alpha"`},
			more: []matrixCell{
				{name: "by uid, which wins", args: `{"uid":"page-wate","title":"Bread"}`, wants: []string{"blk-boils"}},
				{name: "of a day", args: `{"title":"today"}`, wants: []string{`"uid":"11-15-2026"`}},
				{name: "of a day, by its date as uid", args: `{"uid":"2026-11-15"}`, wants: []string{`"uid":"11-15-2026"`}},
				{name: "by a link for a uid", args: `{"uid":"[[Bread]]"}`, wants: []string{`"uid":"page-brea"`}},
				{name: "several by links, days and uids", args: `{"pages":["[[Bread]]","page-wate","today","breads"]}`, wants: []string{"blk-boils", "blk-today", `{"asked":"breads","found":false,"near":[{"uid":"page-brea","title":"Bread"}]}`}},
				{name: "in another case", args: `{"title":"bREAD","linkedReferences":false}`, wants: []string{`"uid":"page-brea"`}},
				{name: "as plain text", args: `{"title":"Bread","plain":true}`, wants: []string{`"title":"Bread","text":"- Flour and Water\n  - a fine child\n  - a coarse child\n- See Flour and Water\n- query: {and: Water}\n"}`}},
				{name: "as plain text, its top", args: `{"title":"Bread","plain":true,"maxDepth":1}`, wants: []string{`"text":"- Flour and Water\n- See Flour and Water\n- query: {and: Water}\n… 2 more blocks\n","blocks":{"shown":3,"total":5}`}},
				{name: "of several as plain text", args: `{"pages":["Water"],"plain":true}`, wants: []string{`{"asked":"Water","uid":"page-wate","title":"Water","text":"- Boils, see Bread\n"}`}},
				{name: "by its address", args: `{"uid":"https://roamresearch.com/#/app/alpha/page/page-brea"}`, wants: []string{`"uid":"page-brea"`}},
				{name: "that does not exist", args: `{"title":"Butter"}`, wants: []string{`"found":false}`}},
				{name: "that is called otherwise", args: `{"title":"roam agent-guideline"}`, wants: []string{`"found":false,"near":[{"uid":"page-guid","title":"roam/agent guidelines"}`}},
				{name: "of a day that is not written", args: `{"title":"tomorrow"}`, wants: []string{`"found":false,"note":"The daily note of November 16th, 2026 is not written yet. create_block with dailyNotePage creates it."`}},
				{name: "of a day that is not written, by its uid", args: `{"uid":"11-16-2026"}`, wants: []string{`is not written yet`}},
			},
			bad: map[string]string{`{}`: "title or uid", `{"title":"Bread","maxDepth":"deep"}`: "maxDepth", `{"uid":"https://roamresearch.com/#/app/beta/page/page-brea"}`: "an address of the graph"},
		},
		{
			tool: "get_block", action: "data.ai.getBlock", args: `{"uid":"blk-flour"}`, wants: []string{"a fine child", `"path":["Bread"]`},
			more: []matrixCell{
				{name: "as plain text", args: `{"uid":"blk-flour","plain":true,"maxDepth":0}`, wants: []string{`"path":["Bread"],"queriedAt":"2026-11-15T12:00:00.000Z","text":"- Flour and Water\n… 2 more blocks\n","blocks":{"shown":1,"total":3}`}},
				{name: "that has comments", args: `{"uid":"blk-see-1"}`, wants: []string{`"commentThreads":{"blk-see-1":1}`}},
				{name: "alone", args: `{"uid":"((blk-flour))","maxDepth":"0"}`, wants: []string{`hiddenChildren=\"2\"`}},
				{name: "that does not exist", args: `{"uid":"blk-none"}`, wants: []string{`"found":false`}},
				{name: "that is hidden", args: `{"uid":"blk-priva"}`, wants: []string{`"found":false`}},
			},
			bad: map[string]string{`{}`: "uid is missing", `{"uid":""}`: "uid", `{"uid":"b","maxDepth":"deep"}`: "maxDepth", `{"uid":"[[Bread]]"}`: "the uid of a block"},
		},
		{
			tool: "get_backlinks", action: "data.ai.getBacklinks", args: `{"title":"Bread","sort":"edited-date","sortOrder":"asc","limit":"5","includePath":"false"}`,
			wants: []string{`"total":2`, "blk-boils", "blk-today"},
			more: []matrixCell{
				{name: "of a block", args: `{"uid":"blk-flour"}`, wants: []string{"blk-see-1"}},
				{name: "of a block with comments", args: `{"uid":"blk-see-1"}`, wants: []string{"cmt-see-1", `"type":"comment"`}},
				{name: "one at a time", args: `{"title":"Bread","limit":1,"maxDepth":0}`, wants: []string{`"nextOffset":1`}},
				{name: "none, from a form", args: `{"title":"Bread","limit":0}`, wants: []string{`"total":2,"shown":2`}},
				{name: "of a page that is not there", args: `{"title":"breads"}`, wants: []string{`"found":false,"near":[{"uid":"page-brea","title":"Bread"}],"total":0`}},
				{name: "of a page without any", args: `{"title":"Recipes"}`, wants: []string{`"graphName":"alpha","total":0,"results":[]`}},
				{name: "with a word", args: `{"title":"Bread","search":"boils"}`, wants: []string{"blk-boils", `"total":1`}},
			},
			bad: map[string]string{`{"limit":3}`: "title or uid", `{"title":"x","sort":"size"}`: "created-date", `{"title":"x","limit":"many"}`: "limit"},
		},
	}
}

func findRows() []matrixRow {
	return []matrixRow{
		{
			tool: "search", action: "data.ai.search", args: `{"query":""}`, wants: []string{`"suggestions"`},
			more: []matrixCell{
				{name: "of a word", args: `{"query":"flour"}`, wants: []string{"blk-flour", `"total":`, `"words":{"flour":`}},
				{name: "of pages", args: `{"query":"bread","scope":"pages","limit":1,"maxDepth":1}`, wants: []string{"page-brea"}},
				{name: "on a page, also above the block", args: `{"query":"flour fine","page":"[[Bread]]"}`, wants: []string{`"total":1,"words":{"flour":1,"fine":1},"results":[{"uid":"blk-child","markdown":"- a fine child <roam uid=\"blk-child\"/>","path":["Bread","Flour and Water"]}]`}},
				{name: "on a page, with what is hidden", args: `{"query":"flour","page":"Bread","includePath":false}`, wants: []string{`"total":1,"words":{"flour":1},"results":[{"uid":"blk-flour","markdown":"- Flour and [[Water]] <roam uid=\"blk-flour\" heading=\"2\" hiddenChildren=`}},
				{name: "on today's note", args: `{"query":"bought","page":"today"}`, wants: []string{`"total":1`, "blk-today"}},
				{name: "on a page that is not there", args: `{"query":"bought","page":"Breads"}`, wants: []string{`"found":false,"near":[{"uid":"page-brea","title":"Bread"}],"total":0,"results":[]`}},
				{name: "of titles by their start", args: `{"query":"title:ROAM/*","limit":2}`, wants: []string{`"total":3,"results":[{"uid":"page-guid","title":"roam/agent guidelines"},{"uid":"page-comm","title":"roam/comments"}],"nextOffset":2`}},
				{name: "of empty titles by their start, with a word", args: `{"query":"title:roam* templates","scope":"pages"}`, wants: []string{`"total":1,`, `{"uid":"page-temp","title":"roam/templates","empty":true}`}},
				{name: "of mentions without a link", args: `{"query":"unlinked:Water"}`, wants: []string{`"total":1,"results":[{"uid":"blk-bakes"`, `"path":["Recipes"],"text":"water","link":"[water]([[Water]])"`}},
				{name: "of mentions of a page that is not there", args: `{"query":"unlinked:Work"}`, wants: []string{`"found":false`, `"total":0,"results":[]`}},
				{name: "on a page, of words that are not there", args: `{"query":"butter","page":"Bread"}`, wants: []string{`"total":0,"words":{"butter":0},"results":[]`}},
				{name: "of words that stand in a block and above it", args: `{"query":"fine flour"}`, wants: []string{`"total":1,`, `"results":[{"uid":"blk-child"`}},
				{name: "of a phrase, without a word", args: `{"query":"\"flour and\" -butter"}`, wants: []string{`"total":1,`, "blk-flour"}},
				{name: "of more than there is", args: `{"query":"What about flour and ethanol?"}`, wants: []string{`"total":0,"partial":1,"words":{"flour":`, `"ethanol":0},"ignored":["what","about","and"]`, `"has":["flour"],"lacks":["ethanol"]`}},
				{name: "of words of which none is hidden", args: `{"query":"secret"}`, wants: []string{`"total":0,"words":{"secret":0},"results":[]`}},
			},
			bad: map[string]string{`{"query":"unlinked:Bread","page":"Bread","scope":"pages"}`: "find blocks", `{"page":"Bread"}`: "query is missing", `{"query":"-x","page":"Bread"}`: "needs words", `{}`: "query is missing", `{"query":"x","scope":"files"}`: "all, pages, blocks", `{"query":"x","offset":"y"}`: "offset"},
		},
		{
			tool: "get_comments", action: "data.ai.getComments", args: `{"blockUid":"blk-see-1"}`, wants: []string{`"total":1`, "too short", `"parentUid":"cmt-see-1"`},
			more: []matrixCell{
				{name: "where there are none", args: `{"blockUid":"blk-flour","maxDepth":1}`, wants: []string{`"total":0`, `"comments":[]`}},
			},
			errors: []matrixCell{{name: "a page", args: `{"blockUid":"page-brea"}`, code: localapi.CodeInternal, wants: []string{"only blocks have comments"}}},
			bad:    map[string]string{`{}`: "blockUid is missing", `{"blockUid":"b","maxDepth":"deep"}`: "maxDepth"},
		},
		{
			tool: "search_templates", action: "data.ai.searchTemplates", args: `{"query":"review"}`, wants: []string{`"name":"Daily review"`, "What went well"},
			more: []matrixCell{
				{name: "all of them", args: `{}`, wants: []string{`"uid":"blk-templ"`}},
				{name: "none", args: `{"query":"invoice"}`, wants: []string{`"results":[]`}},
			},
			bad: map[string]string{`{"query":{"a":1}}`: "a text"},
		},
	}
}

func queryRows() []matrixRow {
	return []matrixRow{
		{
			tool: "roam_query", action: "data.ai.roamQuery", args: `{"query":"{and: [[Water]]}","sort":"created-date","sortOrder":"asc","includePath":"true","limit":5,"offset":0,"maxDepth":0}`,
			wants: []string{"blk-flour", `"total":`},
			more:  []matrixCell{{name: "of a block", args: `{"uid":"blk-query","limit":2,"sort":"edited-date"}`, wants: []string{"blk-boils", `"total":4`}}},
			errors: []matrixCell{
				{name: "no such block", args: `{"uid":"blk-none"}`, code: localapi.CodeNotFound},
				{name: "a block without a query", args: `{"uid":"blk-flour"}`, code: localapi.CodeInternal, wants: []string{"holds no query"}},
				{name: "not a query", args: `{"query":"{and: "}`, code: ops.CodeQueryInvalid, wants: []string{"Roam can't run this query", "{between:"}},
			},
			bad: map[string]string{`{}`: "exactly one", `{"query":"{and: [[A]]}","uid":"b"}`: "exactly one", `{"query":"x","sortOrder":"up"}`: "asc, desc", `{"query":"x","limit":1.5}`: "from 1 to 200"},
		},
		{
			tool: "datalog_query", action: "q", args: `{"query":"[:find ?s :in $ ?u :where [?b :block/uid ?u] [?b :block/string ?s]]","inputs":["blk-child"]}`, wants: []string{`"result":[["a fine child"]]`},
			more: []matrixCell{
				{name: "a number", args: `{"query":"[:find (count ?b) . :where [?p :node/title \"Bread\"] [?p :block/children ?b]]"}`, wants: []string{`"result":4`}},
				{name: "the pattern that its description shows", args: `{"query":"[:find ?u :where [(re-pattern \"(?i)COARSE\") ?r] [?b :block/string ?s] [(re-find ?r ?s)] [?b :block/uid ?u]]"}`, wants: []string{`["blk-coars"]`}},
				{name: "nothing", args: `{"query":"[:find ?s . :where [?b :block/uid \"none\"] [?b :block/string ?s]]","inputs":"[]"}`, wants: []string{`"result":null`}},
				{name: "rows from an offset", args: `{"query":"[:find [?u ...] :in $ ?title :where [?p :node/title ?title] [?p :block/children ?b] [?b :block/uid ?u]]","inputs":"[\"Bread\"]","offset":2}`, wants: []string{`"result":["blk-query","blk-see-1"]`, `"total":4`}},
				{name: "rows in an order", args: `{"query":"[:find ?u ?t :in $ ?title :where [?p :node/title ?title] [?p :block/children ?b] [?b :block/uid ?u] [?b :create/time ?t]]","inputs":["Bread"],"orderBy":"2 desc, ?u","limit":"2"}`, wants: []string{`"total":4,"nextOffset":2`}},
				{name: "rows as maps, more than there may be", args: `{"query":"[:find ?u (count ?c) :keys uid children :where [?b :block/children ?c] [?b :block/uid ?u]]","orderBy":"children desc, uid","limit":99999}`, wants: []string{`"total":`, `"adjusted":"limit was 99999;`}},
				{name: "a number as input", args: `{"query":"[:find ?u . :in $ ?t :where [?b :create/time ?t] [?b :block/uid ?u]]","inputs":[3001]}`, wants: []string{`"result":"blk-coars"`}},
			},
			errors: []matrixCell{
				{name: "not a query", args: `{"query":"[:find"}`, code: ops.CodeQueryInvalid, wants: []string{`"position":{"line":1,"column":6}`}},
				{name: "an unknown function", args: `{"query":"[:find ?x :where [(shout 1) ?x]]"}`, code: ops.CodeQueryInvalid, wants: []string{"shout", "clojure.string/includes?", `"position":{"line":1,"column":20,"near":"shout"}`}},
				{name: "lower-case, which Roam lacks", args: `{"query":"[:find ?s\n :where [?b :block/string ?s]\n [(clojure.string/lower-case ?s) ?l]]"}`, code: ops.CodeQueryInvalid,
					wants: []string{"Unknown function 'clojure.string/lower-case", "(?i)", "re-find", `"position":{"line":3,"column":4,`, `"retryable":false`}},
				{name: "a variable that nothing binds", args: `{"query":"[:find ?s ?z :where [?b :block/string ?s]]"}`, code: ops.CodeQueryInvalid, wants: []string{"[?z]", `"position":{"line":1,"column":11,"near":"?z"}`, "Each variable of :find"}},
				{name: "an input too many", args: `{"query":"[:find ?b :where [?b :block/string]]","inputs":[1]}`, code: ops.CodeQueryInvalid, wants: []string{"inputs"}},
				{name: "words that could be an answer", args: `{"query":"[:find ?b :where [(shout \"already exists\") ?b]]"}`, code: ops.CodeQueryInvalid},
			},
			bad: map[string]string{`{}`: "query is missing", `{"query":" "}`: "query", `{"query":"[:find ?x]","keys":"plain"}`: "keys", `{"query":"[:find ?x]","offset":[]}`: "offset", `{"query":"[:find ?x ?y]","orderBy":"3"}`: "by number or name (?x, ?y)", `{"query":"[:find ?x]","orderBy":"1,"}`: "orderBy"},
		},
	}
}

func linkRows() []matrixRow {
	return []matrixRow{
		{
			tool: "find_path", action: "data.q", args: `{"from":"Recipes","to":"Shelf"}`,
			wants: []string{`"length":1,"ways":[{"pages":["Recipes","Shelf"],"steps":[{"as":"out","uid":"blk-bakes","markdown":"- Bake water for the shelf of [[Shelf]] <roam uid=\"blk-bakes\"/>"}]}]`},
			more: []matrixCell{
				{name: "against a link", args: `{"from":"shelf","to":"page-reci"}`, wants: []string{`"pages":["Shelf","Recipes"],"steps":[{"as":"in","uid":"blk-bakes"`}},
				{name: "in the direction of links", args: `{"from":"Shelf","to":"Recipes","direction":"out"}`, wants: []string{`"length":null,"ways":[],"note":"No links lead from \"Shelf\" to \"Recipes\" in their direction. \"Shelf\": none; \"Recipes\": none. In any direction there is a way of length 1."`}},
				{name: "from a day", args: `{"from":"today","to":"Water"}`, wants: []string{`"length":2,"ways":[{"pages":["November 15th, 2026","Bread","Water"]`}},
				{name: "from the page of a block", args: `{"from":"((blk-boils))","to":"Bread","limit":1}`, wants: []string{`"pages":["Water","Bread"]`}},
				{name: "from a page to itself", args: `{"from":"Bread","to":"[[Bread]]"}`, wants: []string{`"length":0,"ways":[{"pages":["Bread"],"steps":[]}]`}},
				{name: "where there is none", args: `{"from":"Bread","to":"Recipes"}`, wants: []string{`"length":null,"ways":[],"note":"No links lead from \"Bread\" to \"Recipes\" in any direction. \"Bread\": 2 links; \"Recipes\": 1 link."`}},
				{name: "to a page that is not there", args: `{"from":"Bread","to":"Waters"}`, wants: []string{`"found":false,"near":[{"uid":"page-wate","title":"Water"}],"page":"Waters"`}},
				{name: "to a day that is not written", args: `{"from":"Bread","to":"tomorrow"}`, wants: []string{`"found":false,"note":"The daily note of November 16th, 2026 is not written yet.`, `"near":[{"uid":"11-15-2026"`}},
				{name: "to a page of Roam's own", args: `{"from":"Bread","to":"roam/templates"}`, wants: []string{`"length":null`, "a page of Roam's own"}},
				{name: "from a hidden block", args: `{"from":"blk-priva","to":"Bread"}`, wants: []string{`"found":false`}},
			},
			bad: map[string]string{`{"from":"Bread"}`: "to is missing", `{"from":"","to":"Bread"}`: "from", `{"from":"Bread","to":"Water","direction":"in"}`: "any, out"},
		},
	}
}

func changesRows() []matrixRow {
	return []matrixRow{
		{
			tool: "recent_changes", action: "q", args: `{"since":"1970-01-01","until":"1970-01-01T00:00:06Z"}`,
			wants: []string{`"since":"1970-01-01T00:00:00Z","until":"1970-01-01T00:00:06Z","total":9`, `"title":"Bread","new":true`, `"created":5,"changed":0,"markdown":"- {{[[query]]`, `"title":"Water","new":true`, `"note":"Deleted blocks leave no time in Roam."`},
			more: []matrixCell{
				{name: "of the last day", args: `{}`, wants: []string{`"since":"2026-11-14T12:00:00Z"`}},
				{name: "of a page", args: `{"since":"1970-01-01","page":"water"}`, wants: []string{`"total":1,"results":[{"uid":"page-wate","title":"Water","new":true,"lastAt":"1970-01-01T00:00:06Z","by":["unknown"],"created":1,"changed":0,"markdown":"- Boils, see [[Bread]] <roam uid=\"blk-boils\" by=\"unknown\" at=\"1970-01-01 00:00\" new=\"true\"/>"}]`}},
				{name: "one page at a time", args: `{"since":"1970-01-01","offset":1,"limit":1}`, wants: []string{`"nextOffset":2`}},
				{name: "of a page that is not there", args: `{"page":"Waters"}`, wants: []string{`"found":false,"near":[{"uid":"page-wate","title":"Water"}],"total":0,"results":[]`}},
				{name: "by somebody who is not there", args: `{"by":"Ada"}`, wants: []string{`"total":0,"results":[],"note":"Nobody is called \"Ada\".`}},
			},
			bad: map[string]string{`{"since":"soon"}`: "since is", `{"until":"later"}`: "until is", `{"limit":"many"}`: "limit"},
		},
	}
}
