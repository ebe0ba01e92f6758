package roam

import (
	"cmp"
	"context"
	"encoding/json"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// windowText is how many characters of a block a window shows.
const windowText = 500

// desktopTools see and change what is open in Roam. Its windows are no part of
// a graph: any token may use them (LOCAL_API.md 1.4).
func desktopTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "get_open_windows", Task: problem.SeeWindows, Title: "Get open windows", Toolset: "desktop", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Tells what the user sees in Roam: main window, sidebar. type outline: page or block; log: daily notes."),
			Cuts:        []surface.Cut{surface.CutList{Field: "sidebar"}},
			Run:         surface.JSON(getOpenWindows),
		},
		{
			Name: "get_selection", Task: problem.SeeSelection, Title: "Get selection", Toolset: "desktop", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Tells which block has the cursor (focused) and which are marked (multiSelected)."),
			Cuts:        []surface.Cut{surface.CutList{Field: "multiSelected"}},
			Run:         surface.JSON(getSelection),
		},
		{
			Name: "open_main_window", Task: problem.OpenInWindow, Title: "Open in main window", Toolset: "desktop", Effects: surface.Shows(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Shows a page or block in Roam's main window, if the user asks."),
			Params: []surface.Param{
				{Name: "uid", Kind: surface.String, UID: true, Page: true, About: say("Page or block, or give title")},
				{Name: "title", Kind: surface.String, Title: true, Page: true, About: say("Exact title")},
			},
			Run: surface.JSON(openMainWindow),
		},
		{
			// Each call adds a window, so it is not idempotent.
			Name: "open_sidebar", Task: problem.OpenInSidebar, Title: "Open in sidebar", Toolset: "desktop", Effects: surface.Effects{}, Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Opens a page, block, or what links to it in Roam's sidebar."),
			Params: []surface.Param{
				{Name: "uid", Kind: surface.String, UID: true, Page: true, Required: true, NonEmpty: true, About: say("Page or block")},
				{Name: "type", Kind: surface.String, Choices: []string{"outline", "block", "mentions"}, Default: "outline", About: say("mentions: what links to it")},
			},
			Run: surface.JSON(openSidebar),
		},
	}
}

func getOpenWindows(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	open, err := c.Graph().OpenWindows(ctx)
	if err != nil {
		return nil, err
	}
	for i, window := range open.Sidebar {
		open.Sidebar[i] = shortWindow(window)
	}
	return rawjson.With("main", shortWindow(open.Main)).With("sidebar", rawjson.Array(open.Sidebar)).JSON(), nil
}

func getSelection(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	selected, err := c.Graph().Selection(ctx)
	return rawjson.With("focused", selected.Focused).With("multiSelected", rawjson.Array(selected.Marked)).JSON(), err
}

// shortWindow cuts the text of a window that shows a long block: it is there to
// tell which block it is, and get_block reads it.
func shortWindow(window json.RawMessage) json.RawMessage {
	if len(window) <= windowText {
		return window
	}
	object := rawjson.Parse(window)
	text, _ := object.Text("block-string")
	runes := []rune(text)
	if len(runes) <= windowText {
		return window
	}
	return object.With("block-string", string(runes[:windowText])+"…").With("truncated", len(runes)-windowText).JSON()
}

func openMainWindow(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	target, err := pageOrBlock(c)
	if err != nil {
		return nil, err
	}
	return success(c.Graph().OpenInMain(ctx, target))
}

func openSidebar(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	return success(c.Graph().OpenInSidebar(ctx, c.Args().Text("uid"), cmp.Or(c.Args().Text("type"), "outline")))
}
