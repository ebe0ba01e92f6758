package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// Rewritten is the result of a Rewrite.
type Rewritten struct {
	Updated, Inserted, Moved, Deleted int // numbers of blocks
	// Referred are visible blocks that referred to some that were deleted, or to what was
	// below them, MaxReferring at most. Roam has put the text there in place of the reference.
	Referred []Referring
}

// Rewrite makes what is below a page or block equal to want, and keeps the uids of the
// blocks that stay. fresh is a read of it right before. Hidden blocks stay where they
// are, and so do the direct children that keep is true of; want has neither. keep may
// be nil. A hidden block below one that goes is moved to the place of that.
//
// What is new is there before anything goes. The first write that fails ends it; see
// Halfway. The same call, with another fresh read, does the rest.
func (g Rewrites) Rewrite(ctx context.Context, fresh note.Node, want []outline.Block, keep func(note.Node) bool) (Rewritten, error) {
	r := newRewriting(g.asGraph(), fresh, keep)
	r.plan = outline.Plan(fresh.Outline(), want, func(uid string) bool { return r.fixed[uid] })
	return r.run(ctx)
}

// rewriting is a Rewrite or a Restore that is under way.
type rewriting struct {
	graph    *Graph
	fresh    note.Node
	olds     map[string]*note.Node // by uid
	fixed    map[string]bool       // uids
	plan     outline.Ops
	made     map[string]string // uids by the placeholders of the plan
	result   Rewritten
	progress func(inserted int) // called with the number of blocks inserted so far; may be nil

	waiting      BlockCreations // blocks that are still to be made, before all that follows
	waitingBytes int            // of their texts
	reuseKnown   bool           // it is known whether Roam gives a uid again that a block had which has gone
	neverReuses  bool           // Roam gives no uid again

	expected *expected // what is there by now, as far as this call knows
}

// inserted counts blocks that were added.
func (r *rewriting) inserted(n int) {
	r.result.Inserted += n
	if r.progress != nil {
		r.progress(r.result.Inserted)
	}
}

func newRewriting(g *Graph, fresh note.Node, keep func(note.Node) bool) *rewriting {
	r := &rewriting{graph: g, fresh: fresh, olds: map[string]*note.Node{}, fixed: map[string]bool{}, made: map[string]string{"": fresh.UID}}
	r.index(&r.fresh)
	for _, child := range fresh.Children {
		if keep != nil && !child.Hidden && keep(child) {
			r.fixed[child.UID] = true
		}
	}
	return r
}

// index records the blocks below a node in olds, and the hidden ones in fixed.
func (r *rewriting) index(n *note.Node) {
	for i := range n.Children {
		child := &n.Children[i]
		r.olds[child.UID] = child
		if child.Hidden {
			r.fixed[child.UID] = true
		}
		r.index(child)
	}
}

// run does what the plan says, in the order for which reconcile.Ops counts its indices. What
// stays is changed first, so that the places of new blocks are as planned. Blocks are made
// before others move below them. What goes is deleted last: what was to be kept of it has
// been moved away by then, and what fails before has lost nothing.
func (r *rewriting) run(ctx context.Context) (Rewritten, error) {
	if r.plan.IsEmpty() {
		return r.result, nil
	}
	if err := r.graph.allow(ctx, r.footprint()); err != nil {
		return r.result, err
	}
	r.expected = newExpected(r.fresh, r.graph.read.or(r.graph.operations.options.Now()))
	r.graph = r.graph.forParts().AllowPartial()
	for _, step := range []func(*rewriting, context.Context) error{(*rewriting).update, (*rewriting).order, (*rewriting).insert, (*rewriting).move, (*rewriting).remove} {
		if err := step(r, ctx); err != nil {
			return r.result, err
		}
	}
	return r.result, nil
}

// uid returns the uid of what a plan names.
func (r *rewriting) uid(named string) string {
	if uid, ok := r.made[named]; ok {
		return uid
	}
	return named
}

// update changes texts, headings and looks.
func (r *rewriting) update(ctx context.Context) error {
	for some := range slices.Chunk(r.plan.Updates, MaxBatch) {
		updates := make(BlockUpdates, len(some))
		if err := r.sameText(ctx, updatedUIDs(some)...); err != nil {
			return err
		}
		for i, each := range some {
			updates[i] = updateOf(each)
		}
		err := r.batch(ctx, updates, nil, func(ctx context.Context, at int) (rawjson.Object, error) {
			result, err := r.graph.write(ctx, updates[at])
			return rawjson.Parse(result), err
		})
		if err != nil {
			return err
		}
		r.result.Updated += len(updates)
		for _, each := range some {
			if each.Text != nil {
				r.expected.texts[each.UID] = *each.Text
			}
		}
	}
	return nil
}

func updatedUIDs(updates []outline.Update) []string {
	uids := make([]string, len(updates))
	for i, each := range updates {
		uids[i] = each.UID
	}
	return uids
}

// batch sends a batch, and is an error if one of its parts was not done.
func (r *rewriting) batch(ctx context.Context, b batch, before *fact.State, one func(context.Context, int) (rawjson.Object, error)) error {
	parts, err := r.graph.runBatch(ctx, b, before, one)
	if err != nil {
		return err
	}
	var failed, gone []rawjson.Object
	for _, part := range parts {
		switch _, deletes := b.(Removals); {
		case isOK(part):
		case deletes && isGone(part):
			gone = append(gone, part)
		default:
			failed = append(failed, part)
		}
	}
	there, err := r.stillThere(ctx, gone)
	if err != nil {
		return err
	}
	if failed = append(failed, there...); len(failed) > 0 {
		return partsFailed(b, failed)
	}
	return nil
}

// stillThere returns those parts whose blocks are there, although Roam said that they are
// not when it was to delete them.
func (r *rewriting) stillThere(ctx context.Context, gone []rawjson.Object) ([]rawjson.Object, error) {
	if len(gone) == 0 {
		return nil, nil
	}
	uids := make([]string, len(gone))
	for i, part := range gone {
		uids[i], _ = part.Text("uid")
	}
	there, err := r.graph.existing(ctx, uids)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(gone, func(part rawjson.Object) bool {
		uid, _ := part.Text("uid")
		return !there[uid]
	}), nil
}

// isGone reports whether Roam did not delete a block because it found none.
func isGone(part rawjson.Object) bool {
	reason, _ := part.Text("reason")
	return reason == "not-found"
}

// partsFailed is the error of a batch of which some parts were not done: that of the
// first, with all of them.
func partsFailed(b batch, failed []rawjson.Object) *problem.Error {
	first := BatchReport{Failed: len(failed), Parts: failed}
	code, _ := failed[0].Text("code")
	message, _ := failed[0].Text("message")
	action, _ := b.Request()
	return notRetryable(problem.Error{
		Code: problem.Code(cmp.Or(code, string(localapi.CodeInternal))), Call: &problem.Call{Action: action, Sent: true},
		Message: fmt.Sprintf("Roam did not do %d of %d blocks. %s", len(failed), len(b.uids()), textsafe.Redact(textsafe.Line(message, 300))),
		Details: []problem.Detail{{Name: DetailFailed, Value: len(failed)}, {Name: DetailResults, Value: first.List()}},
	})
}

// order puts children in order that stay below their parent.
func (r *rewriting) order(ctx context.Context) error {
	for _, each := range r.plan.Orders {
		if each.Moves != nil {
			if err := r.moveAll(ctx, each.Moves); err != nil {
				return err
			}
			continue
		}
		if err := r.samePlaces(ctx, r.uid(each.Parent)); err != nil {
			return err
		}
		_, err := r.graph.write(ctx, Reordering{ParentUID: r.uid(each.Parent), UIDs: each.After, Before: each.Before})
		if err != nil {
			return err
		}
		r.result.Moved += len(each.Moved)
		r.expected.kids[r.uid(each.Parent)] = each.After
	}
	return nil
}

// move puts blocks below other parents.
func (r *rewriting) move(ctx context.Context) error { return r.moveAll(ctx, r.plan.Moves) }

func (r *rewriting) moveAll(ctx context.Context, moves []outline.Move) error {
	for _, each := range moves {
		move := r.moveOf(each)
		if err := r.samePlaces(ctx, move.ParentUID); err != nil {
			return err
		}
		if _, err := r.graph.MoveBlock(ctx, move); err != nil {
			return err
		}
		r.result.Moved++
		r.expected.take(each.UID)
		r.expected.put(move.ParentUID, each.Index, each.UID)
	}
	return nil
}

// remove deletes blocks. One that has gone already is as it should be.
func (r *rewriting) remove(ctx context.Context) error {
	if len(r.plan.Deletes) == 0 {
		return nil
	}
	gone := r.going()
	before := r.readImpact(ctx, gone)
	for some := range slices.Chunk(r.plan.Deletes, MaxBatch) {
		if err := r.mayGo(ctx, some); err != nil {
			return err
		}
		removals := make(Removals, len(some))
		for i, uid := range some {
			removals[i] = Removal{Thing: Block, UID: uid, WasThere: true}
		}
		err := r.batch(ctx, removals, before, func(ctx context.Context, at int) (rawjson.Object, error) {
			return r.graph.remove(ctx, removals[at], nil)
		})
		if err != nil {
			return err
		}
	}
	r.result.Deleted = len(gone)
	r.graph.done.removed(len(gone))
	return nil
}

// readImpact records what refers to the blocks to delete, and returns the facts of all that
// the deletion changes. It returns nil if they can't be read, or if several writes delete the
// blocks, since the first of them may change what the next one finds.
func (r *rewriting) readImpact(ctx context.Context, gone []string) *fact.State {
	read, err := r.graph.readImpact(ctx, r.plan.Deletes)
	if err != nil {
		r.result.Referred = r.graph.referringTo(ctx, gone, gone)
		return nil
	}
	all := map[string]bool{}
	for _, uid := range gone {
		all[uid] = true
	}
	r.result.Referred = read.referring(all)
	if len(r.plan.Deletes) > MaxBatch {
		return nil
	}
	return &read.State
}

// going returns the uids of the blocks that go, with those below them.
func (r *rewriting) going() []string {
	stay := map[string]bool{}
	for _, each := range r.plan.Moves {
		stay[each.UID] = true
	}
	var gone []string
	var add func(n *note.Node)
	add = func(n *note.Node) {
		if stay[n.UID] {
			return
		}
		gone = append(gone, n.UID)
		for i := range n.Children {
			add(&n.Children[i])
		}
	}
	for _, uid := range r.plan.Deletes {
		add(r.olds[uid])
	}
	return gone
}
