package undo

import (
	"context"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/ops"
)

// renewals holds the new uids of blocks that came back, if Roam does not give a block the uid
// again that it had (docs/dev/LOCAL_API.md 9.4). The first block that comes back shows it.
type renewals struct {
	reuseKnown  bool         // it is known whether Roam gives uids again
	neverReuses bool         // it does not
	uids        fact.Renames // the present uid by the one that a block had
}

// applied returns a change with the uids that its blocks have by now.
func (r *renewals) applied(c change) change {
	if len(r.uids) == 0 {
		return c
	}
	c.Before, c.After = r.uids.State(c.Before), r.uids.State(c.After)
	c.Touches = slices.Clone(c.Touches)
	for i := range c.Touches {
		c.Touches[i].UID = r.uids.UID(c.Touches[i].UID)
	}
	return c
}

// createOne creates a block with the uid that it had, or with a new one if Roam gives none
// again.
func (w *walk) createOne(ctx context.Context, b ops.NewBlock) (err error) {
	r, had := &w.undo.renewed, b.UID
	if r.neverReuses {
		if b.UID, err = w.undo.Graph.NewUID(); err != nil {
			return err
		}
	}
	_, err = w.send(ctx, b, 1)
	if err != nil && !r.reuseKnown && ops.MayRefuseUID(err) {
		refused := err
		if b.UID, err = w.undo.Graph.NewUID(); err != nil {
			return err
		}
		if _, err = w.send(ctx, b, 1); err != nil {
			return refused
		}
		r.neverReuses = true
	}
	if err != nil {
		return err
	}
	if r.reuseKnown = true; b.UID != had {
		w.renew(had, b.UID)
	}
	return nil
}

// renew notes that a block has come back with another uid than it had, in all that is known and
// still to be done.
func (w *walk) renew(had, uid string) {
	r := &w.undo.renewed
	for first, is := range r.uids {
		if is == had {
			r.uids[first] = uid
		}
	}
	r.uids[had] = uid
	one := fact.Renames{had: uid}
	things := make(map[string]fact.Fact, len(w.state.Things))
	for each, f := range w.state.Things { // what mentions the block still has the uid that it had
		things[one.UID(each)] = one.Place(f)
	}
	w.state.Things = things
	for i, each := range w.steps.Blocks {
		w.steps.Blocks[i] = one.Fact(each)
	}
	for i, each := range w.steps.Looks {
		w.steps.Looks[i].Want = one.Fact(each.Want)
	}
	for i, p := range w.steps.Places {
		w.steps.Places[i] = Place{UID: one.UID(p.UID), Parent: one.UID(p.Parent), Left: one.UID(p.Left), Right: one.UID(p.Right), Order: p.Order}
	}
	orders := make(map[string][]string, len(w.steps.Orders))
	for parent, order := range w.steps.Orders {
		orders[one.UID(parent)] = one.List(order)
	}
	w.steps.Orders = orders
}

// amend has the blocks that came back get what their creation did not give them: looks that this
// Roam leaves out, and the uids that others have got since which their texts mention.
func (w *walk) amend(ctx context.Context) error {
	var looking []string
	for _, want := range w.steps.Blocks {
		if !w.gone[want.UID] && len(lookOf(want, fact.Fact{UID: want.UID}).Fields) > 0 {
			looking = append(looking, want.UID)
		}
	}
	read, err := fact.Things(ctx, w.undo.Ask, looking)
	if err != nil {
		return err
	}
	for _, want := range w.steps.Blocks {
		look := Look{Want: want}
		if is, known := read.Things[want.UID]; known && !is.Gone {
			look = lookOf(want, is)
		}
		if is, known := w.state.Things[want.UID]; known && !is.Gone && is.Text != want.Text && !w.gone[want.UID] {
			look.Fields = append(look.Fields, fact.Text)
		}
		if len(look.Fields) > 0 {
			w.steps.Looks = append(w.steps.Looks, look)
			w.amended = append(w.amended, want.UID)
		}
	}
	return nil
}

// lookOf returns the looks of a block that it does not have.
func lookOf(want, is fact.Fact) Look {
	look := Look{Want: want}
	for _, field := range want.Differs(is) {
		if field.IsLook() {
			look.Fields = append(look.Fields, field)
		}
	}
	return look
}

// bare says which of the blocks that came back still lack looks that they had.
func (w *walk) bare() (said []string) {
	for _, look := range w.steps.Looks {
		if !slices.Contains(w.amended, look.Want.UID) {
			continue
		}
		for _, field := range lookOf(look.Want, w.state.Things[look.Want.UID]).Fields {
			said = append(said, fmt.Sprintf("((%s)) is back without its %s", look.Want.UID, field))
		}
	}
	return said
}
