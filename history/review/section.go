package review

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/history"
	"roam-mcp/history/fact"
)

// section returns what has changed at a thing.
func (w *whole) section(uid string, now Now) Section {
	s := Section{Path: w.path(uid, now.State.Things), UID: uid}
	switch {
	case w.made(uid):
		s.Lines = w.tree(uid, Added, w.after, w.made)
		if w.roles[uid].has(history.Implied) {
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
		case len(lines) >= mostLines || level > mostLines:
			left++
		default:
			lines = append(lines, textLines(kind, f.Text, level)...)
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
func textLines(kind Kind, text string, level int) []DiffLine {
	indent := strings.Repeat("  ", level)
	all := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	var lines []DiffLine
	for _, line := range all[:min(len(all), mostLines)] {
		lines = append(lines, DiffLine{kind, indent + cut(clean(line), longestLine)})
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
		if known && w.roles[uid].has(history.Target) {
			lines = append(lines, textLines(Context, w.fact(uid).Text, 0)...)
			return append(lines, DiffLine{Note, "what it became has not been read"})
		}
		return nil
	}
	if was.Text != is.Text {
		lines = append(lines, textLines(Removed, was.Text, 0)...)
		lines = append(lines, textLines(Added, is.Text, 0)...)
	}
	if was.Title != is.Title {
		lines = append(lines, DiffLine{Note, fmt.Sprintf("renamed %s, was %s", quote(is.Title), quote(was.Title))})
	}
	for _, words := range append(w.notes(was, is), w.moves(uid, was, is)...) {
		lines = append(lines, DiffLine{Note, words})
	}
	if len(lines) > 0 && w.roles[uid].has(history.Referrer) && !w.roles[uid].has(history.Target) {
		lines = append(lines, DiffLine{Note, "rewritten by Roam, since it refers to what changed"})
	}
	return lines
}

// notes says what differs besides text and place.
func (w *whole) notes(was, is fact.Fact) (notes []string) {
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if was.Heading != is.Heading {
		say("heading %s, was %s", level(is.Heading), level(was.Heading))
	}
	if folded(was) != folded(is) {
		say("%s", map[bool]string{true: "folded", false: "unfolded"}[folded(is)])
	}
	for _, field := range []struct{ name, was, is, usual string }{
		{"aligned", was.Align, is.Align, "left"},
		{"children shown as", was.ChildrenView, is.ChildrenView, "bullets"},
		{"shown as", was.BlockView, is.BlockView, "outline"},
	} {
		if cmp.Or(field.was, field.usual) != cmp.Or(field.is, field.usual) {
			say("%s %s, was %s", field.name, cut(clean(cmp.Or(field.is, field.usual)), longestPart), cut(clean(cmp.Or(field.was, field.usual)), longestPart))
		}
	}
	if !bytes.Equal(was.Props, is.Props) {
		say("properties %s, were %s", properties(is), properties(was))
	}
	return notes
}

// moves says where something was, if it is elsewhere now.
func (w *whole) moves(uid string, was, is fact.Fact) []string {
	switch {
	case was.Parent != is.Parent:
		return []string{fmt.Sprintf("moved from %s to %s", w.place(was, w.before), w.place(is, w.after))}
	case w.placed[uid] && (was.Left != is.Left || was.Right != is.Right):
		return []string{fmt.Sprintf("moved %s, was %s", w.beside(is), w.beside(was))}
	case !slices.Equal(was.Children, is.Children) && sameElements(was.Children, is.Children):
		names := make([]string, 0, len(is.Children))
		for _, child := range is.Children[:min(len(is.Children), 8)] {
			names = append(names, w.called(child))
		}
		if len(is.Children) > len(names) {
			names = append(names, "…")
		}
		return []string{"in a new order below: " + strings.Join(names, ", ")}
	}
	return nil
}

// place names what something lies below.
func (w *whole) place(f fact.Fact, things map[string]fact.Fact) string {
	above := w.above(f, things)
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

func folded(f fact.Fact) bool { return f.Open != nil && !*f.Open }

func properties(f fact.Fact) string {
	if len(f.Props) == 0 {
		return "none"
	}
	return cut(clean(string(f.Props)), 200)
}

func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
