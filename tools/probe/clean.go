package main

import (
	"context"
	"slices"
)

// Clean removes what earlier probes of a graph have left, and returns what is still
// there. It does not touch what a running probe has made.
func Clean(ctx context.Context, o Options) (left []Left, removed int, err error) {
	lists, err := leftLists(o.Folder, o.Graph)
	for _, made := range lists {
		r := &run{sender: newSender(o, made, maxRequests-keptForCleaning)}
		still := r.cleanUp(ctx)
		left = append(left, still...)
		if len(still) == 0 {
			removed++
		}
	}
	return left, removed, err
}

// cleanUp removes what the run made and returns what is still there. The list stays until
// nothing is.
func (r *run) cleanUp(ctx context.Context) (left []Left) {
	ctx, cancel := context.WithTimeout(ctx, cleaningLimit)
	defer cancel()
	r.allow(keptForCleaning)
	a := &asking{run: r}
	if len(r.made.Titles) > 0 { // else nothing was made
		left = a.removePages(ctx, r.made.Titles)
		left = append(left, a.removeStrays(ctx, left)...)
	}
	if a.err != nil && len(left) == 0 {
		left = []Left{{Title: r.title("")}} // nobody can tell
	}
	if len(left) == 0 && r.made.remove() == nil {
		return nil
	}
	_ = r.made.lock.Close() // others may take over what is left
	return left
}

// removePages removes the pages with these titles, unless somebody else wrote on them or
// refers to them, and returns those that are still there.
func (a *asking) removePages(ctx context.Context, titles []string) (left []Left) {
	const rounds = 3 // a deletion that leaves links makes their pages anew
	for range rounds {
		pages := a.pagesTitled(ctx, titles)
		// Outer titles come before those in them.
		slices.SortStableFunc(pages, func(a, b block) int { return len(b.text) - len(a.text) })
		left = nil
		again := false
		for _, page := range pages {
			foreign := a.foreign(ctx, page.uid)
			left = append(left, Left{Title: page.text, Foreign: foreign})
			if !foreign {
				again = true
				a.list([]string{page.uid}, nil)
				a.try(ctx, "data.page.delete", object{"page": object{"uid": page.uid}})
			}
		}
		if !again {
			break
		}
	}
	return left
}

// foreign reports whether somebody else wrote on a page, or refers to something on it.
func (a *asking) foreign(ctx context.Context, page string) bool {
	for _, where := range []string{`[?b :block/page ?p]`, `[?b :block/refs ?p]`, `[?e :block/page ?p] [?b :block/refs ?e]`} {
		if !a.allOurs(a.find(ctx, `[?p :block/uid `+quote(page)+`] `+where)) {
			return true
		}
	}
	return false
}

func (a *asking) allOurs(blocks []block) bool {
	return !slices.ContainsFunc(blocks, func(b block) bool { return !a.made.ours(b.text) })
}

// removeStrays removes blocks of the run that are on no page of it.
func (a *asking) removeStrays(ctx context.Context, pages []Left) (left []Left) {
	const atOnce = 100
	for uids := range slices.Chunk(slices.Clone(a.made.UIDs), atOnce) {
		on := a.blocks(ctx, "?u ?t", either(`[?b :block/uid %s]`, uids)+` [?b :block/uid ?u] [?b :block/page ?p] [?p :node/title ?t]`)
		for _, b := range on {
			if !slices.ContainsFunc(pages, func(page Left) bool { return page.Title == b.text }) {
				left = append(left, a.removeStray(ctx, b.uid)...)
			}
		}
	}
	return left
}

// removeStray removes one block with all that is below it, unless something of it is
// somebody else's.
func (a *asking) removeStray(ctx context.Context, uid string) []Left {
	is := `[?b :block/uid ` + quote(uid) + `]`
	foreign := !a.allOurs(append(a.find(ctx, is), a.below(ctx, uid)...))
	if !foreign {
		a.try(ctx, "data.block.delete", object{"block": object{"uid": uid}})
		if len(a.find(ctx, is)) == 0 && a.err == nil {
			return nil
		}
	}
	return []Left{{Title: a.say("…"), Foreign: foreign}}
}

// disturbed returns the blocks of the run's page that somebody else changed, or below which
// somebody else wrote, by uid.
func (r *run) disturbed(ctx context.Context) map[string]bool {
	found, a := map[string]bool{}, &asking{run: r}
	for _, where := range []string{`[?h :block/string ?s]`, `[?b :block/parents ?h] [?b :block/string ?s]`} {
		for _, b := range a.blocks(ctx, "?u ?s", `[?p :block/uid `+quote(r.page)+`] [?p :block/children ?h] [?h :block/uid ?u] `+where) {
			if !r.made.ours(b.text) {
				found[b.uid] = true
			}
		}
	}
	return found // of what can be read
}
