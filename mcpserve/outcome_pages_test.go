package mcpserve

import "fmt"

// lostPageChanges are those of the writes to pages, comments and the daily note,
// and of updates of more than a text.
func lostPageChanges() map[string]lostReply {
	page := func(title string) string {
		return fmt.Sprintf(`{"uid":"p","markdown":%q}`, "# "+title+` <roam uid="p" refs="2"/>`)
	}
	comment := func(text, edited string) string {
		return fmt.Sprintf(`{"total":1,"comments":[{"parentUid":"c","createdTime":"2026-11-01T08:00:00.000Z","editedTime":%q,"markdown":%q}]}`, edited, "- "+text+` <roam uid="x"/>`)
	}
	const (
		rename = `{"uid":"p","title":"New title"}`
		says   = `{"blockUid":"b","comment":"how fine"}`
		since  = "2026-11-15T12:00:00.000Z"
		before = "2026-11-15T11:59:59.999Z"
	)
	return map[string]lostReply{
		"appended, as a query shows": {"append_to_daily_note", `{"markdown":"eggs"}`, "data.block.fromMarkdown",
			map[string]string{"q": `[["n","eggs"]]`}, true},
		"not appended, as a read shows": {"append_to_daily_note", `{"markdown":"eggs"}`, "data.block.fromMarkdown",
			map[string]string{"data.ai.getPage": `{"uid":"11-15-2026","markdown":"# November 15th, 2026 <roam uid=\"11-15-2026\"/>"}`, "data.ai.getBlock": `null`}, false},
		"renamed":     {"update_page", rename, "data.page.update", map[string]string{"data.ai.getPage": page("New title")}, true},
		"not renamed": {"update_page", rename, "data.page.update", map[string]string{"data.ai.getPage": page("Old title")}, false},
		"renamed to markup": {"update_page", `{"uid":"p","title":"*New*"}`, "data.page.update",
			map[string]string{"data.ai.getPage": page("__New__")}, nil},
		"merged, it may be": {"update_page", `{"uid":"p","title":"New title","mergePages":true}`, "data.page.update",
			map[string]string{"data.ai.getPage": `null`}, nil},
		"renamed, and its look": {"update_page", `{"uid":"p","title":"New title","childrenViewType":"document"}`, "data.page.update",
			map[string]string{"data.ai.getPage": page("New title")}, nil},
		"a page's look": {"update_page", `{"uid":"p","childrenViewType":"document"}`, "data.page.update",
			map[string]string{"data.ai.getPage": page("Old title")}, nil},
		"commented": {"add_comment", says, "data.block.addComment",
			map[string]string{"data.ai.getComments": comment("how fine", since)}, true},
		"a comment that may be older": {"add_comment", says, "data.block.addComment",
			map[string]string{"data.ai.getComments": comment("how fine", before)}, nil},
		"not commented": {"add_comment", says, "data.block.addComment",
			map[string]string{"data.ai.getComments": comment("too coarse", since)}, false},
		"commented in markup": {"add_comment", `{"blockUid":"b","commentMarkdown":"- *how* fine"}`, "data.block.addComment",
			map[string]string{"data.ai.getComments": comment("__how__ fine", since)}, nil},
		"commented, as a query shows": {"add_comment", says, "data.block.addComment",
			map[string]string{"q": `[["x","how fine"]]`, "data.ai.getComments": comment("how fine", before)}, true},
		"said again, but elsewhere": {"add_comment", says, "data.block.addComment",
			map[string]string{"q": `[["y","how fine"]]`, "data.ai.getComments": comment("how fine", since)}, nil},
		"nothing was said, as a query shows": {"add_comment", says, "data.block.addComment",
			map[string]string{"q": `[]`, "data.ai.getComments": comment("how fine", since)}, false},
		"nothing was said in these words, as a query shows": {"add_comment", `{"blockUid":"b","commentMarkdown":"*how* fine"}`, "data.block.addComment",
			map[string]string{"q": `[]`, "data.ai.getComments": comment("too coarse", since)}, nil},
		"comments that can't be read": {"add_comment", says, "data.block.addComment",
			map[string]string{"data.ai.getComments": `null`}, nil},
	}
}

// lostShortcuts are those of shortcuts and of deletes.
func lostShortcuts() map[string]lostReply {
	return map[string]lostReply{
		"a shortcut at the end": {"add_shortcut", `{"uid":"p"}`, "data.page.addShortcut",
			map[string]string{"q": `[[3,"p"],[0,"o"]]`}, true},
		"a shortcut at its place": {"add_shortcut", `{"uid":"p","index":0}`, "data.page.addShortcut",
			map[string]string{"q": `[[5,"o"],[2,"p"]]`}, true},
		"a shortcut at another place": {"add_shortcut", `{"uid":"p","index":0}`, "data.page.addShortcut",
			map[string]string{"q": `[[3,"p"],[0,"o"]]`}, nil},
		"no shortcut":                  {"add_shortcut", `{"uid":"p"}`, "data.page.addShortcut", map[string]string{"q": `[[0,"o"]]`}, false},
		"shortcuts that can't be read": {"add_shortcut", `{"uid":"p"}`, "data.page.addShortcut", map[string]string{"q": `[["o"]]`}, nil},
		"the shortcut is gone":         {"remove_shortcut", `{"uid":"p"}`, "data.page.removeShortcut", map[string]string{"q": `[]`}, true},
		"the shortcut is there":        {"remove_shortcut", `{"uid":"p"}`, "data.page.removeShortcut", map[string]string{"q": `[[0,"p"]]`}, false},
		"a page that is still there":   {"delete_page", `{"uid":"p"}`, "data.page.delete", map[string]string{"data.ai.getPage": pageResult}, false},
		"blocks that are still there": {"delete_blocks", `{"uids":["b","b"]}`, "data.block.deleteBlocks",
			map[string]string{"data.ai.getBlock": `{"uid":"b","markdown":"- x <roam uid=\"b\"/>"}`}, false},
	}
}
