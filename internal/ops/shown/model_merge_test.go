package shown_test

import (
	"slices"
	"strings"
)

// outcome is what the rule makes of what was sent.
type outcome struct {
	page      *row              // what the note becomes; new rows have no uid
	conflicts []string          // uids, sorted; then there is no page
	partOnly  bool              // it was refused
	known     map[string]string // text of each row, by uid, that the sender knows afterwards
}

func (o outcome) String() string {
	switch {
	case o.partOnly:
		return "PART_ONLY\n"
	case o.page == nil:
		return "CHANGED_SINCE_READ of " + strings.Join(o.conflicts, " ") + "\n"
	}
	return drawn(o.page, 0)
}

// maxWays is how many ways the model tries at most.
const maxWays = 4000

// merged returns all that may become of a note: of what was shown of it, of what was sent,
// and of what is there now. at is the place of what nothing else says the place of. With
// part, nothing may be sent that stands where nothing was shown. ok is false where there
// are too many ways.
func merged(view *row, sent func(*ways) *row, now *row, at int, part bool) (list []outcome, ok bool) {
	known := map[string]bool{}
	w := &ways{}
	for range maxWays {
		o := oneMerge(w, view, sent(w), now, at, part)
		if said := o.String(); !known[said] {
			known[said] = true
			list = append(list, o)
		} else if o.page != nil {
			at := slices.IndexFunc(list, func(each outcome) bool { return each.String() == said })
			for uid, text := range o.known { // what is not sure is not known
				if list[at].known[uid] != text {
					list[at].known = nil
					break
				}
			}
		}
		if !w.next() {
			return list, true
		}
	}
	return nil, false
}

// merge is what was sent, as it is put into what is there now.
type merge struct {
	w         *ways
	top       *row              // of the view
	parents   map[string]string // of the view
	view      map[string]*row
	removed   map[string]bool
	changed   map[string]bool
	moved     map[string]bool
	now       *row
	there     map[string]*row // of now
	above     map[*row]*row   // of now
	home      *row
	conflicts []string
	order     []string // uids of what was shown, in reading order
}

// noUID is the uid of what is above all, which no block has.
const noUID = ""

func oneMerge(w *ways, view, sent, now *row, at int, part bool) outcome {
	if sent == nil {
		return outcome{partOnly: true}
	}
	shown := shownOnly(view)
	sent, _ = copied(sent)
	text := func(r *row) string {
		if !r.seen && r.uid != "" {
			return "\x00" + r.uid
		}
		return r.text
	}
	m := match(w, shown, sent, text)
	g := &merge{w: w, top: view, parents: map[string]string{}, view: map[string]*row{}, removed: map[string]bool{}, changed: map[string]bool{}, moved: map[string]bool{}}
	g.note(view)
	for _, r := range below(shown) {
		g.order = append(g.order, r.uid)
		if m.old[r] == nil && r.seen {
			g.removed[r.uid] = true
		}
	}
	for _, r := range below(sent) {
		if r.uid = noUID; m.new[r] != nil {
			r.uid, r.seen = m.new[r].uid, m.new[r].seen
		}
	}
	g.compare(sent)
	g.now, g.there = copied(now)
	delete(g.there, noUID)
	g.rise()
	if at < len(g.now.kids) {
		g.home = g.now.kids[at]
	}
	if part && g.outside(sent) {
		return outcome{partOnly: true}
	}
	g.exchange(sent, shown, m)
	g.check(sent, noUID, true)
	if len(g.conflicts) == 0 {
		for _, r := range below(sent) {
			if there := g.there[r.uid]; there != nil && g.changed[r.uid] {
				there.text = r.text
			}
		}
		g.put(g.now, sent.kids)
	}
	if len(g.conflicts) > 0 {
		slices.Sort(g.conflicts)
		return outcome{conflicts: slices.Compact(g.conflicts)}
	}
	g.remove()
	o := outcome{page: g.now, known: map[string]string{}}
	for _, r := range below(g.now) {
		switch was := g.view[r.uid]; {
		case was == nil || !was.seen:
		case g.changed[r.uid]:
			o.known[r.uid] = r.text
		default:
			o.known[r.uid] = was.text
		}
	}
	return o
}

// shownOnly returns a view without what was not shown, but for what is above what was.
func shownOnly(r *row) *row {
	only := *r
	only.kids = nil
	for _, kid := range r.kids {
		if k := shownOnly(kid); k.seen || len(k.kids) > 0 {
			only.kids = append(only.kids, k)
		}
	}
	return &only
}

func (g *merge) note(r *row) {
	for _, kid := range r.kids {
		g.parents[kid.uid], g.view[kid.uid] = r.uid, kid
		g.note(kid)
	}
}

func (g *merge) rise() {
	g.above = map[*row]*row{}
	for _, r := range append([]*row{g.now}, below(g.now)...) {
		for _, kid := range r.kids {
			g.above[kid] = r
		}
	}
}

// compare finds out what was changed and what moved below a sent row.
func (g *merge) compare(r *row) {
	var stay []*row
	for _, kid := range r.kids {
		was := g.view[kid.uid]
		switch {
		case was == nil:
		case !was.seen: // it says where others are
			kid.text = was.text
		case was.text != kid.text:
			g.changed[kid.uid] = true
		}
		if was != nil && g.parents[kid.uid] == r.uid && !r.isNew() {
			stay = append(stay, kid)
		} else if was != nil {
			g.moved[kid.uid] = true
		}
		g.compare(kid)
	}
	place := func(kid *row) int {
		siblings := g.viewKids(g.parents[kid.uid])
		return slices.IndexFunc(siblings, func(each *row) bool { return each.uid == kid.uid })
	}
	sorted := slices.SortedFunc(slices.Values(stay), func(a, b *row) int { return place(a) - place(b) })
	sets := bests(len(stay), len(sorted), func(i, j int) int {
		if stay[i] == sorted[j] {
			return 1
		}
		return 0
	})
	set := sets[g.w.pick(len(sets))]
	for i, kid := range stay {
		if !slices.ContainsFunc(set, func(pair [2]int) bool { return pair[0] == i }) {
			g.moved[kid.uid] = true
		}
	}
}

// isNew reports whether a sent row is a new one; the root is none.
func (r *row) isNew() bool { return r.uid == noUID && r.text != rootText }

// rootText is the text of roots.
const rootText = "\x00root"

func (g *merge) viewKids(uid string) []*row {
	if uid != noUID {
		return g.view[uid].kids
	}
	return g.top.kids
}

// outside reports whether what was sent as new stands where nothing was shown.
func (g *merge) outside(sent *row) bool {
	return slices.ContainsFunc(below(sent), func(r *row) bool {
		return r.uid == noUID && strings.TrimSpace(r.text) != "" && slices.ContainsFunc(below(g.now), func(each *row) bool {
			return each.text == r.text && g.view[each.uid] != nil && !g.view[each.uid].seen
		})
	})
}

// rewritten reports whether somebody else changed or moved what was shown, or took it away.
func (g *merge) rewritten(uid string) bool {
	r := g.there[uid]
	return r == nil || r.text != g.view[uid].text || g.above[r].uid != g.parents[uid]
}

// touched reports whether somebody else did that, or wrote below what was shown.
func (g *merge) touched(uid string) bool {
	return g.rewritten(uid) || slices.ContainsFunc(g.there[uid].kids, func(kid *row) bool {
		return g.view[kid.uid] == nil || g.parents[kid.uid] != uid
	})
}

func (g *merge) conflict(uid string) { g.conflicts = append(g.conflicts, uid) }

// check finds what somebody else changed of what is to change.
func (g *merge) check(r *row, parent string, top bool) {
	if top {
		for uid := range g.removed {
			if g.there[uid] != nil && g.touched(uid) {
				g.conflict(uid)
			}
		}
	}
	for _, kid := range r.kids {
		there := g.there[kid.uid]
		if (kid.uid == noUID || g.moved[kid.uid]) && parent != noUID && g.there[parent] == nil {
			g.conflict(parent)
		}
		switch {
		case kid.uid == noUID:
		case g.moved[kid.uid] && (there == nil || g.above[there].uid != g.parents[kid.uid]):
			g.conflict(kid.uid)
		case g.changed[kid.uid] && (there == nil || there.text != kid.text) && g.rewritten(kid.uid):
			g.conflict(kid.uid)
		}
		g.check(kid, kid.uid, false)
	}
}

// put puts what comes or moves below a row of now.
func (g *merge) put(parent *row, sent []*row) {
	var left *row
	for i, r := range sent {
		there := g.there[r.uid]
		switch {
		case r.uid == noUID:
			there = &row{text: r.text}
		case there == nil:
			continue
		case g.moved[r.uid]:
			for up := parent; up != nil; up = g.above[up] {
				if up == there {
					g.conflict(r.uid)
					return
				}
			}
			g.leave(there)
		default:
			if g.above[there] == parent {
				left = there
			}
			g.put(there, r.kids)
			continue
		}
		parent.kids = slices.Insert(parent.kids, g.place(parent, left, sent[i+1:]), there)
		g.above[there], left = parent, there
		g.put(there, r.kids)
	}
}

func (g *merge) leave(r *row) {
	above := g.above[r]
	above.kids = slices.DeleteFunc(slices.Clone(above.kids), func(each *row) bool { return each == r })
}

// place returns the place of what was sent behind one and in front of others.
func (g *merge) place(parent, left *row, right []*row) int {
	if left != nil {
		return slices.Index(parent.kids, left) + 1
	}
	for _, r := range right {
		if at := slices.Index(parent.kids, g.there[r.uid]); at >= 0 && !g.moved[r.uid] {
			return at
		}
	}
	for at, kid := range parent.kids {
		if g.removed[kid.uid] {
			return at
		}
	}
	if parent != g.now {
		return 0
	}
	if at := slices.Index(parent.kids, g.home); at >= 0 {
		return at
	}
	return len(parent.kids)
}

// remove takes away what goes; what stays below it comes to its place.
func (g *merge) remove() {
	var of func(r *row) []*row
	of = func(r *row) []*row {
		var kids []*row
		for _, kid := range r.kids {
			kept := of(kid)
			if g.removed[kid.uid] && kid.uid != noUID {
				kids = append(kids, kept...)
				continue
			}
			kid.kids = kept
			kids = append(kids, kid)
		}
		return kids
	}
	g.now.kids = of(g.now)
}
