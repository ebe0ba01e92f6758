package outline

import (
	"fmt"
	"slices"
)

// applied is a block while a plan is applied.
type applied struct {
	Block
	parent *applied
	kids   []*applied
}

// apply does what a plan says, and returns the outline that it makes. Its error says
// which step can't be done.
func apply(old []Block, ops Ops) ([]Block, error) {
	top := &applied{}
	all := map[string]*applied{"": top}
	if err := adopt(all, top, 0, old); err != nil {
		return nil, err
	}
	for _, op := range ops.Updates {
		if err := op.apply(all); err != nil {
			return nil, err
		}
	}
	for _, op := range ops.Orders {
		if err := op.apply(all); err != nil {
			return nil, err
		}
	}
	for _, op := range ops.Inserts {
		parent := all[op.Parent]
		if parent == nil || op.Index < 0 || op.Index > len(parent.kids) {
			return nil, fmt.Errorf("insert below %q at %d: there is no such place", op.Parent, op.Index)
		}
		if err := adopt(all, parent, op.Index, op.Blocks); err != nil {
			return nil, err
		}
	}
	for _, op := range ops.Moves {
		if err := op.apply(all); err != nil {
			return nil, err
		}
	}
	for _, uid := range ops.Deletes {
		b := all[uid]
		if b == nil || b.parent == nil || !attached(b, top) {
			return nil, fmt.Errorf("delete %q: it is not there", uid)
		}
		b.leave()
	}
	return top.outline(), nil
}

func adopt(all map[string]*applied, parent *applied, at int, blocks []Block) error {
	for i, b := range blocks {
		made := &applied{Block: b, parent: parent}
		made.Children = nil
		if b.UID != "" {
			if all[b.UID] != nil {
				return fmt.Errorf("the uid %q is there twice", b.UID)
			}
			all[b.UID] = made
		}
		parent.kids = slices.Insert(parent.kids, at+i, made)
		if err := adopt(all, made, 0, b.Children); err != nil {
			return err
		}
	}
	return nil
}

func (op Update) apply(all map[string]*applied) error {
	b := all[op.UID]
	if b == nil || b.parent == nil {
		return fmt.Errorf("update %q: it is not there", op.UID)
	}
	if op.Text != nil {
		b.String = *op.Text
	}
	if op.Heading != nil {
		b.Heading = *op.Heading
	}
	if op.View != nil {
		b.ChildrenViewType = *op.View
	}
	if op.Align != nil {
		b.TextAlign = *op.Align
	}
	if op.Open != nil {
		b.Collapsed = !*op.Open
	}
	return nil
}

func (op Reordering) apply(all map[string]*applied) error {
	parent := all[op.Parent]
	if parent == nil || !slices.Equal(parent.uids(), op.Before) {
		return fmt.Errorf("order the children of %q: they are not as they were", op.Parent)
	}
	for _, move := range op.Moves {
		if err := move.apply(all); err != nil {
			return err
		}
	}
	if op.Moves != nil && !slices.Equal(parent.uids(), op.After) {
		return fmt.Errorf("order the children of %q: moves make another order", op.Parent)
	}
	for i, uid := range op.After {
		if parent.kids[i] = all[uid]; all[uid] == nil || all[uid].parent != parent {
			return fmt.Errorf("order the children of %q: %q is none of them", op.Parent, uid)
		}
	}
	return nil
}

func (op Move) apply(all map[string]*applied) error {
	b, parent := all[op.UID], all[op.Parent]
	if b == nil || b.parent == nil || parent == nil || attached(parent, b) {
		return fmt.Errorf("move %q below %q: one is not there, or the other is below it", op.UID, op.Parent)
	}
	b.leave()
	if op.Index < 0 || op.Index > len(parent.kids) || op.Last != (op.Index == len(parent.kids)) {
		return fmt.Errorf("move %q below %q to %d: there is no such place", op.UID, op.Parent, op.Index)
	}
	b.parent = parent
	parent.kids = slices.Insert(parent.kids, op.Index, b)
	return nil
}

// attached reports whether a block is another one, or below it.
func attached(b, above *applied) bool {
	for ; b != nil; b = b.parent {
		if b == above {
			return true
		}
	}
	return false
}

func (b *applied) leave() {
	at := slices.Index(b.parent.kids, b)
	b.parent.kids = slices.Delete(b.parent.kids, at, at+1)
	b.parent = nil
}

func (b *applied) uids() []string {
	uids := make([]string, len(b.kids))
	for i, kid := range b.kids {
		uids[i] = kid.UID
	}
	return uids
}

func (b *applied) outline() []Block {
	var list []Block
	for _, kid := range b.kids {
		kid.Children = kid.outline()
		list = append(list, kid.Block)
	}
	return list
}
