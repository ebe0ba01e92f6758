package mcpserve

// discoverRows are the tools of the toolset discover.
func discoverRows() []matrixRow {
	return []matrixRow{
		{
			tool: "semantic_search", action: "data.ai.semanticSearch", args: `{"query":"flour and water"}`,
			wants: []string{`"results":[`, "blk-flour", `"graphName":"alpha"`},
			more:  []matrixCell{{name: "for pages", args: `{"query":"bread","k":"1","scope":"pages","includePath":false,"maxDepth":0}`, wants: []string{`"results":[`}}},
			errors: []matrixCell{
				{name: "nobody is signed in", turn: "signed-out", code: "INTERNAL_ERROR", wants: []string{"not enabled for this graph", "nobody is signed in", `"suggested_next_tool":"search"`, `"retryable":false`}},
				{name: "the graph has it off", turn: "fail=data.ai.semanticSearch:Embeddings are disabled", code: "INTERNAL_ERROR", wants: []string{"Embeddings are disabled", "Use search instead"}},
			},
			bad: map[string]string{`{}`: "query is missing", `{"query":" "}`: "query", `{"query":"x","k":"few"}`: "from 1 to 200", `{"query":"x","scope":"files"}`: "all, pages, blocks"},
		},
		{
			tool: "suggest_links", action: "data.ai.getBlock", args: `{"uid":"blk-bakes"}`,
			wants: []string{
				`"total":2`, `{"uid":"blk-bakes","title":"Water","pageUid":"page-wate","text":"water","start":5,"end":10,"link":"[water]([[Water]])","why":"names`,
				`{"uid":"blk-store","title":"Bread"`,
			},
			more: []matrixCell{
				{name: "in a page", args: `{"title":"Recipes","maxResults":1}`, wants: []string{`"total":2`, `"uid":"blk-bakes"`}},
				{name: "in a page by its uid", args: `{"uid":"page-reci"}`, wants: []string{`"total":2`}},
				{name: "in a page that does not exist", args: `{"title":"Butter"}`, wants: []string{`"found":false`}},
				{name: "in a block that does not exist", args: `{"uid":"blk-none"}`, wants: []string{`"found":false`}},
				{name: "in a text", args: `{"text":"bread and Water"}`, wants: []string{`"suggestions":[`, `"title":"Bread"`, `"title":"Water"`}},
				{name: "in a text, with an older build", turn: "missing=data.ai.suggestLinks", args: `{"text":"bread and Water"}`, wants: []string{`"suggestions":[{"title":"Bread"`, `"text":"Water","start":10`, `"link":"[[Water]]"`}},
			},
			errors: []matrixCell{
				{name: "the titles can't be read", turn: "fail=q:took too long", code: "QUERY_TIMEOUT"},
				{name: "a text, and Roam breaks", args: `{"text":"bread"}`, turn: "fail=data.ai.suggestLinks:it broke", code: "INTERNAL_ERROR"},
			},
			bad: map[string]string{`{}`: "exactly one", `{"uid":"b","text":"t"}`: "exactly one", `{"text":" "}`: "exactly one", `{"uid":"b","maxResults":"x"}`: "maxResults"},
		},
	}
}
