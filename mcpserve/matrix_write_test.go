package mcpserve

import (
	"slices"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
)

// writeRows are the tools of the toolset write.
func writeRows() []matrixRow {
	return slices.Concat(createRows(), changeRows(), noteRows(), changePageRows(), batchRows())
}

func createRows() []matrixRow {
	both := place{graphs: []string{"alpha", "beta"}}
	return []matrixRow{
		{
			tool: "create_page", action: "data.page.fromMarkdown", recovers: []string{`"uid":"`}, args: `{"title":"Butter","markdown":"- soft\n  - salted","uid":"page-butt","childrenViewType":"numbered"}`,
			wants: []string{`"uid":"page-butt"`}, holds: []string{`"Butter"`, `"soft"`, `"salted"`},
			more: []matrixCell{
				{name: "without content", args: `{"title":"Salt"}`, wants: []string{`"uid":"`}, holds: []string{`"Salt"`}},
				{name: "numbered, one alone", args: `{"title":"Steps","childrenViewType":"numbered","markdown":"1. one\n   - two"}`, wants: []string{`"uid":"`}, holds: []string{`"one",0`, `"numbered","Steps"`}},
				{name: "with tasks", args: `{"title":"Chores","markdown":"[ ] sweep\n\n1. [X] mop\n2. [ ] dust"}`, wants: []string{`{{[[TODO]]}} sweep`}, holds: []string{`"{{[[TODO]]}} sweep",0`, `{{[[DONE]]}} mop`}},
				{name: "with numbered lists", args: `{"title":"Salt","markdown":"1. sea\n2. rock\n   1. pink\n   2. grey"}`, wants: []string{`"markdown":"- sea <roam uid=\"`, `\n- rock <roam uid=\"`, `\n  - pink <roam`}, holds: []string{`"sea",0`, `"pink",0`, `"numbered","Salt"`, `"numbered","rock"`}},
				{name: "with numbers among bullets", args: `{"title":"Salt","markdown":"1. sea\n2. rock\n- sand"}`, wants: []string{`"warning":"Numbers stay in the text`}, holds: []string{`"1. sea",0`}},
			},
			errors: []matrixCell{{name: "the page exists", args: `{"title":"Bread"}`, code: "ALREADY_EXISTS"}},
			bad:    map[string]string{`{}`: "title is missing", `{"title":" "}`: "title", `{"title":"x","childrenViewType":"rows"}`: "bullet"},
		},
		{
			tool: "create_block", action: "data.block.fromMarkdown", recovers: []string{`"uids":["`}, args: `{"parentUid":"blk-flour","markdown":"- rye\n  - dark","order":"first","open":false}`,
			wants: []string{`"uids":["`, `"markdown":"- rye <roam uid=\"`, `\n  - dark <roam uid=\"`}, holds: []string{`"rye",0,"blk-flour"`, `"dark"`},
			more: []matrixCell{
				{name: "with a numbered list", args: `{"parentUid":"page-brea","order":"first","markdown":"## Friday\n1. Light the oven\n2. Bake"}`, wants: []string{`- Friday <roam`, `\n  - Bake <roam`}, holds: []string{`"Light the oven",0`, `"numbered","Friday"`}},
				{name: "numbered, below a block without others", args: `{"parentUid":"blk-see-1","childrenViewType":"numbered","markdown":"- one\n- two"}`, wants: []string{`"uids":["`}, holds: []string{`"two",1,"blk-see-1"`, `"numbered","See ((blk-flour))"`}},
				{name: "numbered, one alone", args: `{"parentUid":"blk-see-1","childrenViewType":"numbered","markdown":"1. one"}`, wants: []string{`"uids":["`}, holds: []string{`"one",0,"blk-see-1"`, `"numbered","See ((blk-flour))"`}},
				{name: "numbered, one below its head", args: `{"parentUid":"page-brea","childrenViewType":"numbered","markdown":"- Steps\n  1. one"}`, wants: []string{`- Steps <roam`}, holds: []string{`"one",0`, `"numbered","Steps"`}},
				{name: "with tasks", args: `{"parentUid":"blk-see-1","markdown":"- [ ] knead\n  - [x] buy yeast\n  - ` + "```\\n    - [ ] code\\n    ```" + `"}`, wants: []string{`{{[[TODO]]}} knead <roam`}, holds: []string{`"{{[[TODO]]}} knead",0`, `"{{[[DONE]]}} buy yeast",0`, `- [ ] code`}},
				{name: "as one numbered list with its head", args: `{"parentUid":"page-brea","childrenViewType":"numbered","markdown":"- Steps\n  - one\n  - two"}`, wants: []string{`- Steps <roam`}, holds: []string{`"numbered","Steps"`}},
				{name: "as a numbered list of a page that is new", args: `{"pageTitle":"Salt","markdown":"1. sea\n2. rock"}`, wants: []string{`"uids":["`}, holds: []string{`"rock",1`, `"numbered","Salt"`}},
				{name: "as a numbered list below a text that is new", args: `{"dailyNotePage":"today","nestUnder":"Steps","markdown":"1. sea\n2. rock"}`, wants: []string{`"uids":["`}, holds: []string{`"rock",1`, `"numbered","Steps"`}},
				{name: "as a numbered list beside others", args: `{"parentUid":"blk-flour","markdown":"1. rye\n2. oats"}`, wants: []string{`"warning":"The new blocks are not listed as numbered, since there are other blocks beside them. Put`, "update_block"}, holds: []string{`"1. rye",2,"blk-flour"`}},
				{name: "as a numbered list of a day", args: `{"dailyNotePage":"2026-11-13","markdown":"1. rye\n2. oats"}`, wants: []string{`"warning":"The new blocks are not listed as numbered, since a day's page`}, holds: []string{`"1. rye",0`}},
				{name: "on a page that is new", args: `{"pageTitle":"Salt","markdown":"sea"}`, wants: []string{`"uids"`}, holds: []string{`"Salt"`, `"sea"`}},
				{name: "on a page that a day names", args: `{"pageTitle":"2026-11-14","markdown":"- yeast"}`, wants: []string{`"uids"`}, holds: []string{`"11-14-2026"`, `"yeast"`}},
				{name: "on a page that is named for its uid", args: `{"parentUid":"[[Bread]]","markdown":"- crust"}`, wants: []string{`"uids"`}, holds: []string{`"crust",4,"page-brea"`}},
				{name: "on a daily note, under a heading", args: `{"dailyNotePage":"2026-11-14","nestUnder":"Shopping","markdown":"- salt"}`, wants: []string{`"uids"`}, holds: []string{`"11-14-2026"`, `"Shopping"`}},
				{name: "with several graphs", place: both, args: `{"parentUid":"page-brea","markdown":"more","order":0}`, wants: []string{`"graphName":"alpha"`}, holds: []string{`"more",0`}},
			},
			errors: []matrixCell{{name: "no such parent", args: `{"parentUid":"blk-none","markdown":"x"}`, code: "NOT_FOUND"}},
			bad: map[string]string{
				`{"markdown":"x"}`: "exactly one", `{"markdown":"x","parentUid":"p","pageTitle":"P"}`: "exactly one", `{"parentUid":"p","markdown":" "}`: "markdown",
				`{"markdown":"x","dailyNotePage":"02-30-2026"}`: "MM-DD-YYYY", `{"parentUid":"p","markdown":"x","order":-1}`: "order", `{"parentUid":"p","markdown":"x","open":2}`: "true or false", `{"parentUid":"p","markdown":"x","childrenViewType":"list"}`: "bullet, numbered, document",
			},
		},
	}
}

func changeRows() []matrixRow {
	return []matrixRow{
		{
			tool: "update_block", action: "data.block.update", args: `{"uid":"blk-see-1","string":"Look at ((blk-flour))","heading":"3"}`,
			wants: []string{`"success":true,"was":"- See ((blk-flour))","markdown":"- Look at ((blk-flour)) <roam uid=\"blk-see-1\" heading=\"3\"/>"`}, holds: []string{`"Look at ((blk-flour))"`, `["blk-see-1",3]`}, lacks: []string{`"See ((blk-flour))"`},
			more: []matrixCell{
				{name: "in its look only", args: `{"uid":"blk-see-1","open":false,"childrenViewType":"numbered","textAlign":"center"}`, wants: []string{`"was":"- See ((blk-flour))","markdown":"- See ((blk-flour)) <roam uid=\"blk-see-1\" folded=\"true\" childrenViewType=\"numbered\"/>"`}},
				{name: "that is hidden", args: `{"uid":"blk-priva","heading":1}`, wants: []string{`"graphName":"alpha","success":true}`}},
				{name: "in a part of its text", args: `{"uid":"blk-flour","find":"Flour and [[Water]]","replace":"Rye and [[Water]]","heading":1}`, wants: []string{`"success":true`, `"was":"- Flour and [[Water]] <roam heading=\"2\"/>","markdown":"- Rye and [[Water]] <roam uid=\"blk-flour\" heading=\"1\"/>","replaced":1`}, holds: []string{`"Rye and [[Water]]"`, `["blk-flour",1]`}},
				{name: "in each place, taken out", args: `{"uid":"blk-child","find":"i","replace":"","replaceAll":true}`, wants: []string{`"replaced":2`}, holds: []string{`["blk-child","a fne chld"`}},
				{name: "to a task", args: `{"uid":"blk-child","todo":"TODO"}`, wants: []string{`- {{[[TODO]]}} a fine child`}, holds: []string{`["blk-child","{{[[TODO]]}} a fine child"`}},
				{name: "to no task, which it is not", args: `{"uid":"blk-child","todo":"none"}`, wants: []string{`"success":true`}, holds: []string{`["blk-child","a fine child"`}},
				{name: "with the text that it has", args: `{"uid":"blk-child","expected":"- a fine child <roam uid=\"blk-child\"/>","string":"a finer child"}`, wants: []string{`"success":true`}, holds: []string{`["blk-child","a finer child"`}},
				{name: "with the text that it has, in its look", args: `{"uid":"blk-child","expected":"a fine child","heading":2}`, wants: []string{`"success":true`}, holds: []string{`["blk-child",2]`}},
				{name: "in its text, done", args: `{"uid":"blk-child","string":"{{TODO}} knead","todo":"done"}`, wants: []string{`"success":true`}, holds: []string{`["blk-child","{{[[DONE]]}} knead"`}},
			},
			errors: []matrixCell{
				{name: "the text to find is not there", args: `{"uid":"blk-child","find":"coarse","replace":"x"}`, code: ops.CodeTextNotMatched, wants: []string{`"occurrences":0`, "- a fine child <roam"}},
				{name: "the text to find is there twice", args: `{"uid":"blk-child","find":"i","replace":"x"}`, code: ops.CodeTextNotMatched, wants: []string{`"occurrences":2`, "replaceAll"}},
				{name: "it has another text", args: `{"uid":"blk-child","expected":"a coarse child","string":"x"}`, code: shown.CodeChangedSinceRead, wants: []string{`"shown":"a coarse child"`, `"sent":"x"`, `"now":"a fine child"`}},
				{name: "it has another text, and changes its look", args: `{"uid":"blk-child","expected":"a coarse child","heading":1}`, code: shown.CodeChangedSinceRead},
				{name: "it has another text, without what is to be found", args: `{"uid":"blk-child","expected":"a coarse child","find":"coarse","replace":"x"}`, code: shown.CodeChangedSinceRead, wants: []string{`"now":"a fine child"`}},
				{name: "no such block to find it in", args: `{"uid":"blk-none","find":"i","replace":"x"}`, code: "NOT_FOUND", wants: []string{"search"}},
				{name: "a page to find it in", args: `{"uid":"page-brea","find":"Bread","replace":"x"}`, code: "NOT_FOUND"},
				{name: "no such block", args: `{"uid":"blk-none","string":"x"}`, code: "NOT_FOUND"},
				{name: "the text was cut", args: `{"uid":"blk-see-1","string":"See <roam uid=\"blk-see-1\" truncated=\"20\"/>"}`, code: ops.CodeTruncatedSource, wants: []string{"get_block"}},
			},
			bad: map[string]string{`{"uid":"b"}`: "nothing to change", `{"uid":"b","expected":"x"}`: "nothing to change", `{"uid":"b","heading":1,"expected":"- a <roam uid=\"a\"/>\n- b <roam uid=\"b\"/>"}`: "expected holds more than one", `{"string":"x"}`: "uid is missing", `{"uid":"b","heading":4}`: "from 0 to 3", `{"uid":"b","todo":"open"}`: "todo, done, none", `{"uid":"b","todo":null}`: "none takes the mark off",
				`{"uid":"b","find":"x"}`: "belong together", `{"uid":"b","replace":"x"}`: "belong together", `{"uid":"b","find":"x","replace":"y","string":"z"}`: "not both", `{"uid":"b","find":" ","replace":"y"}`: "find", `{"uid":"b","string":"- a <roam uid=\"a\"/>\n- b <roam uid=\"b\"/>"}`: "more than one block"},
		},
		{
			tool: "delete_block", action: "data.block.delete", recovers: []string{`"deleted":true`}, args: `{"uid":"blk-flour"}`,
			wants: []string{`"deleted":true`, `"descendants":2`, `"references":1`, `"success":true`, `"was":"- Flour and [[Water]] <roam`, `"referredBy":[{"uid":"blk-see-1","page":"Bread"}]`}, holds: []string{`"See Flour and [[Water]]"`}, lacks: []string{"blk-child", `"blk-flour"`},
			more:   []matrixCell{{name: "of an older build", turn: "no-delete-report", wants: []string{`"success":true`}}},
			errors: []matrixCell{{name: "no such block", args: `{"uid":"blk-none"}`, code: "NOT_FOUND", wants: []string{"Do not try again"}}},
			bad:    map[string]string{`{}`: "uid is missing", `{"uid":""}`: "uid"},
		},
		{
			tool: "move_block", action: "data.block.move", args: `{"uid":"blk-see-1","parentUid":"blk-flour","order":1}`,
			wants: []string{`"success":true,"moved":["blk-see-1"],"notMoved":[],"parent":{"uid":"blk-flour","title":"Bread"},"markdown":"- a fine child`}, holds: []string{`["blk-see-1","See ((blk-flour))",1,"blk-flour"]`},
			more: []matrixCell{{name: "to a page by its title", args: `{"uid":"((blk-see-1))","parentUid":"[[Water]]"}`, wants: []string{`"success":true`}, holds: []string{`["blk-see-1","See ((blk-flour))",1,"page-wate"]`}}},
			errors: []matrixCell{
				{name: "to no page", args: `{"uid":"blk-see-1","parentUid":"[[Butter]]","order":"last"}`, code: "NOT_FOUND", wants: []string{`There is no page \"Butter\"`}},
				{name: "no such block", args: `{"uid":"blk-none","parentUid":"blk-flour","order":"last"}`, code: "NOT_FOUND"},
				{name: "under itself", args: `{"uid":"blk-flour","parentUid":"blk-child"}`, code: "INVALID_PARAMS", wants: []string{"below itself"}},
				{name: "a page", args: `{"uid":"page-brea","parentUid":"page-wate"}`, code: "NOT_FOUND", wants: []string{"is a page, and no block"}},
			},
			bad: map[string]string{`{"uid":"b","order":0}`: "parentUid is missing", `{"uid":"b","parentUid":"p","order":"up"}`: "first, last"},
		},
	}
}

func noteRows() []matrixRow {
	return []matrixRow{
		{
			tool: "move_blocks", action: "data.block.move", args: `{"uids":["blk-query"],"parentUid":"page-wate","order":"first"}`,
			wants: []string{`"success":true,"moved":["blk-query"],"notMoved":[],`, `"parent":{"uid":"page-wate","title":"Water"},"markdown":"- {{[[query]]`},
			holds: []string{`["blk-query","{{[[query]]: {and: [[Water]]}}}",0,"page-wate"]`, `["blk-boils","Boils, see [[Bread]]",1,"page-wate"]`},
			more: []matrixCell{
				{name: "several", args: `{"uids":["blk-child","blk-query"],"parentUid":"page-wate","order":"first"}`, wants: []string{`"markdown":"- a fine child <roam uid=\"blk-child\"/>\n`}, holds: []string{`["blk-child","a fine child",0,"page-wate"]`, `["blk-boils","Boils, see [[Bread]]",2,"page-wate"]`}},
				{name: "within their parent", args: `{"parentUid":"page-brea","uids":["blk-query","blk-see-1"],"order":"first"}`, wants: []string{`"moved":["blk-query","blk-see-1"],`}, holds: []string{`["blk-see-1","See ((blk-flour))",1,"page-brea"]`, `["blk-flour","Flour and [[Water]]",2,"page-brea"]`}},
				{name: "one as text, to a place", args: `{"parentUid":"blk-flour","uids":"blk-coars","order":0}`, wants: []string{`"parent":{"uid":"blk-flour","title":"Bread"},"markdown":"- a coarse child`}, holds: []string{`["blk-coars","a coarse child",0`}},
				{name: "to a day, one with what is below", args: `{"parentUid":"today","uids":["blk-child","blk-flour"]}`, wants: []string{`"moved":["blk-child","blk-flour"]`, `"title":"November 15th, 2026"`}, holds: []string{`["blk-flour","Flour and [[Water]]",1,"11-15-2026"]`, `["blk-child","a fine child",0,"blk-flour"]`}},
				{name: "of which some are not there", args: `{"parentUid":"page-wate","uids":["blk-none","blk-child","page-brea"],"order":1}`, wants: []string{`"success":false,"moved":["blk-child"],"notMoved":[{"uid":"blk-none","code":"NOT_FOUND"`, `{"uid":"page-brea","code":"NOT_FOUND"`}, holds: []string{`["blk-child","a fine child",1,"page-wate"]`}},
			},
			errors: []matrixCell{
				{name: "none is there", args: `{"parentUid":"page-brea","uids":["blk-none","blk-gone1"]}`, code: "NOT_FOUND", wants: []string{"None of 2 blocks", `"notMoved":[{"uid":"blk-none"`}},
				{name: "no such parent", args: `{"parentUid":"blk-none","uids":["blk-child"]}`, code: "NOT_FOUND", wants: []string{"nothing was moved"}},
				{name: "a day that is not written", args: `{"parentUid":"tomorrow","uids":["blk-child"]}`, code: "NOT_FOUND", wants: []string{"create_block"}},
				{name: "below one of them", args: `{"parentUid":"blk-child","uids":["blk-see-1","blk-flour"]}`, code: "INVALID_PARAMS", wants: []string{"below itself", "nothing was changed"}},
			},
			bad: map[string]string{`{"uids":["a"]}`: "parentUid is missing", `{"parentUid":"p"}`: "uids is missing", `{"parentUid":"p","uids":[]}`: "0 items", `{"parentUid":"p","uids":["a","a"]}`: "twice"},
		},
		{
			tool: "append_to_daily_note", action: "data.block.fromMarkdown", recovers: []string{`"uids":["`}, args: `{"markdown":"- eggs"}`,
			wants: []string{`"uids":["`}, holds: []string{`"eggs",1,"11-15-2026"`},
			more: []matrixCell{
				{name: "as a numbered list", args: `{"nestUnder":"Plan","markdown":"1. rise\n2. bake\n   - dark"}`, wants: []string{`"markdown":"- rise`}, holds: []string{`"bake",1`, `"numbered","Plan"`}},
				{name: "of tomorrow, under a heading", args: `{"markdown":"- eggs","date":"tomorrow","nestUnder":"Shopping","open":"false"}`, wants: []string{`"uids":["`}, holds: []string{`"11-16-2026","November 16th, 2026"`, `"Shopping",0,"11-16-2026"`}},
				{name: "of a day in ISO form", args: `{"markdown":"eggs","date":"2024-02-29"}`, wants: []string{`"uids":["`}, holds: []string{`"eggs",0,"02-29-2024"`}},
			},
			bad: map[string]string{`{}`: "markdown is missing", `{"markdown":"x","date":"2026-02-29"}`: "existing day", `{"markdown":"x","date":"constructor"}`: "existing day", `{"markdown":"x","order":0}`: "order"},
		},
		{
			tool: "add_comment", action: "data.block.addComment", recovers: []string{`"uids":["`}, args: `{"blockUid":"blk-child","comment":"how fine"}`,
			wants: []string{`"uids":["`, `"parentUid":"`}, holds: []string{`"how fine"`, `"((blk-child))"`},
			more: []matrixCell{
				{name: "of several blocks", args: `{"blockUid":"blk-child","commentMarkdown":"- one\n- two"}`, wants: []string{`"uids":["`}, holds: []string{`"one",0`, `"two",1`}},
				{name: "with something below it", args: `{"blockUid":"blk-child","commentMarkdown":"- one\n  - two"}`, wants: []string{`"markdown":"- one <roam`, `\n  - two <roam`}, holds: []string{`"one",0`, `"two",0`}},
				{name: "on what has a comment", args: `{"blockUid":"blk-see-1","comment":"and flat","commentMarkdown":""}`, wants: []string{`"uids":["`}, holds: []string{`"and flat"`}},
			},
			errors: []matrixCell{
				{name: "no such block", args: `{"blockUid":"blk-none","comment":"x"}`, code: "NOT_FOUND"},
				{name: "a page", args: `{"blockUid":"page-brea","comment":"x"}`, code: "INTERNAL_ERROR"},
			},
			bad: map[string]string{`{"blockUid":"b"}`: "comment is missing", `{"blockUid":"b","comment":"x","commentMarkdown":"y"}`: "not both", `{"comment":"x"}`: "blockUid is missing", `{"blockUid":"b","comment":" "}`: "comment is missing"},
		},
	}
}

func changePageRows() []matrixRow {
	return []matrixRow{
		{
			tool: "update_page", action: "data.page.update", args: `{"uid":"page-wate","title":"Sea water"}`,
			wants: []string{`"success":true`}, holds: []string{`"Sea water"`, `"Flour and [[Sea water]]"`}, lacks: []string{`"Water"`},
			more: []matrixCell{
				{name: "in its look only", args: `{"uid":"page-wate","childrenViewType":"document"}`, wants: []string{`"success":true`}},
				{name: "into another", args: `{"uid":"page-wate","title":"Bread","mergePages":"true"}`, wants: []string{`"success":true`}, holds: []string{`"Boils, see [[Bread]]"`, `"Flour and [[Bread]]"`}},
			},
			errors: []matrixCell{
				{name: "the title exists", args: `{"uid":"page-wate","title":"Bread"}`, code: "ALREADY_EXISTS", wants: []string{"whether to merge"}},
				{name: "no such page", args: `{"uid":"page-none","title":"x"}`, code: "NOT_FOUND"},
			},
			bad: map[string]string{`{"uid":"p"}`: "nothing to change", `{"title":"x"}`: "uid is missing", `{"uid":"p","title":" "}`: "title", `{"uid":"p","mergePages":true}`: "nothing to change"},
		},
		{
			tool: "delete_page", action: "data.page.delete", recovers: []string{`"deleted":true`}, args: `{"uid":"page-brea"}`,
			wants: []string{`"success":true`, `"deleted":true`, `"descendants":5`, `"references":4`}, holds: []string{`"Boils, see Bread"`, `"Bought Bread"`}, lacks: []string{`"page-brea"`, `"blk-flour"`},
			more:   []matrixCell{{name: "of an older build", turn: "no-delete-report", wants: []string{`"success":true`}}},
			errors: []matrixCell{{name: "no such page", args: `{"uid":"page-none"}`, code: "NOT_FOUND", wants: []string{"no page", "merged into another page", "Do not try again"}}},
			bad:    map[string]string{`{}`: "uid is missing", `{"uid":""}`: "uid"},
		},
		{
			tool: "add_shortcut", action: "data.page.addShortcut", args: `{"uid":"page-wate","index":"0"}`,
			wants: []string{`"success":true`, `"shortcuts":[{"uid":"page-wate","title":"Water"},{"uid":"page-brea","title":"Bread"}]`}, holds: []string{`["page-wate",0]`, `["page-brea",1]`},
			more:   []matrixCell{{name: "at the end", args: `{"uid":"page-wate"}`, wants: []string{`"success":true`}, holds: []string{`["page-wate",1]`}}},
			errors: []matrixCell{{name: "no such page", args: `{"uid":"page-none"}`, code: "NOT_FOUND"}},
			bad:    map[string]string{`{}`: "uid is missing", `{"uid":"p","index":-1}`: "index", `{"uid":"p","index":1.5}`: "index"},
		},
		{
			tool: "remove_shortcut", action: "data.page.removeShortcut", args: `{"uid":"page-brea"}`,
			wants: []string{`"success":true`, `"shortcuts":[]`}, lacks: []string{`["page-brea",0]`},
			more:   []matrixCell{{name: "that is none", args: `{"uid":"page-wate"}`, wants: []string{`"success":true`}}},
			errors: []matrixCell{{name: "no such page", args: `{"uid":"page-none"}`, code: "NOT_FOUND"}, {name: "a block", args: `{"uid":"blk-flour"}`, code: "INTERNAL_ERROR"}},
			bad:    map[string]string{`{}`: "uid is missing", `{"uid":" "}`: "uid"},
		},
	}
}
