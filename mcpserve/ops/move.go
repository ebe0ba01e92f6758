package ops

import (
	"context"
	"encoding/json"

	"roam-mcp/mcpserve/internal/roammarkdown"
)

// BlockMove is the move of a block, with all below it, to another place.
type BlockMove struct {
	UID       string
	ParentUID string // a block or a page
	Order     Order
}

// Request implements Write.
func (m BlockMove) Request() (action string, args []any) {
	return "data.block.move", []any{map[string]any{
		"block":    map[string]any{"uid": m.UID},
		"location": map[string]any{"parent-uid": m.ParentUID, "order": m.Order},
	}}
}

// Footprint implements Write.
func (m BlockMove) Footprint() Footprint {
	return Footprint{Places: []string{m.UID, m.ParentUID}, Does: "move a block"}
}

// MoveBlock moves a block. It returns Roam's reply, nil where there is none.
func (g *Graph) MoveBlock(ctx context.Context, move BlockMove) (json.RawMessage, error) {
	return g.write(ctx, move)
}

func (m BlockMove) find(ctx context.Context, look looker, since int64) (Applied, string) {
	rows, err := look.rows(ctx, `[:find ?p ?t :in $ ?uid :where [?e :block/uid ?uid] [?c :block/children ?e] [?c :block/uid ?p] [(get-else $ ?e :edit/time 0) ?t]]`, m.UID)
	changed := false
	switch {
	case err != nil && !LacksAction(err):
		return Unknown, cantLook(err)
	case err == nil && len(rows) == 0:
		return m.findPage(ctx, look)
	case err == nil:
		changed = isSince(rows[0], 1, since)
		if rows[0][0] != m.ParentUID {
			if changed {
				return Unknown, "The block is not below the new parent, but was changed since the call."
			}
			return No, "The block is not below the new parent."
		}
	}
	blocks, err := look.tree(ctx, m.ParentUID, 1)
	if err != nil {
		return Unknown, cantLook(err)
	}
	return m.judgePlace(blocks, changed)
}

// findPage looks at what is below nothing: a page stays where it is.
func (m BlockMove) findPage(ctx context.Context, look looker) (Applied, string) {
	rows, err := look.rows(ctx, `[:find ?n :in $ ?uid :where [?e :block/uid ?uid] [?e :node/title ?n]]`, m.UID)
	switch {
	case err != nil:
		return Unknown, cantLook(err)
	case len(rows) > 0:
		return No, "It is a page, which can't be moved."
	}
	return Unknown, "The block was not found."
}

// judgePlace decides from the block's place below its new parent; changed says
// that it is there and was changed since the call.
func (m BlockMove) judgePlace(blocks []roammarkdown.Block, changed bool) (Applied, string) {
	children := roammarkdown.Children(blocks)
	for i, child := range children {
		if child.UID != m.UID {
			continue
		}
		switch atPlace := m.Order.is(i, len(children)); {
		case atPlace && changed:
			return Yes, "The block is at the place it was to move to."
		case atPlace:
			return Unknown, "The block is at the place it was to move to, but may have been there before."
		}
		return Unknown, "The block is below the new parent, but at another place."
	}
	switch {
	case len(blocks) == 0:
		return Unknown, "The new parent was not found."
	case changed: // hidden from reads
		return Unknown, "The block is below the new parent, but its place can't be read."
	}
	return No, "The block is not below the new parent."
}
