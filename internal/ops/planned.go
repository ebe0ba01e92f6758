package ops

import (
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/outline/reconcile"
)

// footprint returns all that will be changed, for the guards.
func (r *rewriting) footprint() Footprint {
	reach := Footprint{Places: []string{r.fresh.UID}, Removed: r.plan.Deletes, Changes: r.changes}
	for _, each := range r.plan.Updates {
		reach.Places = append(reach.Places, each.UID)
		if each.Text != nil {
			reach.Texts = append(reach.Texts, each.UID)
		}
	}
	for _, each := range r.plan.Orders {
		reach.Places = append(reach.Places, r.uid(each.Parent))
	}
	for _, each := range r.plan.Inserts {
		reach.Places = append(reach.Places, r.uid(each.Parent))
		reach.Made = appendUIDs(reach.Made, each.Blocks)
	}
	for _, each := range r.plan.Moves {
		reach.Places = append(reach.Places, each.UID, r.uid(each.Parent))
		reach.Moved = append(reach.Moved, each.UID)
	}
	reach.Places = append(reach.Places, r.plan.Deletes...)
	return reach
}

// changes returns what a person is told of the plan.
func (r *rewriting) changes() (changes []Change) {
	for _, each := range r.plan.Updates {
		changes = append(changes, updateOf(each).told()...)
	}
	for _, each := range r.plan.Orders {
		changes = append(changes, Reordering{ParentUID: r.uid(each.Parent), UIDs: each.After}.told()...)
	}
	for _, each := range r.plan.Inserts {
		changes = append(changes, addition("add blocks "+Order{Index: &each.Index}.says(), r.uid(each.Parent), each.Blocks...))
	}
	for _, each := range r.plan.Moves {
		change := r.moveOf(each).told()[0]
		if reconcile.Placeholder(change.At) {
			change.At, change.Does = "", change.Does+", below one of the new blocks"
		}
		changes = append(changes, change)
	}
	for _, uid := range r.plan.Deletes {
		changes = append(changes, Removal{Thing: Block, UID: uid}.told()...)
	}
	return changes
}

func (r *rewriting) moveOf(m reconcile.Move) BlockMove {
	move := BlockMove{UID: m.UID, ParentUID: r.uid(m.Parent)}
	if !m.Last {
		move.Order.Index = &m.Index
	}
	return move
}

func updateOf(u reconcile.Update) BlockUpdate {
	return BlockUpdate{UID: u.UID, String: u.Text, Heading: u.Heading, ViewType: u.View, TextAlign: u.Align, Open: u.Open}
}

// appendUIDs appends the uids that blocks are to get, with those below them.
func appendUIDs(uids []string, blocks []outline.Block) []string {
	for _, b := range blocks {
		if b.UID != "" {
			uids = append(uids, b.UID)
		}
		uids = appendUIDs(uids, b.Children)
	}
	return uids
}
