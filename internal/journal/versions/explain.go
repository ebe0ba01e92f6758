package versions

import (
	"slices"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/history"
)

const (
	// slack is by how much Roam's times and those of the journal may differ.
	slack = time.Second / 4
	// longestWrite is how long after it was sent a write may have been done whose end is
	// not known.
	longestWrite = time.Minute
	// mostAsked bounds the pages and blocks whose changes are looked for.
	mostAsked = 2000
)

// difference is what differs between two states of a page.
type difference struct {
	changed map[string]bool // pages and blocks that are new, or not as they were
	removed map[string]bool // blocks that are not on the page any more
	places  map[string]bool // that got or lost a child
}

// uids returns all of them.
func (d difference) uids() []string {
	var uids []string
	for _, some := range []map[string]bool{d.changed, d.removed, d.places} {
		for uid := range some {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	uids = slices.Compact(uids)
	return uids[:min(len(uids), mostAsked)]
}

// compare returns what differs between two states of a page, as Kept returns them.
func compare(before, now note.Node) difference {
	d := difference{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	was, is := placed(before), placed(now)
	if before.Title != now.Title || before.View != now.View {
		d.changed[now.UID] = true
	}
	for uid, b := range is {
		if a, there := was[uid]; !there || a.parent != b.parent || !sameBlock(a.node, b.node) {
			d.changed[uid] = true
			if !there || a.parent != b.parent {
				d.places[b.parent] = true
			}
			if there && a.parent != b.parent {
				d.places[a.parent] = true
			}
		}
	}
	for uid, a := range was {
		if _, there := is[uid]; !there {
			d.removed[uid], d.places[a.parent] = true, true
		}
	}
	d.addReordered(before, now, was, is)
	return d
}

// placedBlock is a block with the uid of what it is below.
type placedBlock struct {
	node   *note.Node
	parent string
}

// placed returns the blocks of a page by uid.
func placed(page note.Node) map[string]placedBlock {
	blocks := map[string]placedBlock{}
	var walk func(parent string, nodes []note.Node)
	walk = func(parent string, nodes []note.Node) {
		for i := range nodes {
			blocks[nodes[i].UID] = placedBlock{&nodes[i], parent}
			walk(nodes[i].UID, nodes[i].Children)
		}
	}
	walk(page.UID, page.Children)
	return blocks
}

func sameBlock(a, b *note.Node) bool {
	return a.Text == b.Text && a.Heading == b.Heading && a.View == b.View && a.Align == b.Align && a.Collapsed == b.Collapsed
}

// addReordered adds blocks that are below the same parent in another order.
func (d difference) addReordered(before, now note.Node, was, is map[string]placedBlock) {
	stayed := func(page note.Node, other map[string]placedBlock) map[string][]string {
		order := map[string][]string{} // by parent
		var walk func(parent string, nodes []note.Node)
		walk = func(parent string, nodes []note.Node) {
			for i := range nodes {
				if each, there := other[nodes[i].UID]; there && each.parent == parent {
					order[parent] = append(order[parent], nodes[i].UID)
				}
				walk(nodes[i].UID, nodes[i].Children)
			}
		}
		walk(page.UID, page.Children)
		return order
	}
	earlier, later := stayed(before, is), stayed(now, was)
	for parent, uids := range earlier {
		for i, uid := range uids {
			if later[parent][i] != uid { // both have the same blocks
				d.changed[uid], d.places[parent] = true, true
			}
		}
	}
}

// explain returns the newest of the writes that explains a difference to the newest
// version, and whether there is one. Updated is when the page was edited last.
func explain(d difference, writings []history.Writing, newest history.Version, updated time.Time) (history.Writing, bool) {
	for _, w := range writings {
		after := w.Done.IsZero() || !w.Done.Before(newest.Seen)
		// A deletion and a move leave no time on the page.
		timed := covers(w, updated) && (updated.After(newest.Updated) || after && updated.Equal(newest.Updated))
		untimed := after && !updated.After(newest.Updated) && restructures(w.Class)
		if (timed || untimed) && slices.ContainsFunc(w.Touches, func(t fact.Touch) bool { return d.isBy(w, t, timed) }) {
			return w, true
		}
	}
	return history.Writing{}, false
}

// covers reports whether a write can have been done at a time.
func covers(w history.Writing, at time.Time) bool {
	done := w.Done
	if done.IsZero() {
		done = w.Sent.Add(longestWrite)
	}
	return !at.Before(w.Sent.Add(-slack)) && !at.After(done.Add(slack))
}

// restructures reports whether changes of a class leave no time on what they change.
func restructures(class fact.Class) bool {
	return class != fact.ClassText && class != fact.ClassMake && class != fact.ClassComment
}

// isBy reports whether what a write touched is a part of the difference.
func (d difference) isBy(w history.Writing, t fact.Touch, timed bool) bool {
	moves := w.Class == fact.ClassPlace || w.Class == fact.ClassMerge
	switch t.Role {
	case fact.RoleGone:
		return d.removed[t.UID]
	case fact.RolePlace:
		return d.places[t.UID] && timed && !w.KnowsMade && (w.Class == fact.ClassMake || w.Class == fact.ClassComment)
	case fact.RoleTarget:
		return d.changed[t.UID] || d.removed[t.UID] && moves
	case fact.RoleMade, fact.RoleReferrer, fact.RoleImplied:
		return d.changed[t.UID]
	}
	return false
}
