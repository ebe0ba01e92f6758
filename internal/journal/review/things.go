package review

import (
	"cmp"
	"maps"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/lazyregexp"
)

// roles are the roles that something has in the changes of a call.
type roles uint16

func (r roles) has(role fact.Role) bool { return r&(1<<role) != 0 }

// whole is what all changes of a call did together.
type whole struct {
	before, after          map[string]fact.Fact // the first and the last that is known of each thing
	now                    map[string]fact.Fact // what Roam has; nil: not known
	roles                  map[string]roles
	placed                 map[string]bool // what was to be moved
	all                    bool            // nothing of it is cut
	uids                   []string        // all that was touched or read, each once
	shortcuts              [2][]string     // before and after; nil: not read
	titles                 map[string]string
	lacks                  []string
	unread                 bool // whether facts are missing of what became of it
	bare                   []history.ChangeRecord
	mergedFrom, mergedInto string // titles of pages
}

// wholeOf puts the changes of a call together. Those that did not happen are left out.
func wholeOf(r history.Record) *whole {
	w := &whole{
		before: map[string]fact.Fact{}, after: map[string]fact.Fact{}, roles: map[string]roles{},
		placed: map[string]bool{}, titles: r.Pages,
	}
	for _, c := range r.Changes {
		if c.State != history.StateRefused && c.State != history.StateNotDone {
			w.add(c)
		}
	}
	return w
}

func (w *whole) add(c history.ChangeRecord) {
	// What can't be read any more counts as not kept.
	before, _ := fact.Parse(c.Before)
	after, _ := fact.Parse(c.After)
	for _, touch := range c.Touches {
		w.see(touch.UID)
		w.roles[touch.UID] |= 1 << touch.Role
		if c.Class == fact.ClassPlace && touch.Role == fact.RoleTarget {
			w.placed[touch.UID] = true
		}
	}
	for _, uid := range sortedKeys(before.Things) {
		w.see(uid)
		_, was := w.before[uid]
		_, is := w.after[uid]
		if !was && !is {
			w.before[uid] = before.Things[uid]
		}
	}
	for _, uid := range sortedKeys(after.Things) {
		w.see(uid)
		w.after[uid] = after.Things[uid]
	}
	if before.Shortcuts != nil && w.shortcuts[0] == nil {
		w.shortcuts[0] = before.Shortcuts
	}
	if after.Shortcuts != nil {
		w.shortcuts[1] = after.Shortcuts
	}
	for _, lack := range c.Lacks {
		if !slices.Contains(w.lacks, lack) {
			w.lacks = append(w.lacks, lack)
		}
	}
	if c.Class == fact.ClassMerge {
		w.mergedFrom, w.mergedInto = mergedPages(before, c.Touches)
	}
	switch {
	case len(before.Things)+len(after.Things) == 0 && before.Shortcuts == nil:
		w.bare = append(w.bare, c)
	case len(after.Things) == 0 && after.Shortcuts == nil && c.Class != fact.ClassGone:
		w.unread = true
	}
}

func (w *whole) see(uid string) {
	if _, seen := w.roles[uid]; !seen {
		w.roles[uid] = 0
		w.uids = append(w.uids, uid)
	}
}

// made reports whether something came to be.
func (w *whole) made(uid string) bool {
	after, there := w.after[uid]
	if there && after.Gone {
		return false
	}
	if w.roles[uid].has(fact.RoleMade) || w.roles[uid].has(fact.RoleImplied) {
		return true
	}
	before, known := w.before[uid]
	return there && known && before.Gone
}

// fact returns what is known of a thing: as it became, or else as it was.
func (w *whole) fact(uid string) fact.Fact {
	if f, known := w.after[uid]; known && !f.Gone {
		return f
	}
	return w.before[uid]
}

func (w *whole) known(uid string) bool {
	_, was := w.before[uid]
	_, is := w.after[uid]
	return was || is
}

// gone reports whether something ceased to be.
func (w *whole) gone(uid string) bool {
	before, known := w.before[uid]
	if !known || before.Gone {
		return false
	}
	after, there := w.after[uid]
	return there && after.Gone || !there && w.roles[uid].has(fact.RoleGone)
}

// topsOf returns what in a set lies below nothing else in it, in the order of their
// pages and places.
func topsOf(set map[string]bool, state fact.State) (tops []string) {
	for uid := range set {
		if !set[state.Things[uid].Parent] {
			tops = append(tops, uid)
		}
	}
	slices.SortFunc(tops, func(aUID, bUID string) int {
		a, b := state.Things[aUID], state.Things[bUID]
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Parent, b.Parent), cmp.Compare(a.Order, b.Order), cmp.Compare(aUID, bUID))
	})
	return tops
}

// deepest bounds a walk upwards, for facts that lead in a circle.
const deepest = 1000

func isBelow(uid, top string, state fact.State) bool {
	for range deepest {
		if uid == "" {
			return false
		}
		if uid = state.Things[uid].Parent; uid == top {
			return true
		}
	}
	return false
}

// mergedPages returns the titles of the page that went into another, and of the other.
func mergedPages(before fact.State, touches []fact.Touch) (from, into string) {
	for _, touch := range touches {
		title := before.Things[touch.UID].Title
		switch {
		case title == "":
		case touch.Role == fact.RoleGone:
			from = title
		case touch.Role == fact.RoleTarget:
			into = title
		}
	}
	return from, into
}

// dailyTitle matches the titles of daily notes.
var dailyTitle = lazyregexp.New(`^(January|February|March|April|May|June|July|August|September|October|November|December) [0-9]{1,2}(st|nd|rd|th), [0-9]{4}$`)

// nameOf quotes a title or a text; the title of a daily note stands as it is.
func nameOf(f fact.Fact) string {
	switch {
	case dailyTitle.MatchString(f.Title):
		return f.Title
	case f.Title != "":
		return quote(f.Title)
	case f.Text != "":
		return quote(f.Text)
	}
	return "an empty block"
}

func sortedKeys(things map[string]fact.Fact) []string {
	return slices.Sorted(maps.Keys(things))
}
