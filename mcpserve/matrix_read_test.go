package mcpserve

// readRows are the tools of the toolset read.
func readRows() []matrixRow {
	return []matrixRow{
		{
			tool: "get_page", action: "data.ai.getPage", args: `{"title":"Bread","maxDepth":1}`,
			wants: []string{`"uid":"page-brea"`, "blk-flour", `"graph":"ALPHA"`, `"graphName":"alpha"`},
			more: []matrixCell{
				{name: "by uid, which wins", args: `{"uid":"page-wate","title":"Bread"}`, wants: []string{"blk-boils"}},
				{name: "of an older build", turn: "build", wants: []string{`"uid":"page-brea"`}},
				{name: "that does not exist", args: `{"title":"Butter"}`, wants: []string{`"found":false`}},
			},
			bad: map[string]string{`{}`: "title or uid", `{"title":"Bread","maxDepth":-1}`: "maxDepth"},
		},
		{
			tool: "get_block", action: "data.ai.getBlock", args: `{"uid":"blk-flour"}`, wants: []string{"a fine child", `"path":["Bread"]`},
			more: []matrixCell{
				{name: "alone", args: `{"uid":"blk-flour","maxDepth":"0"}`, wants: []string{`hiddenChildren=\"2\"`}},
				{name: "that does not exist", args: `{"uid":"blk-none"}`, wants: []string{`"found":false`}},
			},
			bad: map[string]string{`{}`: "uid is missing", `{"uid":""}`: "uid", `{"uid":"b","maxDepth":"deep"}`: "maxDepth"},
		},
		{
			tool: "get_backlinks", action: "data.ai.getBacklinks", args: `{"title":"Bread","sort":"edited-date","sortOrder":"asc","limit":"5","includePath":"false"}`,
			wants: []string{`"total":2`, "blk-boils", "blk-today"},
			more: []matrixCell{
				{name: "of a block", args: `{"uid":"blk-flour"}`, wants: []string{"blk-see-1"}},
				{name: "one at a time", args: `{"title":"Bread","limit":1,"maxDepth":0}`, wants: []string{`"nextOffset":1`}},
				{name: "with a word", args: `{"title":"Bread","search":"boils"}`, wants: []string{"blk-boils", `"total":1`}},
			},
			bad: map[string]string{`{"limit":3}`: "title or uid", `{"title":"x","sort":"size"}`: "created-date", `{"title":"x","limit":0}`: "limit"},
		},
		{
			tool: "search", action: "data.ai.search", args: `{"query":"flour"}`, wants: []string{"blk-flour", `"total":`},
			more: []matrixCell{
				{name: "of pages", args: `{"query":"bread","scope":"pages","limit":1,"maxDepth":1}`, wants: []string{"page-brea"}},
				{name: "for nothing, which lists recents", args: `{"query":""}`, wants: []string{`"suggestions"`}},
			},
			bad: map[string]string{`{}`: "query is missing", `{"query":"x","scope":"files"}`: "all, pages, blocks", `{"query":"x","offset":-1}`: "offset"},
		},
	}
}
