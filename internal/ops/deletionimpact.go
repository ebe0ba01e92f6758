package ops

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// deletionImpact is what deletions take away and what refers to it, as read of the facts right
// before showed it. Hidden blocks are in it, and are told to nobody but a Recorder.
type deletionImpact struct {
	fact.Removal
	references map[string]int // numbers of blocks that refer to something that goes, by its uid
}

// readImpact reads the facts of what the deletion of pages or blocks takes away, all of
// them in one read.
func (g Reads) readImpact(ctx context.Context, uids []string) (*deletionImpact, error) {
	read, err := fact.Removing(ctx, g.ask, uids)
	if err != nil {
		return nil, err
	}
	r := &deletionImpact{read, map[string]int{}}
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
func (r *deletionImpact) walk(uid string, see func(f fact.Fact, depth int) bool) {
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
func (r *deletionImpact) has(uid string) bool {
	f, ok := r.State.Things[uid]
	return ok && !f.Gone
}

// affected returns what the removal of a thing affects of what is visible.
func (r *deletionImpact) affected(thing Thing, uid string) Affected {
	if !r.has(uid) || r.State.Things[uid].IsPage() != (thing == Page) || slices.ContainsFunc(r.Above[uid], note.HidesItself) {
		return Affected{}
	}
	var affected Affected
	seen, shown := map[string]bool{}, 0
	r.walk(uid, func(f fact.Fact, depth int) bool {
		if !f.IsPage() && note.HidesItself(f.Text) {
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
func (r *deletionImpact) referring(uids map[string]bool) []Referring {
	var list []Referring
	for _, each := range r.Referrers {
		f := r.State.Things[each.UID]
		if f.IsPage() || note.HidesItself(f.Text) || slices.ContainsFunc(each.Above, note.HidesItself) || !slices.ContainsFunc(each.To, func(to string) bool { return uids[to] }) {
			continue
		}
		list = append(list, Referring{UID: each.UID, Page: each.PageTitle, Comment: f.BlockView == "comment"})
	}
	slices.SortFunc(list, func(a, b Referring) int { return cmp.Compare(a.UID, b.UID) })
	return list[:min(len(list), MaxReferring)]
}

// referringQuery asks which visible blocks refer to some pages and blocks
// (LOCAL_API.md 9.7).
const referringQuery = `[:find ?u ?t ?v :in $ [?of ...] :where [?e :block/uid ?of] [?r :block/refs ?e] [?r :block/uid ?u] ` +
	`[?r :block/page ?p] [?p :node/title ?t] [(get-else $ ?r :block/view-type "") ?v]` +
	` (not [?r :block/refs ?m] [?m :node/title ".rm-hide"]) (not [?r :block/refs ?m] [?m :node/title ".rm-private"])` +
	` (not [?r :block/parents ?a] [?a :block/string] [?a :block/refs ?m] [?m :node/title ".rm-hide"])` +
	` (not [?r :block/parents ?a] [?a :block/string] [?a :block/refs ?m] [?m :node/title ".rm-private"])]`

// Referring returns the visible blocks that refer to some pages and blocks, but for
// those themselves, by uid.
func (g Reads) Referring(ctx context.Context, to []string) ([]Referring, error) {
	rows, err := listed[[3]string](g.ask(ctx, plainQuery, referringQuery, to))
	return referringOf(rows, to), err
}

// referringTo asks once which visible blocks refer to one of these, MaxReferring at most,
// but for some that are removed as well.
func (g Reads) referringTo(ctx context.Context, uids []string, removed []string) []Referring {
	var rows [][3]string
	if g.glance(ctx, &rows, referringQuery, uids) != nil {
		return nil
	}
	list := referringOf(rows, removed)
	return list[:min(len(list), MaxReferring)]
}

// referringOf returns the blocks of a referringQuery, but for some, by uid.
func referringOf(rows [][3]string, without []string) []Referring {
	list := []Referring{}
	for _, row := range rows {
		if !slices.Contains(without, row[0]) {
			list = append(list, Referring{UID: row[0], Page: row[1], Comment: stored(row[2]) == "comment"})
		}
	}
	slices.SortFunc(list, func(a, b Referring) int { return cmp.Compare(a.UID, b.UID) })
	return list
}

// readRemovals reads what removals would hit, by uid. before is nil, and nothing is known of
// what they hit, where that is too much for one record, or for a query.
func (g Reads) readRemovals(ctx context.Context, thing Thing, uids []string) (removals Removals, affected map[string]Affected, before *fact.State, err error) {
	removals, affected = make(Removals, len(uids)), map[string]Affected{}
	read, err := g.readImpact(ctx, uids)
	var there map[string]bool
	if errors.Is(err, fact.ErrTooLarge) || problem.CodeOf(err) == localapi.CodeQueryTimeout {
		there, err = g.existing(ctx, uids)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for i, uid := range uids {
		removals[i] = Removal{Thing: thing, UID: uid, WasThere: there[uid]}
		if first := slices.Index(uids, uid); first < i {
			removals[i] = removals[first]
			continue
		}
		if read != nil {
			removals[i].WasThere, affected[uid] = read.has(uid), read.affected(thing, uid)
			removals[i].hidden = slices.ContainsFunc(read.Above[uid], note.HidesItself)
		}
	}
	if read != nil {
		before = &read.State
	}
	return removals, affected, before, nil
}
