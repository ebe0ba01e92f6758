package roam

import (
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
)

// desktopTools see and change what is open in Roam. Its windows are no part of
// a graph: any token may use them (LOCAL_API.md 1.4).
func desktopTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "get_open_windows", Task: task.SeeWindows, Title: "Get open windows", Toolset: "desktop", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Tells what the user has open in Roam: the main window and the right sidebar. type is outline for a page or block, log for the daily notes."),
			Cuts:        []surface.Cut{surface.CutList{Field: "sidebar"}},
		},
		{
			Name: "get_selection", Task: task.SeeSelection, Title: "Get selection", Toolset: "desktop", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Tells which block has the cursor in Roam (focused, or null) and which blocks are marked (multiSelected)."),
			Cuts:        []surface.Cut{surface.CutList{Field: "multiSelected"}},
		},
		{
			Name: "open_main_window", Task: task.OpenInWindow, Title: "Open in main window", Toolset: "desktop", Effects: surface.Shows(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Shows a page or block in Roam's main window, in place of what is there. Use it when the user asks to see something."),
			Params: []surface.Param{
				{Name: "uid", Kind: surface.String, About: say("Uid of page or block. Give uid or title.")},
				{Name: "title", Kind: surface.String, Title: true, About: say("Exact page title.")},
			},
		},
		{
			// Each call adds a window, so it is not idempotent.
			Name: "open_sidebar", Task: task.OpenInSidebar, Title: "Open in sidebar", Toolset: "desktop", Effects: surface.Effects{}, Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Adds a window to Roam's right sidebar: a page or block, or what links to it."),
			Params: []surface.Param{
				{Name: "uid", Kind: surface.String, Required: true, NonEmpty: true, About: say("Uid of page or block.")},
				{Name: "type", Kind: surface.String, Choices: []string{"outline", "block", "mentions"}, About: say("outline (default), block, or mentions for the links to it.")},
			},
		},
	}
}
