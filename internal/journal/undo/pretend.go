package undo

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"roam-mcp/internal/graph/fact"
)

// Where nothing is sent, each change is planned from what the graph would be once the steps planned
// before were done: from what Roam has, and over it the things, families of children and shortcuts
// that those steps leave.

// readFamilies reads what the things lie below that were read, for their neighbours.
func (w *walk) readFamilies(ctx context.Context, now *Now) error {
	var parents []string
	for _, f := range now.State.Things {
		if _, read := now.State.Things[f.Parent]; !read && f.Parent != "" {
			parents = append(parents, f.Parent)
		}
	}
	if len(parents) == 0 {
		return nil
	}
	slices.Sort(parents)
	read, err := fact.Things(ctx, w.undo.Ask, slices.Compact(parents))
	if err != nil {
		return fmt.Errorf("read what lies around: %w", err)
	}
	maps.Copy(now.State.Things, read.Things)
	return nil
}

// pretend makes of what was read what it is once what is planned is done.
func pretend(now *Now, planned fact.State) {
	if planned.Shortcuts != nil && now.State.Shortcuts != nil {
		now.State.Shortcuts = slices.Clone(planned.Shortcuts)
	}
	for uid, is := range planned.Things {
		was, read := now.State.Things[uid]
		if !read {
			continue
		}
		if is.Children == nil {
			is.Children = was.Children
		}
		now.State.Things[uid] = is
		if is.Text != was.Text || is.Title != was.Title { // it refers to what it referred to before
			now.Referrers = slices.DeleteFunc(now.Referrers, func(r fact.Referrer) bool { return r.UID == uid })
		}
	}
	if len(planned.Things) == 0 {
		return
	}
	for uid, f := range now.State.Things {
		f.Children = slices.DeleteFunc(slices.Clone(f.Children), func(child string) bool {
			is, known := planned.Things[child]
			return known && (is.Gone || is.Parent != uid)
		})
		if family := planned.Things[f.Parent].Children; slices.Contains(family, uid) {
			f = beside(f, family)
		}
		now.State.Things[uid] = f
	}
}

// beside returns a block with the neighbours that it has among some children.
func beside(f fact.Fact, family []string) fact.Fact {
	at := slices.Index(family, f.UID)
	f.Left, f.Right, f.Order = "", "", at
	if at > 0 {
		f.Left = family[at-1]
	}
	if at < len(family)-1 {
		f.Right = family[at+1]
	}
	return f
}

// pretendHolders makes of those pages that have titles which others are to get back those that
// have them once what is planned is done.
func (w *walk) pretendHolders(now *Now, planned fact.State) {
	maps.DeleteFunc(now.Holders, func(title, uid string) bool {
		is, known := planned.Things[uid]
		return known && (is.Gone || is.Title != title)
	})
	titles := w.titlesBack()
	for uid, is := range planned.Things {
		if _, found := slices.BinarySearch(titles, is.Title); found && is.IsPage() && !is.Gone {
			now.Holders[is.Title] = uid
		}
	}
}

// pretend notes in planned what the steps would leave.
func (w *walk) pretend(planned *fact.State) {
	if w.steps.List != nil {
		planned.Shortcuts = w.steps.List
	}
	around := map[string]bool{} // parents whose children are others
	read := func(uid string) bool { _, read := w.state.Things[uid]; return read }
	drop := func(uid string) {
		parent := w.state.Things[uid].Parent
		if !read(parent) {
			return
		}
		w.setFamily(parent, without(w.family(parent), uid))
		around[parent] = true
	}
	put := func(f fact.Fact) {
		if !read(f.Parent) {
			return
		}
		at := w.index(f.Parent, f.UID, f.Left, f.Right, f.Order)
		w.setFamily(f.Parent, slices.Insert(without(w.family(f.Parent), f.UID), at, f.UID))
		around[f.Parent] = true
	}
	set := func(f fact.Fact) { planned.Things[f.UID], w.state.Things[f.UID] = f, f }
	for _, each := range slices.Concat(w.steps.Pages, w.steps.Blocks) {
		each.Children = nil
		set(each)
		put(each)
	}
	for _, uid := range w.steps.Away {
		drop(uid)
		for _, each := range append(w.state.Below(uid), uid) {
			planned.Things[each] = fact.Fact{UID: each, Gone: true}
		}
	}
	for _, uid := range w.steps.UnusedPages {
		planned.Things[uid] = fact.Fact{UID: uid, Gone: true}
	}
	became := func(uid string, become func(*fact.Fact)) {
		f := w.state.Things[uid]
		become(&f)
		set(f)
	}
	for _, each := range w.steps.Titles {
		became(each.UID, func(f *fact.Fact) { f.Title = each.Title })
	}
	for _, each := range w.steps.Places {
		drop(each.UID)
		became(each.UID, func(f *fact.Fact) {
			f.Parent, f.Left, f.Right, f.Order = each.Parent, each.Left, each.Right, each.Order
		})
		put(w.state.Things[each.UID])
	}
	for uid, order := range w.steps.Orders {
		w.setFamily(uid, order)
		around[uid] = true
	}
	for _, look := range w.steps.Looks {
		became(look.Want.UID, func(f *fact.Fact) { look.Set(f) })
	}
	for parent := range around {
		if is := w.state.Things[parent]; !is.Gone {
			planned.Things[parent] = is
		}
	}
}

// pretendPages counts the pages that changes made and that nothing needs once what is planned is
// done, as removeAllPages removes them.
func (u *Undo) pretendPages(ctx context.Context) error {
	var uids []string
	for _, w := range u.walks {
		uids = append(uids, w.steps.UnusedPages...)
	}
	if len(uids) == 0 {
		return nil
	}
	read, err := fact.Things(ctx, u.Ask, uids)
	if err != nil {
		return fmt.Errorf("read the pages that were made: %w", err)
	}
	rows, err := u.pairs(ctx, referrersOf, uids)
	if err != nil {
		return err
	}
	mentions := map[string]bool{} // titles that what is planned mentions
	for _, is := range u.pretended.Things {
		for _, title := range fact.Mentions(is.Text, is.Title) {
			mentions[title] = true
		}
	}
	needed := u.needs(uids, rows)
	gone := map[string]bool{}
	for again := true; again; {
		again = false
		for _, w := range u.walks {
			for _, uid := range w.steps.UnusedPages {
				page := read.Things[uid]
				if gone[uid] || mentions[page.Title] || !isEmptyPage(u.emptied(page)) || needed(uid, gone) {
					continue
				}
				gone[uid], again = true, true
				w.sent++
				w.pagesGone = append(w.pagesGone, page.Title)
			}
		}
	}
	return nil
}

// emptied returns a page without the blocks that go, and as the shortcuts would be.
func (u *Undo) emptied(page fact.Fact) fact.Fact {
	page.Children = slices.DeleteFunc(slices.Clone(page.Children), func(uid string) bool {
		is, planned := u.pretended.Things[uid]
		return planned && (is.Gone || is.Parent != page.UID)
	})
	if u.pretended.Shortcuts != nil && !slices.Contains(u.pretended.Shortcuts, page.UID) {
		page.Shortcut = nil
	}
	return page
}

// needs returns what reports whether something that refers to a page is neither gone nor planned to
// be otherwise. rows have what refers to each of the pages.
func (u *Undo) needs(pages []string, rows [][2]string) func(page string, gone map[string]bool) bool {
	isPage, referrers := map[string]bool{}, map[string][]string{}
	for _, uid := range pages {
		isPage[uid] = true
	}
	for _, row := range rows {
		if _, planned := u.pretended.Things[row[1]]; row[1] != row[0] && (!planned || isPage[row[1]]) {
			referrers[row[0]] = append(referrers[row[0]], row[1])
		}
	}
	return func(page string, gone map[string]bool) bool {
		return slices.ContainsFunc(referrers[page], func(uid string) bool { return !gone[uid] })
	}
}
