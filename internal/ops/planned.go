package ops

import "roam-mcp/internal/graph/outline"

// footprint returns all that will be changed, for the guards.
func (r *rewriting) footprint() Footprint {
	reach := Footprint{Places: []string{r.fresh.UID}, Removed: r.plan.Deletes}
	for _, each := range r.plan.Updates {
		reach.Places = append(reach.Places, each.UID)
		if each.Text != nil {
			reach.Stored = append(reach.Stored, *each.Text)
		}
	}
	for _, each := range r.plan.Orders {
		reach.Places = append(reach.Places, r.uid(each.Parent))
	}
	for _, each := range r.plan.Inserts {
		reach.Places = append(reach.Places, r.uid(each.Parent))
		reach.Stored = append(reach.Stored, blockTexts(each.Blocks)...)
	}
	for _, each := range r.plan.Moves {
		reach.Places = append(reach.Places, each.UID, r.uid(each.Parent))
		reach.Moved = append(reach.Moved, each.UID)
	}
	reach.Places = append(reach.Places, r.plan.Deletes...)
	return reach
}

func (r *rewriting) moveOf(m outline.Move) BlockMove {
	move := BlockMove{UID: m.UID, ParentUID: r.uid(m.Parent)}
	if !m.Last {
		move.Order.Index = &m.Index
	}
	return move
}

func updateOf(u outline.Update) BlockUpdate {
	return BlockUpdate{UID: u.UID, String: u.Text, Heading: u.Heading, ViewType: u.View, TextAlign: u.Align, Open: u.Open}
}
