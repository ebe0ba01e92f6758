package undo

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// pages makes pages again that went, and gives others their titles back, the shortest title first:
// a longer one may mention it.
func (w *walk) pages(ctx context.Context) error {
	made, titles := w.steps.Pages, w.steps.Titles
	for len(made)+len(titles) > 0 {
		var err error
		if len(titles) == 0 || len(made) > 0 && len(made[0].Title) < len(titles[0].Title) {
			err = w.page(ctx, made[0])
			made = made[1:]
		} else {
			err = w.title(ctx, titles[0])
			titles = titles[1:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// page makes a page again.
func (w *walk) page(ctx context.Context, page fact.Fact) error {
	mentioned, err := w.free(ctx, page.Title, page.UID)
	if err != nil || w.gone[page.UID] {
		return err
	}
	title := page.Title
	if mentioned != "" {
		if title, err = w.onTheWay(ctx, page.UID); err != nil {
			return err
		}
	}
	_, err = w.send(ctx, ops.NewPage{UID: page.UID, Title: title, ViewType: page.ChildrenView}, 1)
	if err != nil {
		w.gone[page.UID] = true
		return w.fail(page.UID, fact.Existence, err)
	}
	w.made(page)
	w.back[page.UID] = true
	return w.takeOver(ctx, mentioned, page, title)
}

// onTheWay returns the title that a page has until the one that it is to get is free. Others may
// have such a title where an undo is taken back.
func (w *walk) onTheWay(ctx context.Context, uid string) (string, error) {
	for title := "roam-mcp-undo-" + uid; ; title += "-again" {
		if holders, err := w.holders(ctx, []string{title}); err != nil || len(holders) == 0 {
			return title, err
		}
	}
}

// takeOver has what mentions a page, if there is one, mention another one, which has a title on the
// way, and gives that the title of the first.
func (w *walk) takeOver(ctx context.Context, mentioned string, page fact.Fact, onTheWay string) error {
	if mentioned == "" {
		return nil
	}
	w.state.Things[mentioned] = fact.Fact{UID: mentioned, Title: page.Title, Page: mentioned}
	f := w.state.Things[page.UID]
	f.Title = onTheWay
	w.state.Things[page.UID] = f
	if _, err := w.send(ctx, ops.PageUpdate{UID: mentioned, Title: onTheWay, Merge: true}, 0); err != nil {
		return w.fail(page.UID, fact.Title, err)
	}
	return w.retitle(ctx, page.UID, page.Title)
}

// made notes that a page or block is there again.
func (w *walk) made(was fact.Fact) {
	was.Children = nil
	w.state.Things[was.UID] = was
}

// free removes an unused page that has a title which another one is to get. One that is mentioned
// alone, and that Roam made for that since the walk began, it returns, to be taken over; where the
// page is in use otherwise, the other one can't get the title.
func (w *walk) free(ctx context.Context, title, uid string) (mentioned string, err error) {
	holders, err := w.holders(ctx, []string{title})
	if err != nil {
		return "", err
	}
	holder := holders[title]
	if holder == "" || holder == uid {
		return "", nil
	}
	if err := w.freeMentions(ctx, title); err != nil {
		return "", err
	}
	removed, err := w.removeUnused(ctx, []string{holder})
	if err != nil || removed {
		return "", err
	}
	read, err := fact.Things(ctx, w.undo.Ask, []string{holder})
	if err != nil {
		return "", err
	}
	if is := read.Things[holder]; is.Created >= w.began && isEmptyPage(is) {
		return holder, nil
	}
	w.gone[uid] = true
	w.leave(uid, fact.Title, TitleTaken)
	return "", nil
}

// freeMentions removes the unused pages that changes made which are taken back before this one, and
// that mention a title in their own.
func (w *walk) freeMentions(ctx context.Context, title string) error {
	defer w.undo.Recording.TakeBack(w.change.id)
	return w.undo.removeAllPages(ctx, w.earlier, func(each *walk, uid string) bool {
		own := cmp.Or(each.state.Things[uid].Title, each.change.After.Things[uid].Title)
		return slices.Contains(fact.Mentions(own), title)
	})
}

// title gives a page its title back. Where its own title keeps that from being free, it gets
// another one on the way.
func (w *walk) title(ctx context.Context, title Title) error {
	now := w.state.Things[title.UID]
	switch {
	case w.dropped[title.UID]:
		w.leave(title.UID, fact.Title, Changed)
		return nil
	case now.Title == title.Title: // with another title
		return nil
	}
	if title.Holder != "" {
		onTheWay, err := w.onTheWay(ctx, title.UID)
		if err == nil {
			err = w.retitle(ctx, title.UID, onTheWay)
		}
		if err != nil {
			return err
		}
		mentioned, err := w.free(ctx, title.Title, title.UID)
		switch {
		case err != nil:
			return err
		case w.gone[title.UID]:
			return w.retitle(ctx, title.UID, now.Title)
		case mentioned != "":
			w.sent++
			return w.takeOver(ctx, mentioned, fact.Fact{UID: title.UID, Title: title.Title}, onTheWay)
		}
	}
	w.sent++
	return w.retitle(ctx, title.UID, title.Title)
}

func (w *walk) retitle(ctx context.Context, uid, title string) error {
	_, err := w.send(ctx, ops.PageUpdate{UID: uid, Title: title}, 0)
	if err != nil {
		return w.fail(uid, fact.Title, err)
	}
	return nil
}

// blocks makes the blocks again that went: several in one request, and those of a request that
// Roam refuses one by one.
func (w *walk) blocks(ctx context.Context) error {
	for rest := w.steps.Blocks; len(rest) > 0; {
		n := min(len(rest), ops.MaxBatch)
		if w.undo.renewed.neverReuses || !w.undo.renewed.reuseKnown { // the first one tells whether Roam gives uids again
			n = 1
		}
		if err := w.create(ctx, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	if len(w.steps.Blocks) == 0 {
		return nil
	}
	return w.amend(ctx)
}

func (w *walk) create(ctx context.Context, blocks []fact.Fact) error {
	var batch ops.BlockCreations
	var made []fact.Fact
	for _, was := range blocks {
		parent, known := w.state.Things[was.Parent]
		lost := w.gone[was.Parent] || !known || parent.Gone
		if lost && w.undo.Under != "" {
			was.Parent, was.Left, was.Right, was.Order = w.undo.Under, "", "", len(w.family(w.undo.Under))
		} else if lost {
			w.gone[was.UID] = true
			w.leave(was.UID, fact.Existence, ParentGone)
			continue
		}
		at := w.index(was.Parent, was.UID, was.Left, was.Right, was.Order)
		batch = append(batch, ops.NewBlock{UID: was.UID, ParentUID: was.Parent, Order: ops.Order{Index: &at}, Block: outline.Block{
			String: was.Text, Heading: was.Heading, Collapsed: !was.IsOpen(), TextAlign: was.Align, ChildrenViewType: was.ChildrenView, BlockViewType: was.BlockView,
		}})
		made = append(made, was)
		w.setFamily(was.Parent, slices.Insert(slices.Clone(w.family(was.Parent)), at, was.UID))
		w.made(was)
	}
	if len(batch) > 1 {
		_, err := w.send(ctx, batch, len(batch))
		if err == nil {
			return w.props(ctx, made)
		}
		if _, isCall := problem.AsCall(err); !isCall {
			return err
		}
	}
	there := fact.State{}
	if len(batch) > 1 {
		var err error
		if there, err = fact.Things(ctx, w.undo.Ask, uidsOf(made)); err != nil {
			return err
		}
	}
	for i, each := range batch {
		if is, read := there.Things[each.UID]; read && !is.Gone {
			w.sent++
			continue
		}
		if w.gone[each.ParentUID] {
			w.gone[each.UID] = true
			w.leave(each.UID, fact.Existence, ParentGone)
			continue
		}
		if err := w.createOne(ctx, each); err != nil {
			w.gone[each.UID] = true
			w.setFamily(made[i].Parent, without(w.family(made[i].Parent), each.UID))
			if err := w.fail(each.UID, fact.Existence, err); err != nil {
				return err
			}
		}
		if uid, ok := w.undo.renewed.uids[each.UID]; ok {
			made[i].UID = uid
		}
	}
	return w.props(ctx, made)
}

// props gives blocks their properties again, which no creation takes.
func (w *walk) props(ctx context.Context, made []fact.Fact) error {
	var updates ops.BlockUpdates
	for _, was := range made {
		if was.Props != nil && !w.gone[was.UID] {
			props := ops.Props(was.Props)
			updates = append(updates, ops.BlockUpdate{UID: was.UID, Props: &props})
		}
	}
	return w.update(ctx, updates)
}

func uidsOf(facts []fact.Fact) []string {
	uids := make([]string, len(facts))
	for i := range facts {
		uids[i] = facts[i].UID
	}
	return uids
}

// index returns where among the children of a parent a block belongs: beside the neighbours that
// it had.
func (w *walk) index(parent, uid, left, right string, order int) int {
	family := without(w.family(parent), uid)
	if at := slices.Index(family, left); at >= 0 {
		return at + 1
	}
	if at := slices.Index(family, right); at >= 0 {
		return at
	}
	return min(order, len(family))
}

func without(list []string, uid string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(each string) bool { return each == uid })
}

// places moves blocks back.
func (w *walk) places(ctx context.Context) error {
	for _, place := range w.steps.Places {
		parent, known := w.state.Things[place.Parent]
		if w.gone[place.Parent] || !known || parent.Gone {
			w.leave(place.UID, fact.Place, ParentGone)
			continue
		}
		at := w.index(place.Parent, place.UID, place.Left, place.Right, place.Order)
		if at < len(parent.Children) && parent.Children[at] == place.UID { // another step has brought it there
			continue
		}
		old := w.state.Things[place.UID].Parent
		_, err := w.send(ctx, ops.BlockMove{UID: place.UID, ParentUID: place.Parent, Order: ops.Order{Index: &at}}, 1)
		if err != nil {
			if err := w.fail(place.UID, fact.Place, err); err != nil {
				return err
			}
			continue
		}
		w.setFamily(old, without(w.family(old), place.UID))
		w.setFamily(place.Parent, slices.Insert(without(w.family(place.Parent), place.UID), at, place.UID))
	}
	return nil
}

// orders puts children into their order again.
func (w *walk) orders(ctx context.Context) error {
	for _, parent := range slices.Sorted(maps.Keys(w.steps.Orders)) {
		_, err := w.send(ctx, ops.Reordering{ParentUID: parent, UIDs: w.steps.Orders[parent], Before: w.family(parent)}, 1)
		if err != nil {
			if err := w.fail(parent, fact.Children, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// away removes the blocks that the change made.
func (w *walk) away(ctx context.Context) error {
	for uids := range slices.Chunk(w.steps.Away, ops.MaxBatch) {
		var removals ops.Removals
		for _, uid := range uids {
			removals = append(removals, ops.Removal{Thing: ops.Block, UID: uid, WasThere: true})
		}
		var write ops.Write = removals
		if len(removals) == 1 {
			write = removals[0]
		}
		if _, err := w.send(ctx, write, len(removals)); err != nil {
			if err := w.fail(uids[0], fact.Existence, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeUnused removes those pages that are empty and that nothing refers to, and reports whether
// there were any.
func (w *walk) removeUnused(ctx context.Context, uids []string) (some bool, err error) {
	if len(uids) == 0 {
		return false, nil
	}
	read, err := fact.Things(ctx, w.undo.Ask, uids)
	if err != nil {
		return false, err
	}
	referred, err := w.referred(ctx, uids)
	if err != nil {
		return false, err
	}
	for _, uid := range slices.Clone(uids) { // which may be those that are left to be removed
		if !isEmptyPage(read.Things[uid]) || referred[uid] {
			continue
		}
		if _, err := w.send(ctx, ops.Removal{Thing: ops.Page, UID: uid, WasThere: true}, 1); err != nil {
			if err := w.fail(uid, fact.Existence, err); err != nil {
				return some, err
			}
			continue
		}
		w.steps.UnusedPages = without(w.steps.UnusedPages, uid)
		w.pagesGone = append(w.pagesGone, read.Things[uid].Title)
		some = true
	}
	return some, nil
}

// isEmptyPage reports whether something is a page that has no blocks, and neither a shortcut nor a
// daily note.
func isEmptyPage(f fact.Fact) bool {
	return f.IsPage() && len(f.Children) == 0 && f.Shortcut == nil && !f.Daily
}

// files deletes the files that the change uploaded.
func (w *walk) files(ctx context.Context) error {
	for _, address := range w.steps.Files {
		if _, err := w.send(ctx, ops.FileRemoval{Address: address}, 1); err != nil {
			if err := w.fail("", "", err); err != nil {
				return err
			}
		}
	}
	return nil
}

// shortcuts gives the list of shortcuts its pages and its order again.
func (w *walk) shortcuts(ctx context.Context) error {
	if w.steps.List == nil {
		return nil
	}
	list := slices.Clone(w.state.Shortcuts)
	want := slices.DeleteFunc(slices.Clone(w.steps.List), func(uid string) bool { return w.gone[uid] })
	change := func(write ops.Write, uid string) error {
		if _, err := w.send(ctx, write, 1); err != nil {
			return w.fail(uid, fact.Shortcut, err)
		}
		return nil
	}
	for _, uid := range list {
		if !slices.Contains(want, uid) {
			if err := change(ops.ShortcutRemoval{PageUID: uid}, uid); err != nil {
				return err
			}
			list = without(list, uid)
		}
	}
	for at, uid := range want {
		if at < len(list) && list[at] == uid {
			continue
		}
		if err := change(ops.NewShortcut{PageUID: uid, Index: &at}, uid); err != nil {
			return err
		}
		list = slices.Insert(without(list, uid), min(at, len(list)), uid)
	}
	return nil
}
