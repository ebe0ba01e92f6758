package roam

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

const (
	// mostSiblings is how many children of the new parent the reply to a move shows.
	mostSiblings = 40
	// siblingText is how many characters of each it shows.
	siblingText = 80
)

func moveTools() []surface.Tool {
	first, last := surface.Between(1, ops.MaxBatch)
	place := []surface.Param{
		{Name: "parentUid", Kind: surface.String, UID: true, Page: true, Required: true, NonEmpty: true, About: say("Block, page or day")},
		{Name: "order", Kind: surface.Order, Default: "last", About: say("first, last or an index")},
	}
	return []surface.Tool{
		{
			Name: "move_block", Task: problem.MoveBlock, Title: "Move block", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true, ListedAs: problem.MoveBlocks,
			Description: say("Moves one block as %s does.", problem.MoveBlocks),
			Params:      append([]surface.Param{uidParam("The block")}, place...),
			Output:      anyReply(),
			Cuts:        cutWritten(),
			Run:         surface.JSON(moveBlock),
		},
		{
			Name: "move_blocks", Task: problem.MoveBlocks, Title: "Move blocks", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Moves up to 25 blocks, with all below them, to one place in the order given; sorts children too. uids and links stay."),
			Params: append([]surface.Param{
				{Name: "uids", Kind: surface.Strings, UID: true, Required: true, Min: first, Max: last, About: say("The blocks")},
			}, place...),
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(moveBlocks),
		},
	}
}

func moveBlock(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	return move(ctx, c, c.Args().Text("uid"))
}

func moveBlocks(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	uids := c.Args().List("uids")
	if err := checkBatch(c, "uids", len(uids)); err != nil {
		return nil, err
	}
	for i, uid := range uids {
		if uid == "" || slices.Index(uids, uid) < i {
			return nil, surface.Invalid(c.ToolName(), "uids holds an empty text, or %s twice.", textsafe.Quote(uid))
		}
	}
	return move(ctx, c, uids...)
}

// move moves blocks, and shows where they are.
func move(ctx context.Context, c surface.Call, uids ...string) (json.RawMessage, error) {
	parent := c.Args().Text("parentUid")
	moved, err := c.Graph().MoveBlocks(ctx, ops.BlockMoves{UIDs: uids, ParentUID: parent, Order: orderOf(c.Args())})
	var cycle *ops.CycleError
	switch {
	case errors.As(err, &cycle):
		return nil, surface.Invalid(c.ToolName(), "%s.", cycle)
	case err != nil:
		return nil, err
	}
	if moved.NotMoved == nil {
		moved.NotMoved = []rawjson.Object{}
	}
	reply := rawjson.With("success", len(moved.NotMoved) == 0).With("moved", moved.UIDs).With("notMoved", moved.NotMoved)
	if moved.Recovered {
		reply = reply.With(ops.Recovered, true)
	}
	return reply.Append(placeNow(ctx, c, parent, moved)).JSON(), nil
}

// placeNow shows the children of what blocks were moved to: those around the blocks where
// there are many; nothing where it can't be read.
func placeNow(ctx context.Context, c surface.Call, uid string, moved ops.Moved) rawjson.Object {
	one := 1
	var read rawjson.Object
	if moved.Parent == ops.Block {
		read, _ = c.Graph().ReadBlock(ctx, uid, &one)
	} else {
		read, _ = c.Graph().ReadPage(ctx, ops.PageRef{UID: uid}, &one)
	}
	markdown, _ := read.Text("markdown")
	blocks := outline.RenderedBlocks(markdown)
	if len(blocks) == 0 {
		return nil
	}
	title := blocks[0].Title()
	if path := pathOf(read.Get("path")); len(path) > 0 {
		title = path[0]
	}
	children := outline.RenderedChildren(blocks)
	told := rawjson.With("parent", rawjson.With("uid", uid).With("title", title))
	if all := len(children); all > mostSiblings {
		at := max(0, slices.IndexFunc(children, func(b outline.RenderedBlock) bool { return slices.Contains(moved.UIDs, b.UID) }))
		from := max(0, min(at-(mostSiblings-len(moved.UIDs))/2, all-mostSiblings))
		children = children[from : from+mostSiblings]
		told = told.With(surface.FieldBlocks, surface.BlocksShown(mostSiblings, all))
	}
	var lines strings.Builder
	for _, child := range children {
		lines.WriteString(child.Brief(siblingText))
	}
	return told.With("markdown", lines.String())
}
