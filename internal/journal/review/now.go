package review

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// Now is what Roam has at a moment.
type Now struct {
	Known bool       // false: Roam can't be asked
	Why   string     // why it is not known, in words; "": Roam can't be asked
	State fact.State // of what Missing names; what it has not is not known
	At    time.Time  // the moment, in the time zone of the reader
}

// mostAsked is how many facts of one call Missing names.
const mostAsked = 500

// Missing returns the uids whose facts DiffOf would need, beside those in known, to
// say what became of each since, and where it is. When these were read it may name
// further ones, above them; it names none twice that known has.
func Missing(r history.Record, only string, known fact.State) []string {
	w := wholeOf(r)
	var missing []string
	named := map[string]bool{}
	add := func(uid string) {
		if _, has := known.Things[uid]; uid != "" && !has && !named[uid] && len(missing) < mostAsked {
			named[uid] = true
			missing = append(missing, uid)
		}
	}
	items := w.items(only)
	items = items[:min(len(items), mostSections)]
	for _, uid := range items {
		add(uid)
	}
	for _, uid := range items {
		for _, above := range w.unknownAbove(uid, known.Things) {
			add(above)
		}
	}
	for _, uid := range items {
		for _, below := range w.treeBelow(uid) {
			add(below)
		}
	}
	return missing
}

// unknownAbove returns the uids that the paths of a thing lack: where it is, and where it
// was.
func (w *whole) unknownAbove(uid string, now map[string]fact.Fact) (uids []string) {
	uids = w.lackingAbove(w.fact(uid), w.after, w.before, now)
	if was := w.before[uid]; was.Parent != w.fact(uid).Parent {
		uids = append(uids, w.lackingAbove(was, w.before, now)...)
	}
	return uids
}

// lackingAbove returns the uids above a thing that sources don't name.
func (w *whole) lackingAbove(f fact.Fact, sources ...map[string]fact.Fact) (uids []string) {
	if w.pageTitle(f.Page, sources) == "" {
		uids = append(uids, f.Page)
	}
	for range deepest {
		if f.Parent == "" {
			break
		}
		above, known := find(f.Parent, sources)
		if !known {
			if f.Parent != f.Page {
				uids = append(uids, f.Parent)
			}
			break
		}
		f = above
	}
	return uids
}

// treeBelow returns what was made with a thing, below it.
func (w *whole) treeBelow(top string) (uids []string) {
	if !w.made(top) {
		return nil
	}
	state := fact.State{Things: w.after}
	for _, uid := range w.uids {
		if uid != top && w.made(uid) && isBelow(uid, top, state) {
			uids = append(uids, uid)
		}
	}
	return uids
}

// since says what became of a thing, and of what was made with it, after the change.
func (w *whole) since(uid string, now Now) (string, Mark) {
	if !now.Known {
		return "not known: " + cmp.Or(now.Why, "Roam can't be asked"), NoMark
	}
	words, mark := w.sinceOf(uid, now)
	if mark != Done {
		return words, mark
	}
	changed := 0
	var last fact.Fact
	for _, below := range w.treeBelow(uid) {
		if _, mark := w.sinceOf(below, now); mark != Done && mark != NoMark {
			changed++
			if f := now.State.Things[below]; f.Edited > last.Edited {
				last = f
			}
		}
	}
	if changed == 0 {
		return words, mark
	}
	return fmt.Sprintf("%s below it changed since%s", plain(changed), byWhom(last, now)), Unsure
}

func (w *whole) sinceOf(uid string, now Now) (string, Mark) {
	switch w.became(uid, now.State) {
	case AsLeft:
		return "as it was left", Done
	case Back:
		return "there again", Unsure
	case Gone:
		return "gone", Failed
	case Changed:
		return "changed since" + byWhom(now.State.Things[uid], now), Unsure
	case Unknown:
	}
	return "", NoMark
}

// Since is what became of something after a change.
type Since uint8

// The values of Since.
const (
	Unknown Since = iota
	AsLeft
	Changed
	Gone
	Back // it was deleted, and is there
)

func (w *whole) became(uid string, now fact.State) Since {
	is, read := now.Things[uid]
	left, known := w.after[uid]
	switch {
	case !read:
		return Unknown
	case w.gone(uid) && is.Gone:
		return AsLeft
	case w.gone(uid):
		return Back
	case is.Gone:
		return Gone
	case !known:
		return Unknown
	case w.differs(uid, left, is):
		return Changed
	}
	return AsLeft
}

// Thing is a page or block that a call has changed, as it was before and after. Of what was made the
// one is zero, of what was deleted the other; both are where no texts are kept.
type Thing struct {
	UID     string
	Was, Is fact.Fact
	Fields  []fact.Field // what of it was changed; none of what was made or deleted
	Since   Since
}

// Things returns all that a call has changed, what was meant first. now is what Roam has, as far as it
// is known.
func Things(r history.Record, now fact.State) (things []Thing) {
	w := wholeOf(r)
	for _, uid := range w.uids {
		thing := Thing{UID: uid, Since: w.became(uid, now)}
		switch role := w.roles[uid]; {
		case w.made(uid) && w.gone(uid):
			continue
		case !w.known(uid) && !role.has(fact.RoleTarget) && !role.has(fact.RoleMade) && !role.has(fact.RoleGone):
			continue
		case !w.known(uid):
		case w.made(uid):
			thing.Is = w.after[uid]
		case w.gone(uid):
			thing.Was = w.before[uid]
		case len(w.changes(uid)) == 0:
			continue
		default:
			left, read := w.after[uid]
			if thing.Was, thing.Is = w.before[uid], left; read {
				thing.Fields = thing.Was.Differs(left)
			}
		}
		things = append(things, thing)
	}
	slices.SortStableFunc(things, func(a, b Thing) int { return cmp.Compare(w.rank(a.UID), w.rank(b.UID)) })
	return things
}

// differs reports whether a thing is not as it was left: its text, its title or what it
// is below, or else a field that the change had set.
func (w *whole) differs(uid string, left, is fact.Fact) bool {
	was, known := w.before[uid]
	fresh := !known || w.made(uid)
	set := map[fact.Field]bool{}
	for _, d := range differences(was, left) {
		set[d.Field] = true
	}
	for _, d := range differences(left, is) {
		switch d.Field {
		case fact.Text, fact.Title, fact.Existence:
			return true
		case fact.Place:
			if left.Parent != is.Parent {
				return true
			}
		case fact.Heading, fact.Align, fact.ChildrenView, fact.BlockView, fact.Props:
			if fresh || set[d.Field] {
				return true
			}
		case fact.Open:
			if !fresh && set[d.Field] {
				return true
			}
		case fact.Children, fact.Shortcut, fact.List: // others come and go beside it
		}
	}
	return false
}

func byWhom(f fact.Fact, now Now) string {
	words := " by " + cut(clean(cmp.Or(f.EditorName, f.Editor, "somebody unknown")), longestPart)
	if f.Edited > 0 {
		words += ", " + clock(time.UnixMilli(f.Edited), now.At, toTheMinute)
	}
	return words
}
