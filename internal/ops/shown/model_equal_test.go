package shown_test

import "slices"

// How much of now goes with a row.
const (
	isGone      = iota // nothing, it is gone
	isUntouched        // what was shown
	isTouched          // what somebody else wrote
)

// exchange decides which ones go of equal rows, so that the most of now is kept: rows that
// stay as they were shown, with all below them, may stand for equal ones below the same
// parent that go, or stay, likewise. The order stays.
func (g *merge) exchange(sent, shown *row, m *matching) {
	byUID := map[string]*row{}
	for _, r := range below(shown) {
		byUID[r.uid] = r
	}
	instead := map[string]string{}
	for _, parent := range append([]*row{shown}, below(shown)...) {
		g.exchangeBelow(parent, m, instead)
	}
	for _, r := range below(sent) {
		if other, ok := instead[r.uid]; ok {
			r.uid = other
		}
	}
	taken := map[string]bool{}
	for _, r := range below(sent) {
		taken[r.uid] = true
	}
	for _, uid := range g.order {
		if byUID[uid].seen {
			delete(g.removed, uid)
			if !taken[uid] {
				g.removed[uid] = true
			}
		}
	}
}

func (g *merge) exchangeBelow(parent *row, m *matching, instead map[string]string) {
	var all, kept []*row
	goes := false
	for _, kid := range parent.kids {
		switch {
		case !kid.seen:
			continue
		case g.goesWhole(kid):
			goes = true
		case g.removed[kid.uid] || g.moved[kid.uid]:
			continue
		default:
			kept = append(kept, kid)
		}
		goes = goes || g.removed[kid.uid]
		all = append(all, kid)
	}
	if !goes {
		return
	}
	sets := bests(len(all), len(kept), func(i, j int) int {
		a, k := all[i], kept[j]
		if a == k || m.shape[a] == m.shape[k] && g.staysWhole(k) && (g.goesWhole(a) || g.staysWhole(a)) {
			return 1000 + g.worth(a)
		}
		return 0
	})
	for _, pair := range sets[g.w.pick(len(sets))] {
		g.stand(instead, kept[pair[1]], all[pair[0]])
	}
}

func (g *merge) stand(instead map[string]string, was, is *row) {
	instead[was.uid] = is.uid
	for i, kid := range seenKids(was) {
		g.stand(instead, kid, seenKids(is)[i])
	}
}

func seenKids(r *row) []*row {
	return slices.DeleteFunc(slices.Clone(r.kids), func(kid *row) bool { return !kid.seen })
}

func (g *merge) goesWhole(r *row) bool {
	return g.removed[r.uid] && !slices.ContainsFunc(seenKids(r), func(kid *row) bool { return !g.goesWhole(kid) })
}

func (g *merge) staysWhole(r *row) bool {
	if g.removed[r.uid] || g.changed[r.uid] || g.moved[r.uid] {
		return false
	}
	return !slices.ContainsFunc(seenKids(r), func(kid *row) bool { return !g.staysWhole(kid) })
}

func (g *merge) worth(r *row) int {
	worth := isGone
	if g.there[r.uid] != nil {
		worth = isUntouched
		if g.touched(r.uid) {
			worth = isTouched
		}
		for _, kid := range seenKids(r) {
			worth = max(worth, g.worth(kid))
		}
	}
	return worth
}
