package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/history/fact"
)

// going is what deletions take away and what refers to it, as a read of the facts right
// before showed it. Hidden blocks are in it, and are told to nobody but a Recorder.
type going struct {
	fact.Removal
	references map[string]int // numbers of blocks that refer to something that goes, by its uid
}

// readGoing reads the facts of what the deletion of pages or blocks takes away, all of
// them in one read.
func (g *Graph) readGoing(ctx context.Context, uids []string) (*going, error) {
	read, err := fact.Removing(ctx, g.ask, uids)
	if err != nil {
		return nil, err
	}
	r := &going{read, map[string]int{}}
	all, titles := map[string]fact.Fact{}, map[string]string{} // what goes, by uid, and uids by title
	for _, uid := range uids {
		r.walk(uid, func(f fact.Fact, _ int) bool {
			all[f.UID] = f
			if f.IsPage() {
				titles[f.Title] = f.UID
			}
			return true
		})
	}
	for _, each := range r.Referrers {
		for _, to := range each.To {
			r.references[to]++
		}
	}
	for _, f := range all {
		to := map[string]bool{}
		for _, each := range note.Mentions(f.Text) {
			to[cmp.Or(each.UID, titles[each.Title])] = true
		}
		for uid := range to {
			r.references[uid]++
		}
	}
	return r, nil
}

// walk visits a page or block and all below it, in reading order. see returns whether what
// is below is visited.
func (r *going) walk(uid string, see func(f fact.Fact, depth int) bool) {
	seen := map[string]bool{} // a damaged graph may hold a block twice
	var visit func(uid string, depth int)
	visit = func(uid string, depth int) {
		f, ok := r.State.Things[uid]
		if !ok || f.Gone || seen[uid] {
			return
		}
		seen[uid] = true
		if !see(f, depth) {
			return
		}
		if !f.IsPage() { // whose children stand at the left edge
			depth++
		}
		for _, child := range f.Children {
			visit(child, depth)
		}
	}
	visit(uid, 0)
}

// has reports whether there was a page or block with a uid.
func (r *going) has(uid string) bool {
	f, ok := r.State.Things[uid]
	return ok && !f.Gone
}

// affected returns what the removal of a thing affects of what is visible.
func (r *going) affected(thing Thing, uid string) Affected {
	if !r.has(uid) || r.State.Things[uid].IsPage() != (thing == Page) || slices.ContainsFunc(r.Above[uid], hidesItself) {
		return Affected{}
	}
	var affected Affected
	seen, shown := map[string]bool{}, 0
	r.walk(uid, func(f fact.Fact, depth int) bool {
		if !f.IsPage() && hidesItself(f.Text) {
			return false
		}
		text := f.Text
		if f.IsPage() {
			text = "# " + f.Title
		}
		if shown < maxWas {
			affected.Was += strings.Repeat("  ", depth) + Line(f.UID, strings.TrimSpace(text)) + "\n"
		}
		if shown > 0 {
			affected.Descendants = append(affected.Descendants, f.UID)
		}
		shown++
		seen[f.UID] = true
		affected.References += r.references[f.UID]
		return true
	})
	affected.Known, affected.Title = shown > 0, r.State.Things[uid].Title
	affected.ReferredBy = r.referring(seen)
	return affected
}

// referring returns the visible blocks that stay and refer to some that go, MaxReferring
// at most.
func (r *going) referring(uids map[string]bool) []Referring {
	var list []Referring
	for _, each := range r.Referrers {
		f := r.State.Things[each.UID]
		if f.IsPage() || hidesItself(f.Text) || slices.ContainsFunc(each.Above, hidesItself) || !slices.ContainsFunc(each.To, func(to string) bool { return uids[to] }) {
			continue
		}
		list = append(list, Referring{UID: each.UID, Page: each.PageTitle, Comment: f.BlockView == "comment"})
	}
	slices.SortFunc(list, func(a, b Referring) int { return cmp.Compare(a.UID, b.UID) })
	return list[:min(len(list), MaxReferring)]
}

// hidesItself reports whether the text of a block hides it, and all below it, from agents.
func hidesItself(text string) bool { return note.Read(text, false).Hides }
