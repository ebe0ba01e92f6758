package mirror

import (
	"context"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// apply takes in pages that were read as trees, and blocks of which it is read where
// they are.
func (c *changes) apply(ctx context.Context, roots []entity) error {
	trees := make([]*entity, 0, len(roots))
	for i := range roots {
		if roots[i].title != "" && roots[i].uid != "" {
			trees = append(trees, &roots[i])
		}
	}
	if c.level == Texts {
		if err := c.write(ctx, trees); err != nil {
			return err
		}
	}
	for _, x := range trees {
		c.page(x)
	}
	for _, x := range trees {
		delete(c.wanted, x.e)
	}
	return nil
}

// write writes trees into the snapshot.
func (c *changes) write(ctx context.Context, trees []*entity) error {
	return c.transact(ctx, func(tx *graphdb.Tx) error {
		w := &writer{changes: c, tx: tx, before: map[graphdb.EID]place{}, now: map[graphdb.EID]bool{}}
		for _, x := range trees {
			w.remember(x.e, x.e)
		}
		for _, x := range trees {
			if err := w.clear(x); err != nil {
				return err
			}
		}
		for _, x := range trees {
			if err := w.tree(x, x.e); err != nil {
				return err
			}
		}
		return w.compare()
	})
}

// writer writes trees in one transaction.
type writer struct {
	*changes
	tx     *graphdb.Tx
	before map[graphdb.EID]place // the blocks that were on the pages
	now    map[graphdb.EID]bool  // the blocks that are
}

// remember notes where the blocks below an entity were.
func (w *writer) remember(e, page graphdb.EID) {
	for _, k := range w.tx.Refs(e, graphdb.BlockChildren) {
		if _, twice := w.before[k]; twice {
			continue
		}
		at := place{page: page}
		if w.derived != nil && w.tx.ReverseCount(graphdb.BlockRefs, k) > 0 {
			at.hidden = outline.Hidden(w.tx, k)
		}
		w.before[k] = at
		w.remember(k, page)
	}
}

// clear takes uids and titles away from entities that have them no more.
func (w *writer) clear(x *entity) error {
	known := w.tx.String(x.e, graphdb.BlockUID)
	other, taken := w.tx.Lookup(graphdb.BlockUID, graphdb.StringValue(x.uid))
	if known != "" && known != x.uid || taken && other != x.e {
		w.clashes++
	}
	if taken && other != x.e {
		if err := w.tx.RetractEntity(other); err != nil {
			return err
		}
	}
	if x.title != "" {
		if other, taken := w.tx.Lookup(graphdb.NodeTitle, graphdb.StringValue(x.title)); taken && other != x.e {
			if err := w.tx.RetractAttr(other, graphdb.NodeTitle); err != nil {
				return err
			}
			w.wanted[other] = true
		}
	}
	for i := range x.children {
		if err := w.clear(&x.children[i]); err != nil {
			return err
		}
	}
	return nil
}

// tree writes an entity and what is below it.
func (w *writer) tree(x *entity, page graphdb.EID) error {
	if err := w.entity(x, page); err != nil {
		return err
	}
	children := make(map[graphdb.EID]bool, len(x.children))
	for i := range x.children {
		k := &x.children[i]
		children[k.e] = true
		w.now[k.e] = true
		delete(w.lost, k.e)
		for _, above := range w.tx.Reverse(graphdb.BlockChildren, k.e) {
			if above != x.e {
				if err := w.tx.Retract(above, graphdb.BlockChildren, graphdb.RefValue(k.e)); err != nil {
					return err
				}
			}
		}
		if err := w.tree(k, page); err != nil {
			return err
		}
	}
	return w.refs(x.e, graphdb.BlockChildren, children)
}

// refs makes a set of references what it should be.
func (w *writer) refs(e graphdb.EID, a graphdb.Attr, to map[graphdb.EID]bool) error {
	for _, old := range w.tx.Refs(e, a) {
		if !to[old] {
			if err := w.tx.Retract(e, a, graphdb.RefValue(old)); err != nil {
				return err
			}
		}
	}
	for r := range to {
		if err := w.tx.Set(e, a, graphdb.RefValue(r)); err != nil {
			return err
		}
	}
	return nil
}

// entity writes what an entity has of its own.
func (w *writer) entity(x *entity, page graphdb.EID) error {
	fresh := !w.tx.Has(x.e, graphdb.BlockUID)
	if fresh {
		w.bytes += int64(len(x.uid) + len(x.title) + len(x.text))
	}
	for _, user := range []graphdb.EID{x.creator, x.editor} {
		if _, known := w.users[user]; !known && user != 0 {
			w.users[user] = false
		}
	}
	for _, datom := range x.datoms(page) {
		switch {
		case datom.V.Kind() != graphdb.KindNone:
			if err := w.tx.Set(x.e, datom.A, datom.V); err != nil {
				return err
			}
		case !fresh:
			if err := w.tx.RetractAttr(x.e, datom.A); err != nil {
				return err
			}
		}
	}
	refs := make(map[graphdb.EID]bool, len(x.refs))
	for _, to := range x.refs {
		refs[to.e] = true
		if w.complete && !w.known(to) {
			w.odd[to.e] = true
		}
	}
	return w.refs(x.e, graphdb.BlockRefs, refs)
}

// known reports whether an entity is known that is referred to.
func (w *writer) known(to ref) bool {
	return w.tx.Has(to.e, graphdb.BlockUID) || w.pages[to.page] != nil
}

// datoms returns the attributes of an entity that hold one value; KindNone where it has
// none.
func (x *entity) datoms(page graphdb.EID) []graphdb.Datom {
	text := func(s string) graphdb.Value {
		if s == "" {
			return graphdb.Value{}
		}
		return graphdb.StringValue(s)
	}
	number := func(n int64, has bool) graphdb.Value {
		if !has {
			return graphdb.Value{}
		}
		return graphdb.IntValue(n)
	}
	entity := func(e graphdb.EID) graphdb.Value {
		if e == 0 {
			return graphdb.Value{}
		}
		return graphdb.RefValue(e)
	}
	view, open, string := graphdb.Value{}, graphdb.Value{}, graphdb.Value{}
	if x.view != "" {
		view = graphdb.KeywordValue(graphdb.Keyword(":" + x.view))
	}
	if x.hasOpen {
		open = graphdb.BoolValue(x.open)
	}
	if x.isBlock {
		string = graphdb.StringValue(x.text)
	}
	if x.title != "" {
		page = 0
	}
	return []graphdb.Datom{
		{A: graphdb.BlockUID, V: text(x.uid)}, {A: graphdb.NodeTitle, V: text(x.title)}, {A: graphdb.BlockString, V: string},
		{A: graphdb.BlockPage, V: entity(page)}, {A: graphdb.BlockOrder, V: number(x.order, x.title == "")},
		{A: graphdb.BlockHeading, V: number(x.heading, x.heading != 0)}, {A: graphdb.BlockTextAlign, V: text(x.align)},
		{A: graphdb.BlockOpen, V: open}, {A: graphdb.ChildrenViewType, V: view},
		{A: graphdb.CreateTime, V: number(x.created, x.created != 0)}, {A: graphdb.EditTime, V: number(x.edited, x.edited != 0)},
		{A: graphdb.PageEditTime, V: number(x.pageEdited, x.pageEdited != 0)},
		{A: graphdb.CreateUser, V: entity(x.creator)}, {A: graphdb.EditUser, V: entity(x.editor)},
		{A: graphdb.PageSidebar, V: number(x.shortcut, x.shortcut >= 0)}, {A: graphdb.LogID, V: number(x.day, x.day >= 0)},
	}
}

// compare finds the blocks that are no longer on their pages, and whether one that is
// referred to has moved.
func (w *writer) compare() error {
	for e, was := range w.before {
		switch {
		case !w.now[e]:
			if on := w.tx.Ref(e, graphdb.BlockPage); on == was.page {
				w.lost[e] = true
			}
		case w.derived != nil && w.tx.ReverseCount(graphdb.BlockRefs, e) > 0:
			if w.tx.Ref(e, graphdb.BlockPage) != was.page || outline.Hidden(w.tx, e) != was.hidden {
				w.facts = true
			}
		}
	}
	for e := range w.now {
		if _, known := w.before[e]; !known && w.tx.ReverseCount(graphdb.BlockRefs, e) > 0 {
			w.facts = true
		}
	}
	return nil
}

// remove removes blocks, or a page with all that is below it.
func (c *changes) remove(ctx context.Context, gone []graphdb.EID) error {
	if len(gone) == 0 {
		return nil
	}
	if c.level == Links {
		for _, e := range gone {
			delete(c.where, e)
			delete(c.lost, e)
		}
		c.facts = true
		return nil
	}
	return c.transact(ctx, func(tx *graphdb.Tx) error {
		for i := 0; i < len(gone); i++ {
			e := gone[i]
			delete(c.lost, e)
			gone = append(gone, tx.Refs(e, graphdb.BlockChildren)...)
			c.facts = c.facts || tx.ReverseCount(graphdb.BlockRefs, e) > 0
			if err := tx.RetractEntity(e); err != nil {
				return err
			}
		}
		return nil
	})
}
