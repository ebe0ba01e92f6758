package outline

import (
	"context"
	"slices"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// moveBlock answers move_block.
func moveBlock(ctx context.Context, c surface.Call) (surface.Reply, error) {
	block, at, err := movement(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	release, err := c.Graph().Hold(ctx, []string{block.Page(), at.parent.Page()}, func() ([]string, error) {
		block, at, err = movement(ctx, c)
		return []string{block.Page(), at.parent.Page()}, err
	})
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	if slices.Contains(uidsFrom(block), at.parent.UID) {
		return surface.Reply{}, surface.Invalid(c.ToolName(), "%s can't be moved below itself: the place is within what moves.", textsafe.Quote(block.UID))
	}
	if err := moveTo(ctx, c, block.UID, at); err != nil {
		return surface.Reply{}, err
	}
	return surface.Reply{JSON: rawjson.With(paramBlock, block.UID).With("success", true).
		With(fieldParent, at.parent.UID).With("order", at.shown(block.UID)).JSON()}, nil
}

// movement reads the block that a call moves, and the place that it goes to.
func movement(ctx context.Context, c surface.Call) (block note.Node, to place, err error) {
	if block, err = readBlock(ctx, c); err != nil {
		return note.Node{}, place{}, err
	}
	if c.Args().Text(paramSibling) == block.UID {
		return note.Node{}, place{}, surface.Invalid(c.ToolName(), "%s is the block itself; it takes another one.", paramSibling)
	}
	to, err = placeOf(ctx, c, placing{"target_parent_uuid", "target_page_name"}, false)
	return block, to, err
}

// moveTo moves a block to a place. One that goes down among its siblings, but not to
// the end, is put there by an order of all: whether an index counts the block itself
// is not known of every Roam (LOCAL_API.md 9.4).
func moveTo(ctx context.Context, c surface.Call, uid string, at place) error {
	from := slices.IndexFunc(at.parent.Children, func(n note.Node) bool { return n.UID == uid })
	switch {
	case from >= 0 && (at.index == from || at.index == from+1):
		return nil // it is there
	case from < 0 || at.index < from || at.end:
		_, err := c.Graph().MoveBlock(ctx, ops.BlockMove{UID: uid, ParentUID: at.parent.UID, Order: at.order()})
		return err
	}
	parent := at.parent
	parent.Children = slices.Insert(slices.Clone(parent.Children), at.index, parent.Children[from])
	parent.Children = slices.Delete(parent.Children, from, from+1)
	_, err := c.Graph().Rewrite(ctx, at.parent, parent.Visible().Outline(), nil)
	return err
}
