package mcpserve

// desktopRows are the tools of the toolset desktop.
func desktopRows() []matrixRow {
	return []matrixRow{
		{
			tool: "get_open_windows", action: "ui.mainWindow.getOpenView", args: `{}`, together: true,
			wants:  []string{`"main":{"type":"log"`, `"sidebar":[]`, `"graphName":"alpha"`},
			errors: []matrixCell{{name: "the sidebar does not answer", turn: "fail=ui.rightSidebar.getWindows:no sidebar", code: "INTERNAL_ERROR", wants: []string{"no sidebar"}}},
		},
		{
			tool: "get_selection", action: "ui.getFocusedBlock", args: `{}`, together: true,
			wants:  []string{`"focused":null`, `"multiSelected":[]`},
			errors: []matrixCell{{name: "the selection does not answer", turn: "fail=ui.multiselect.getSelected:no selection", code: "INTERNAL_ERROR", wants: []string{"no selection"}}},
		},
		{
			tool: "open_main_window", action: "ui.mainWindow.openBlock", args: `{"uid":"blk-flour"}`,
			wants: []string{`"success":true`}, holds: []string{`"block-string":"Flour and [[Water]]"`},
			more: []matrixCell{
				{name: "a page by its title", args: `{"title":"Water"}`, wants: []string{`"success":true`}, holds: []string{`"uid":"page-wate","title":"Water"`}},
				{name: "a page by its uid, which wins", args: `{"uid":"page-shel","title":"Water"}`, wants: []string{`"success":true`}, holds: []string{`"title":"Shelf"}`}},
				{name: "with a token for reading", place: place{level: "read-only"}, wants: []string{`"success":true`}, holds: []string{`"uid":"blk-flour"`}},
				{name: "though it can't be asked whether the page is there", turn: "fail=q:broken", wants: []string{`"success":true`}},
			},
			errors: []matrixCell{
				{name: "no such block", args: `{"uid":"blk-none"}`, code: "NOT_FOUND", wants: []string{"nothing was opened", `"suggested_next_tool":"search"`}},
				{name: "no such page", args: `{"title":"Butter"}`, code: "NOT_FOUND", wants: []string{"Butter"}},
				{name: "the server is for reading", place: place{change: func(o *Options) { o.ReadOnly = true }}, code: CodeReadOnly},
			},
			bad: map[string]string{`{}`: "title or uid", `{"uid":"","title":""}`: "title or uid"},
		},
		{
			tool: "open_sidebar", action: "ui.rightSidebar.addWindow", args: `{"uid":"page-brea"}`,
			wants: []string{`"success":true`}, holds: []string{`"type":"outline"`, `"page-uid":"page-brea"`},
			more: []matrixCell{
				{name: "the links to a page", args: `{"uid":"page-brea","type":"Mentions"}`, wants: []string{`"success":true`}, holds: []string{`"mentions-uid":"page-brea"`}},
				{name: "a block", args: `{"uid":"blk-flour","type":"block"}`, wants: []string{`"success":true`}, holds: []string{`"type":"block"`, `"block-uid":"blk-flour"`}},
			},
			errors: []matrixCell{
				{name: "no such block", args: `{"uid":"blk-none"}`, code: "NOT_FOUND", wants: []string{"nothing was opened"}},
				{name: "the server is for reading", place: place{change: func(o *Options) { o.ReadOnly = true }}, code: CodeReadOnly},
			},
			bad: map[string]string{`{}`: "uid is missing", `{"uid":" "}`: "uid", `{"uid":"b","type":"graph"}`: "outline, block, mentions"},
		},
	}
}
