package outline

import (
	"cmp"
	"maps"
	"slices"

	"roam-mcp/internal/graph/graphdb"
)

// siblings are the children of a page or block during a transaction. A Writer reads
// them once, and numbers them once at the end, so that a batch of writes to a wide
// page costs what it changes.
type siblings struct {
	list  []graphdb.EID
	stale int // the first index whose :block/order may differ from it; len(list): none
}

// siblings returns the children of a page or block, for the Writer to change.
func (w *Writer) siblings(parent graphdb.EID) *siblings {
	if s := w.families[parent]; s != nil {
		return s
	}
	list, dense := inOrder(w.tx, parent)
	s := &siblings{list: list}
	if dense {
		s.stale = len(list)
	}
	if w.families == nil {
		w.families = map[graphdb.EID]*siblings{}
		w.tx.BeforeCommit(w.numberAll)
	}
	w.families[parent] = s
	return s
}

// insert puts blocks among an entity's children. Those behind them get their orders
// when the transaction ends.
func (w *Writer) insert(parent graphdb.EID, at Order, blocks []graphdb.EID) error {
	s := w.siblings(parent)
	i := len(s.list)
	if at >= 0 && int(at) < i {
		i = int(at)
	}
	for _, b := range blocks {
		if err := w.tx.Set(parent, graphdb.BlockChildren, graphdb.RefValue(b)); err != nil {
			return err
		}
	}
	w.noteAttribute(parent)
	last := i == len(s.list)
	s.list, s.stale = slices.Insert(s.list, i, blocks...), min(s.stale, i)
	if last && s.stale == i {
		return w.number(s)
	}
	return nil
}

// detach takes a block from its parent. The gap is closed when the transaction ends.
func (w *Writer) detach(e graphdb.EID) error {
	parent := Parent(w.tx, e)
	if parent == 0 {
		return nil
	}
	w.noteAttribute(parent)
	w.noteAttribute(e)
	s := w.siblings(parent)
	if i := slices.Index(s.list, e); i >= 0 {
		s.list, s.stale = slices.Delete(s.list, i, i+1), min(s.stale, i)
	}
	return w.tx.Retract(parent, graphdb.BlockChildren, graphdb.RefValue(e))
}

// adopt makes blocks the children of one that has none yet.
func (w *Writer) adopt(parent graphdb.EID, blocks []graphdb.EID) error {
	for i, b := range blocks {
		if err := w.tx.Set(parent, graphdb.BlockChildren, graphdb.RefValue(b)); err != nil {
			return err
		}
		if err := w.tx.Set(b, graphdb.BlockOrder, graphdb.IntValue(int64(i))); err != nil {
			return err
		}
	}
	return nil
}

// number gives siblings the orders 0, 1, 2, …
func (w *Writer) number(s *siblings) error {
	for ; s.stale < len(s.list); s.stale++ {
		if err := w.tx.Set(s.list[s.stale], graphdb.BlockOrder, graphdb.IntValue(int64(s.stale))); err != nil {
			return err
		}
	}
	return nil
}

// numberAll numbers all siblings that are known, and forgets them.
func (w *Writer) numberAll() error {
	for _, parent := range slices.Sorted(maps.Keys(w.families)) { // for a deterministic order of datoms
		s := w.families[parent]
		if s.stale == len(s.list) {
			continue
		}
		s.list = slices.DeleteFunc(s.list, func(e graphdb.EID) bool { // what was removed with its page
			return !w.tx.HasDatom(parent, graphdb.BlockChildren, graphdb.RefValue(e))
		})
		s.stale = min(s.stale, len(s.list))
		if err := w.number(s); err != nil {
			return err
		}
	}
	clear(w.families)
	return nil
}

// Children are the direct children in their order.
func Children(r graphdb.Reader, e graphdb.EID) []graphdb.EID {
	kids, _ := inOrder(r, e)
	return kids
}

// inOrder returns the direct children in their order, and whether that is 0, 1, 2, …
// without gaps. A dump may hold others.
func inOrder(r graphdb.Reader, e graphdb.EID) (kids []graphdb.EID, dense bool) {
	kids = r.Refs(e, graphdb.BlockChildren)
	order := r.Attribute(graphdb.BlockOrder)
	placed := make([]graphdb.EID, len(kids), len(kids)+1) // a write most often adds one
	for _, k := range kids {
		v, ok := order.Get(k)
		n := v.Int()
		if !ok || n < 0 || n >= int64(len(placed)) || placed[n] != 0 {
			return sorted(order, kids), false
		}
		placed[n] = k
	}
	return placed, true
}

func sorted(order graphdb.Attribute, kids []graphdb.EID) []graphdb.EID {
	slices.SortFunc(kids, func(a, b graphdb.EID) int {
		m, _ := order.Get(a)
		n, _ := order.Get(b)
		return cmp.Or(cmp.Compare(m.Int(), n.Int()), cmp.Compare(a, b))
	})
	return kids
}
