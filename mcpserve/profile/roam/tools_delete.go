package roam

import (
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
)

func deleteTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "delete_block", Task: task.DeleteBlock, Title: "Delete block", Toolset: "write", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes a block and all below. First %s; if it has refs or is large, ask the user.", task.ReadBlock),
			Params:      []surface.Param{uidParam("Block")},
			Output:      anyReply(),
			Cuts:        cutWritten(),
		},
		{
			Name: "delete_blocks", Task: task.DeleteBlocks, Title: "Delete blocks", Toolset: "write", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("%s, up to 25.", task.DeleteBlock),
			Params:      []surface.Param{{Name: "uids", Kind: surface.Strings, Required: true, About: say("Blocks")}},
			Output:      anyReply(),
			Cuts:        cutWritten(),
		},
		{
			Name: "delete_page", Task: task.DeletePage, Title: "Delete page", Toolset: "write", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes a page. First check and ask as for %s.", task.DeleteBlock),
			Params:      []surface.Param{uidParam("Page")},
			Output:      anyReply(),
			Cuts:        cutWritten(),
		},
	}
}

func shortcutTools() []surface.Tool {
	setting := surface.Effects{Idempotent: true}
	return []surface.Tool{
		{
			Name: "add_shortcut", Task: task.AddShortcut, Title: "Add shortcut", Toolset: "write", Effects: setting, Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Adds a page to the sidebar."),
			Params: []surface.Param{
				uidParam("Page"),
				{Name: "index", Kind: surface.Integer, Min: surface.AtLeast(0), About: say("place from 0; default last"), Unlisted: true},
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
		},
		{
			Name: "remove_shortcut", Task: task.RemoveShortcut, Title: "Remove shortcut", Toolset: "write", Effects: setting, Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Removes a shortcut."),
			Params:      []surface.Param{uidParam("Page")},
			Output:      anyReply(),
			Cuts:        cutWritten(),
		},
	}
}
