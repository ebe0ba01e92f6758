package outline

import (
	"cmp"
	"slices"

	"roam-mcp/graphdb"
)

// Shortcuts are the pages in the left sidebar, in their order.
func Shortcuts(r graphdb.Reader) []graphdb.EID {
	type shortcut struct {
		page  graphdb.EID
		place int64
	}
	var list []shortcut
	for page, place := range r.Entities(graphdb.PageSidebar) {
		list = append(list, shortcut{page, place.Int()})
	}
	slices.SortFunc(list, func(a, b shortcut) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.page, b.page))
	})
	pages := make([]graphdb.EID, 0, len(list))
	for _, s := range list {
		pages = append(pages, s.page)
	}
	return pages
}

// AddShortcut puts a page among the shortcuts, or moves it there, at a place
// from 0; beyond the end, or Last, is the end (LOCAL_API.md 2.4).
func (w *Writer) AddShortcut(uid string, at Order) error {
	page, err := w.page(uid)
	if err != nil {
		return err
	}
	rest := except(Shortcuts(w.tx), []graphdb.EID{page})
	i := len(rest)
	if at >= 0 && int(at) < i {
		i = int(at)
	}
	return w.placeShortcuts(slices.Insert(rest, i, page))
}

// RemoveShortcut takes a page from the shortcuts; the page stays. That it is
// none is no error.
func (w *Writer) RemoveShortcut(uid string) error {
	page, err := w.page(uid)
	if err != nil {
		return err
	}
	if !w.tx.Has(page, graphdb.PageSidebar) {
		return nil
	}
	if err := w.tx.RetractAttr(page, graphdb.PageSidebar); err != nil {
		return err
	}
	return w.placeShortcuts(Shortcuts(w.tx))
}

func (w *Writer) placeShortcuts(pages []graphdb.EID) error {
	for i, page := range pages {
		if err := w.tx.Set(page, graphdb.PageSidebar, graphdb.IntValue(int64(i))); err != nil {
			return err
		}
	}
	return nil
}
