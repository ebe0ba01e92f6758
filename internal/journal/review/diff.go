package review

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// The bounds of a difference.
const (
	mostSections = 100
	mostLines    = 20   // of one tree
	longestLine  = 4000 // characters of one text's line
	longestPart  = 40   // characters of one text in a path
)

// Diff is what a call has changed, to be read by a person. Its texts are cleaned, and
// each is one line.
type Diff struct {
	Head     []string // the call: number, tool, agent, graph, time; then what came of it, where that is more than done
	Says     string   // why, in the agent's words, which nobody has proven; "" if it said nothing
	Sections []Section
	Foot     []string // what can't be restored, and what is not shown
}

// Section describes the changes of one page or block and its descendants.
type Section struct {
	Path    []string // the page's title and the texts above the block; of a page its title
	UID     string   // "" where no single thing is meant
	Lines   []DiffLine
	Now     string // what became of it since, such as "as it was left"; "" where that is no question
	NowMark Mark
}

// Kind is the kind of a line of a difference.
type Kind uint8

// The kinds of lines.
const (
	Context Kind = iota // beside what changed
	Removed             // a text as it was
	Added               // a text as it became
	Note                // what changed besides texts, in words
)

// String returns the kind's name: context, removed, added or note.
func (k Kind) String() string { return [...]string{"context", "removed", "added", "note"}[k] }

// DiffLine is a line of a difference.
type DiffLine struct {
	Kind Kind
	Text string // as Roam stores it, for Removed and Added; indented by two spaces a level
}

// DiffOf returns what a call has changed. With a uid in only it returns what has
// changed at that page or block alone, or in the tree that it came or went with.
func DiffOf(r history.Record, only string, now Now, names Names) Diff {
	return wholeOf(r).diff(r, only, now, names)
}

// AllOf returns DiffOf with every line of it.
func AllOf(r history.Record, only string, now Now, names Names) Diff {
	w := wholeOf(r)
	w.all = true
	return w.diff(r, only, now, names)
}

func (w *whole) diff(r history.Record, only string, now Now, names Names) Diff {
	d := Diff{Head: head(r, now, names), Says: says(r.Call)}
	items := w.items(only)
	most := mostSections
	if w.all {
		most = len(items)
	}
	for _, uid := range items[:min(len(items), most)] {
		d.Sections = append(d.Sections, w.section(uid, now))
	}
	if more := len(items) - len(d.Sections); more > 0 {
		d.Foot = append(d.Foot, "and "+plural(more, "more place"))
	}
	if only == "" {
		d.Sections = append(d.Sections, w.shortcutSection()...)
		d.Sections = append(d.Sections, asked(w.bare)...)
	}
	d.Foot = append(d.Foot, w.foot(r)...)
	return d
}

func head(r history.Record, now Now, names Names) []string {
	c := r.Call
	line := fmt.Sprintf("%d  %s by %s (session s%d) in %s, %s", c.ID, clean(c.Tool), clean(c.Agent), c.Session, clean(names(c.Graph)), clock(c.At, now.At, toTheSecond))
	if c.Took > 0 {
		line += fmt.Sprintf(", %d ms", c.Took.Milliseconds())
	}
	lines := []string{line}
	if result := ResultOf(c); result.Mark != Done {
		lines = append(lines, result.Words)
	}
	if c.Evidence != "" {
		lines = append(lines, "seen: "+cut(clean(c.Evidence), 200))
	}
	if len(r.Changes) == 1 {
		return lines
	}
	for _, change := range r.Changes {
		if change.State != history.StateDone && len(lines) < 10 {
			lines = append(lines, fmt.Sprintf("%d.%d  %s: %s%s", c.ID, change.Seq, clean(change.Action), clean(string(change.State)), because(change.Code)))
		}
	}
	return lines
}

// says returns the reason that an agent gave in its arguments.
func says(c history.Call) string {
	var arguments struct {
		Reason string `json:"reason"`
	}
	if json.Unmarshal(c.Args, &arguments) != nil {
		return ""
	}
	return cut(clean(arguments.Reason), 200)
}

// items returns what has sections, in the order in which they are read: what was meant
// first, then what followed from it.
func (w *whole) items(only string) (uids []string) {
	for _, uid := range w.uids {
		if only != "" && uid != only && w.fact(uid).Page != only {
			continue
		}
		top := false
		switch {
		case w.made(uid) && w.gone(uid), !w.known(uid):
		case w.made(uid):
			top = !w.made(w.after[uid].Parent)
		case w.gone(uid):
			top = !w.gone(w.before[uid].Parent)
		default:
			top = len(w.changes(uid)) > 0
		}
		if top || uid == only && w.known(uid) && (w.made(uid) || w.gone(uid)) {
			uids = append(uids, uid)
		}
	}
	places := map[string]string{}
	for _, uid := range uids {
		places[uid] = strings.Join(w.path(uid, nil), "\x00")
	}
	slices.SortStableFunc(uids, func(a, b string) int {
		return cmp.Or(cmp.Compare(w.rank(a), w.rank(b)), cmp.Compare(places[a], places[b]), cmp.Compare(w.fact(a).Order, w.fact(b).Order), cmp.Compare(a, b))
	})
	return uids
}

func (w *whole) rank(uid string) int {
	r := w.roles[uid]
	switch {
	case r.has(fact.RoleTarget), r.has(fact.RoleMade), r.has(fact.RoleGone):
		return 0
	case r.has(fact.RoleImplied):
		return 1
	}
	return 2
}
