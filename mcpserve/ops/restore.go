package ops

import (
	"context"
	"slices"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/outline/reconcile"
)

// Restored says what a Restore has done.
type Restored struct {
	Rewritten
	// Elsewhere is the number of blocks that were made with a new uid, since the block
	// with theirs stands somewhere else by now.
	Elsewhere int
}

// Restore makes what is below a page or block equal to want, uids, folding and alignment
// included: a block that has gone is made again with the uid that it had. fresh is a read
// of the page or block right before. Hidden blocks stay where they are, as in Rewrite, and
// so do blocks that stand somewhere else by now.
func (g *Graph) Restore(ctx context.Context, fresh note.Node, want []outline.Block) (Restored, error) {
	r := newRewriting(g, fresh, nil)
	elsewhere, err := r.elsewhere(ctx, want)
	if err != nil {
		return Restored{}, err
	}
	r.plan = reconcile.PlanByUID(fresh.Outline(), withoutUIDs(want, elsewhere), func(uid string) bool { return r.fixed[uid] })
	told, err := r.run(ctx)
	return Restored{told, len(elsewhere)}, err
}

// elsewhere returns the uids of those blocks that are in the graph, and not below the page
// or block.
func (r *rewriting) elsewhere(ctx context.Context, blocks []outline.Block) (map[string]bool, error) {
	var unknown []string
	var walk func(blocks []outline.Block)
	walk = func(blocks []outline.Block) {
		for _, b := range blocks {
			if b.UID != "" && r.olds[b.UID] == nil {
				unknown = append(unknown, b.UID)
			}
			walk(b.Children)
		}
	}
	walk(blocks)
	if len(unknown) == 0 {
		return nil, nil
	}
	return r.graph.existing(ctx, unknown)
}

// withoutUIDs returns an outline in which the blocks with some uids have none.
func withoutUIDs(blocks []outline.Block, uids map[string]bool) []outline.Block {
	out := slices.Clone(blocks)
	for i := range out {
		if b := &out[i]; uids[b.UID] {
			b.UID = ""
		}
		out[i].Children = withoutUIDs(out[i].Children, uids)
	}
	return out
}
