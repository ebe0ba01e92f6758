package roam

import (
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

func deleteTools() []surface.Tool {
	first, last := surface.Between(1, ops.MaxBatch)
	return []surface.Tool{
		{
			Name: "delete_block", Task: problem.DeleteBlock, Title: "Delete block", Toolset: "write", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true, ListedAs: problem.DeleteBlocks,
			Description: say("Deletes one block as %s does.", problem.DeleteBlocks),
			Params:      []surface.Param{uidParam("The block"), dryRunParam()},
			Output:      anyReply(),
			Cuts:        cutWritten(),
			Run:         remove(ops.Block),
		},
		{
			Name: "delete_blocks", Task: problem.DeleteBlocks, Title: "Delete blocks", Toolset: "write", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes up to 25 blocks with all below. First %s: if one has refs or is large, ask the user.", problem.ReadBlock),
			Params:      []surface.Param{{Name: "uids", Kind: surface.Strings, UID: true, Required: true, Min: first, Max: last, About: say("The blocks")}, dryRunParam()},
			Output:      anyReply(),
			Cuts:        cutWritten(),
			Run:         surface.JSON(deleteBlocks),
		},
		{
			Name: "delete_page", Task: problem.DeletePage, Title: "Delete page", Toolset: "write", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes a page; links to it become text. First %s: if it has refs or is large, ask the user.", problem.ReadPage),
			Params:      []surface.Param{pageUIDParam(), dryRunParam()},
			Output:      anyReply(),
			Cuts:        cutWritten(),
			Run:         remove(ops.Page),
		},
	}
}

func shortcutTools() []surface.Tool {
	setting := surface.Effects{Idempotent: true}
	return []surface.Tool{
		{
			Name: "add_shortcut", Task: problem.AddShortcut, Title: "Add shortcut", Toolset: "write", Effects: setting, Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Adds a page to Roam's shortcuts, or moves it there."),
			Params: []surface.Param{
				pageUIDParam(),
				{Name: "index", Kind: surface.Integer, Min: surface.AtLeast(0), About: say("Place from 0; default last")},
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(addShortcut),
		},
		{
			Name: "remove_shortcut", Task: problem.RemoveShortcut, Title: "Remove shortcut", Toolset: "write", Effects: setting, Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Removes a page from the shortcuts; the page stays."),
			Params:      []surface.Param{pageUIDParam()},
			Output:      anyReply(),
			Cuts:        cutWritten(),
			Run:         surface.JSON(removeShortcut),
		},
	}
}

// remove deletes a thing and tells what that hit.
func remove(thing ops.Thing) surface.Handler {
	return surface.JSON(func(ctx context.Context, c surface.Call) (json.RawMessage, error) {
		if c.Args().Flag(surface.ParamDryRun, false) {
			return previewReply(c.Graph().PreviewRemoval(ctx, thing, []string{c.Args().Text("uid")}))
		}
		removed, err := c.Graph().Remove(ctx, thing, c.Args().Text("uid"))
		if err != nil {
			return nil, err
		}
		counts := removed.Counts()
		reply := removed.Report.Except(counts).With("success", true).Append(counts).With("uid", c.Args().Text("uid"))
		if removed.Title != "" {
			reply = reply.With("title", removed.Title)
		}
		if date := (note.Node{Title: removed.Title}).Date(); date != "" {
			reply = reply.With("date", date)
		}
		return reply.JSON(), nil
	})
}

func deleteBlocks(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	uids := c.Args().List("uids")
	if err := checkBatch(c, "uids", len(uids)); err != nil {
		return nil, err
	}
	if slices.Contains(uids, "") {
		return nil, surface.Invalid(c.ToolName(), "uids holds an empty text.")
	}
	if c.Args().Flag(surface.ParamDryRun, false) {
		return previewReply(c.Graph().PreviewRemoval(ctx, ops.Block, uids))
	}
	return batchReply(c.Graph().RemoveBlocks(ctx, uids))
}

// dryRunParam is the parameter of tools that tell what they would do.
func dryRunParam() surface.Param {
	return surface.Param{Name: surface.ParamDryRun, Kind: surface.Boolean, About: say("Show effect only")}
}

// previewReply says what a call would do.
func previewReply(preview ops.Preview, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	reply := rawjson.With("dryRun", true).With("effect", preview.Impact)
	if preview.Was != "" {
		reply = reply.With("before", preview.Was)
	}
	return reply.JSON(), nil
}

func addShortcut(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	return withShortcuts(ctx, c)(success(c.Graph().AddShortcut(ctx, ops.NewShortcut{PageUID: c.Args().Text("uid"), Index: surface.Optional[int](c.Args(), "index")})))
}

func removeShortcut(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	return withShortcuts(ctx, c)(success(c.Graph().RemoveShortcut(ctx, c.Args().Text("uid"))))
}

// withShortcuts adds the list as it is now to the reply of a change of it.
func withShortcuts(ctx context.Context, c surface.Call) func(json.RawMessage, error) (json.RawMessage, error) {
	return func(reply json.RawMessage, err error) (json.RawMessage, error) {
		if err != nil {
			return nil, err
		}
		if list := c.Graph().Shortcuts(ctx); list != nil {
			reply = rawjson.Parse(reply).With("shortcuts", list).JSON()
		}
		return reply, nil
	}
}
