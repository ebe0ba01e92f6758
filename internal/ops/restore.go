package ops

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
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
//
// tell is told how many of the blocks are back, as they come; nil: nobody is. An error says
// it, too. The same call, with another fresh read, does the rest.
func (g Rewrites) Restore(ctx context.Context, fresh note.Node, want []outline.Block, tell func(back, all int)) (Restored, error) {
	r, elsewhere, err := g.restoring(ctx, fresh, want)
	if err != nil {
		return Restored{}, err
	}
	r.plan = outline.PlanByUID(r.fresh.Outline(), withoutUIDs(want, elsewhere), func(uid string) bool { return r.fixed[uid] })
	all := number(want)
	there := all
	for _, each := range r.plan.Inserts {
		there -= number(each.Blocks)
	}
	if tell != nil {
		r.progress = func(inserted int) { tell(there+inserted, all) }
	}
	told, err := r.run(ctx)
	return Restored{told, len(elsewhere)}, g.halfBack(err, there+told.Inserted, all)
}

// halfBack returns the error of a Restore that has ended before all was written; err where
// it has written nothing.
func (g Rewrites) halfBack(err error, back, all int) error {
	g.done.mu.Lock()
	defer g.done.mu.Unlock()
	if err == nil || !g.done.some {
		return err
	}
	g.done.told = true
	failed := Explained(err)
	half := *failed
	least := ""
	if applied, told := failed.Detail(DetailApplied).(Applied); told && applied == Unknown {
		least = "At least "
	}
	half.Message = fmt.Sprintf("%s%s. What followed failed: %s", least, SayBack(back, all), failed.Message)
	half.Hint = problem.Say("The same call goes on where this one ended.")
	half.Retry = problem.RetryLater
	half.Details = slices.DeleteFunc(slices.Clone(failed.Details), func(d problem.Detail) bool { return d.Name == DetailApplied || d.Name == DetailEvidence })
	return &half
}

// SayBack says how far a Restore is: "412 of 5,000 blocks are back".
func SayBack(back, all int) string {
	return fmt.Sprintf("%s of %s blocks are back", humanize.Comma(int64(back)), humanize.Comma(int64(all)))
}

// readsOfRestore is how often a page is read at most until it holds still.
const readsOfRestore = 3

// restoring begins a Restore, and returns the uids of those blocks that stand somewhere else.
// Where some have come below the page or block since it was read, which a request does that
// was still on its way when its call was canceled, it is read again.
func (g Rewrites) restoring(ctx context.Context, fresh note.Node, want []outline.Block) (r *rewriting, elsewhere map[string]bool, err error) {
	for reads := 1; ; reads++ {
		r = newRewriting(g.asGraph(), fresh, nil)
		if elsewhere, err = r.elsewhere(ctx, want); err != nil || len(elsewhere) == 0 || reads == readsOfRestore {
			return r, elsewhere, err
		}
		late, err := g.rows(ctx, `[:find ?u :in $ [?u ...] ?top :where [?t :block/uid ?top] [?e :block/uid ?u] [?e :block/parents ?t]]`, slices.Sorted(maps.Keys(elsewhere)), fresh.UID)
		if err != nil || len(late) == 0 {
			return r, elsewhere, err
		}
		again, there, err := g.reads().ReadNote(ctx, fresh.UID)
		if err != nil || !there {
			return r, elsewhere, err
		}
		fresh = again
	}
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
