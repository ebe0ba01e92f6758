package roam

import (
	"slices"

	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// anyReply is the output of a write whose fields explain themselves: uid, uids,
// success, deleted, results and counts (LOCAL_API.md 3.1).
func anyReply() []surface.Param { return []surface.Param{} }

// Parameters that several write tools share.
func uidParam(about string) surface.Param {
	return surface.Param{Name: "uid", Kind: surface.String, Required: true, NonEmpty: true, About: problem.Say("%s", about)}
}

func viewTypeParam() surface.Param {
	return surface.Param{Name: "childrenViewType", Kind: surface.String, Choices: []string{"bullet", "numbered", "document"}, About: say("numbered, bullet, document")}
}

func openParam() surface.Param {
	return surface.Param{Name: "open", Kind: surface.Boolean, About: say("false folds the new top blocks"), Unlisted: true}
}

// writeTools change a graph.
func writeTools() []surface.Tool {
	return slices.Concat(createTools(), changeTools(), deleteTools(), shortcutTools())
}

func createTools() []surface.Tool {
	markdown := surface.Param{Name: "markdown", Kind: surface.String, Required: true, NonEmpty: true, About: say("Bullets")}
	under := surface.Param{Name: "nestUnder", Kind: surface.String, About: say("Under this child")}
	return []surface.Tool{
		{
			Name: "create_page", Task: task.CreatePage, Title: "Create page", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Creates a page. Search first."),
			Params: []surface.Param{
				{Name: "title", Kind: surface.String, Title: true, Required: true, NonEmpty: true, About: say("New title")},
				{Name: "markdown", Kind: surface.String, About: say("Bullets")},
				{Name: "uid", Kind: surface.String, About: say("own uid"), Unlisted: true},
				surface.NotListed(viewTypeParam()),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
		},
		{
			Name: "create_block", Task: task.CreateBlocks, Title: "Create blocks", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Adds blocks to a parentUid, pageTitle or dailyNotePage."),
			Params: []surface.Param{
				markdown,
				{Name: "parentUid", Kind: surface.String, About: say("Block or page")},
				{Name: "pageTitle", Kind: surface.String, Title: true, About: say("Created if missing")},
				{Name: "dailyNotePage", Kind: surface.String, About: say("MM-DD-YYYY or today")},
				under,
				{Name: "order", Kind: surface.Order, About: say("first, last, number")},
				openParam(),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
		},
		{
			Name: "append_to_daily_note", Task: task.AppendToDay, Title: "Daily note", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Adds blocks to today's note."),
			Params: []surface.Param{
				markdown,
				surface.NotListed(under),
				{Name: "date", Kind: surface.String, About: say("MM-DD-YYYY, YYYY-MM-DD, today (default), yesterday, tomorrow"), Unlisted: true},
				openParam(),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
		},
		{
			Name: "add_comment", Task: task.AddComment, Title: "Add comment", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Comments on a block."),
			Params: []surface.Param{
				{Name: "blockUid", Kind: surface.String, Required: true, NonEmpty: true, About: say("Block")},
				{Name: "comment", Kind: surface.String, About: say("Text")},
				{Name: "commentMarkdown", Kind: surface.String, About: say("instead of comment: several blocks, as Markdown"), Unlisted: true},
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
		},
	}
}
