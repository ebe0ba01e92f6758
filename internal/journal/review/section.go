package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
)

// section returns what has changed at a thing.
func (w *whole) section(uid string, now Now) Section {
	w.now = now.State.Things
	s := Section{Path: w.path(uid, w.now), UID: uid}
	switch {
	case w.made(uid):
		s.Lines = w.tree(uid, Added, w.after, w.made)
		if w.roles[uid].has(fact.RoleImplied) {
			s.Lines = append([]DiffLine{{Note, "page that Roam made, since a text mentions it"}}, s.Lines...)
		} else if w.after[uid].Title != "" {
			s.Lines = append([]DiffLine{{Note, "page made"}}, s.Lines...)
		}
	case w.gone(uid):
		s.Lines = w.tree(uid, Removed, w.before, w.gone)
		if title := w.before[uid].Title; title != "" {
			words := "page deleted"
			if title == w.mergedFrom {
				words = "page merged into " + quote(w.mergedInto)
			}
			s.Lines = append([]DiffLine{{Note, words}}, s.Lines...)
		}
	default:
		s.Lines = w.changes(uid)
	}
	s.Now, s.NowMark = w.since(uid, now)
	return s
}

// tree returns the lines of a tree that came or went, cut after some. A page's title
// is not among them: it is the section's path.
func (w *whole) tree(top string, kind Kind, things map[string]fact.Fact, in func(string) bool) []DiffLine {
	below := map[string][]string{}
	for uid, f := range things {
		if uid != top && in(uid) {
			below[f.Parent] = append(below[f.Parent], uid)
		}
	}
	var lines []DiffLine
	left := 0
	var walk func(uid string, level int)
	walk = func(uid string, level int) {
		f, known := things[uid]
		switch {
		case known && f.Title != "":
			level--
		case !w.all && (len(lines) >= mostLines || level > mostLines):
			left++
		default:
			lines = append(lines, w.textLines(kind, f.Text, level)...)
		}
		children := below[uid]
		delete(below, uid) // facts that lead in a circle end here
		slices.SortFunc(children, func(a, b string) int {
			return cmp.Or(cmp.Compare(things[a].Order, things[b].Order), cmp.Compare(a, b))
		})
		for _, child := range children {
			walk(child, level+1)
		}
	}
	walk(top, 0)
	if left > 0 {
		lines = append(lines, DiffLine{Context, fmt.Sprintf("and %s below", plain(left))})
	}
	return lines
}

// textLines returns a text as lines of a difference, cut where it has too many.
func (w *whole) textLines(kind Kind, text string, level int) []DiffLine {
	indent := strings.Repeat("  ", level)
	all := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	var lines []DiffLine
	most, longest := mostLines, longestLine
	if w.all {
		most, longest = len(all), len(text)
	}
	for _, line := range all[:min(len(all), most)] {
		lines = append(lines, DiffLine{kind, indent + cut(clean(line), longest)})
	}
	if more := len(all) - len(lines); more > 0 {
		lines = append(lines, DiffLine{Context, indent + "and " + plural(more, "more line")})
	}
	return lines
}

// changes returns what differs at a thing that was there before and is there after.
func (w *whole) changes(uid string) (lines []DiffLine) {
	was, known := w.before[uid]
	is, read := w.after[uid]
	if !known || !read {
		if known && w.roles[uid].has(fact.RoleTarget) {
			lines = append(lines, w.textLines(Context, w.fact(uid).Text, 0)...)
			return append(lines, DiffLine{Note, "what it became has not been read"})
		}
		return nil
	}
	for _, d := range differences(was, is) {
		lines = append(lines, w.difference(uid, d)...)
	}
	if len(lines) > 0 && lines[0].Kind == Note && is.Text != "" { // its text stays, and says which block it is
		lines = append(w.textLines(Context, is.Text, 0)[:1], lines...)
	}
	if len(lines) > 0 && w.roles[uid].has(fact.RoleReferrer) && !w.roles[uid].has(fact.RoleTarget) {
		lines = append(lines, DiffLine{Note, "rewritten by Roam, since it refers to what changed"})
	}
	return lines
}

// differences returns the fields in which two facts of a thing differ.
func differences(was, is fact.Fact) []fact.Difference {
	one := func(f fact.Fact) fact.State { return fact.State{Things: map[string]fact.Fact{"": f}} }
	return fact.Diff(one(was), one(is))
}

// difference says what differs in one field.
func (w *whole) difference(uid string, d fact.Difference) []DiffLine {
	was, is := d.Before, d.After
	note := func(format string, args ...any) []DiffLine {
		return []DiffLine{{Note, fmt.Sprintf(format, args...)}}
	}
	named := func(name, was, is, usual string) []DiffLine {
		if was, is = cmp.Or(was, usual), cmp.Or(is, usual); was == is {
			return nil
		}
		return note("%s %s, was %s", name, cut(clean(is), longestPart), cut(clean(was), longestPart))
	}
	switch d.Field {
	case fact.Text:
		return append(w.textLines(Removed, was.Text, 0), w.textLines(Added, is.Text, 0)...)
	case fact.Title:
		return note("renamed %s, was %s", quote(is.Title), quote(was.Title))
	case fact.Heading:
		return note("heading %s, was %s", level(is.Heading), level(was.Heading))
	case fact.Open:
		return note("%s", map[bool]string{true: "unfolded", false: "folded"}[is.IsOpen()])
	case fact.Align:
		return named("aligned", was.Align, is.Align, "left")
	case fact.ChildrenView:
		return named("children shown as", was.ChildrenView, is.ChildrenView, "bullet")
	case fact.BlockView:
		return named("shown as", was.BlockView, is.BlockView, "outline")
	case fact.Props:
		return note("properties %s, were %s", properties(is), properties(was))
	case fact.Place:
		if was.Parent != is.Parent {
			return note("moved from %s to %s", w.place(was, w.before), w.place(is, w.after))
		}
		if w.placed[uid] {
			return note("moved %s, was %s", w.beside(is), w.beside(was))
		}
	case fact.Children:
		if sameElements(was.Children, is.Children) {
			return note("in a new order below: %s", w.listed(is.Children))
		}
	case fact.Existence, fact.Shortcut, fact.List: // said elsewhere
	}
	return nil
}

// listed names some blocks.
func (w *whole) listed(uids []string) string {
	const most = 8
	names := make([]string, 0, most)
	for _, uid := range uids[:min(len(uids), most)] {
		names = append(names, w.called(uid))
	}
	if len(uids) > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// place names what something lies below.
func (w *whole) place(f fact.Fact, things map[string]fact.Fact) string {
	above := w.above(f, things, w.now)
	for i := range above {
		above[i] = cut(clean(above[i]), longestPart)
	}
	if len(above) == 0 {
		return "((" + clean(f.Parent) + "))"
	}
	return strings.Join(above, " > ")
}

func (w *whole) beside(f fact.Fact) string {
	switch {
	case f.Left != "":
		return "after " + w.called(f.Left)
	case f.Right != "":
		return "before " + w.called(f.Right)
	}
	return "alone"
}

// called names a thing by its text, or else by its uid.
func (w *whole) called(uid string) string {
	if f := w.fact(uid); f.Text != "" || f.Title != "" {
		return nameOf(f)
	}
	return "((" + clean(uid) + "))"
}

func level(heading int) string {
	if heading == 0 {
		return "none"
	}
	return fmt.Sprint(heading)
}

func properties(f fact.Fact) string {
	if len(f.Props) == 0 {
		return "none"
	}
	return cut(clean(string(f.Props)), 200)
}

func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
