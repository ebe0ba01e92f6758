package kit

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

const (
	// listMargin is how many lines stay in sight above and below a row that a key has
	// selected.
	listMargin = 2
	// minMore is the least height in which a list says how much is above and below.
	minMore = 3
)

// ListKeys are the bindings of a list. Choose are those that move while a filter is typed.
type ListKeys struct {
	ScrollKeys
	Filter, Keep, Drop, Clear, Choose key.Binding
}

// List is where a person is in a list: the selected row, the lines in sight, and the filter.
// It knows rows by their keys, so that the selected one stays selected, and where it is on the
// screen, when others come and go.
type List[K comparable] struct {
	Filter Filter
	// Newest has the last row selected, not the first one, until another is.
	Newest bool

	rows     func() (n int, key func(i int) K) // as they are filtered now
	selected K
	held     bool // selected is set
	at       int  // index of the selected row when it was last seen
	// anchor is the line of the window that the selected row is to be on. It is taken anew
	// after a move, by which so many lines at least are to be in sight around the row.
	anchor, around int
	moved          bool

	top   int // line of the screen that the list begins at
	from  int // line of the list that the window begins at
	lines []listLine
	shown []listLine // in the window; those that something covers are zero
}

// listLine is a line of a list: one of a row, or one above its section's rows.
type listLine struct {
	section, row, part int // row is its index from 1, 0 for a heading; part is the line's index within these
}

// NewList returns a list of rows: how many there are, and the key of each.
func NewList[K comparable](filterLimit int, rows func() (n int, key func(i int) K)) List[K] {
	return List[K]{Filter: Filter{Limit: filterLimit}, anchor: listMargin, rows: rows}
}

// Len returns how many rows there are.
func (l *List[K]) Len() int {
	n, _ := l.rows()
	return n
}

// Selected returns the index of the selected row, -1 where there is no row. Where the row is
// gone it is the one in its place.
func (l *List[K]) Selected() int {
	n, keyOf := l.rows()
	if !l.held && l.Newest {
		return n - 1
	}
	if l.held && (l.at >= n || keyOf(l.at) != l.selected) {
		for i := range n {
			if keyOf(i) == l.selected {
				l.at = i
				break
			}
		}
	}
	return min(l.at, n-1)
}

// Held reports whether a row was selected that stays selected.
func (l *List[K]) Held() bool { return l.held }

// Release selects the first row, or the newest one, whichever that becomes.
func (l *List[K]) Release() { l.held, l.at = false, 0 }

// Suggest selects a row until another one is selected.
func (l *List[K]) Suggest(index int) { l.at, l.moved, l.around = index, true, listMargin }

// Hold has the selected row stay selected.
func (l *List[K]) Hold() {
	if n, keyOf := l.rows(); !l.held && n > 0 {
		l.at = l.Selected()
		l.selected, l.held = keyOf(l.at), true
	}
}

// Select selects a row, or the nearest one there is.
func (l *List[K]) Select(index int) { l.choose(index, 0) }

// choose is Select, with so many lines in sight around the row.
func (l *List[K]) choose(index, around int) {
	n, keyOf := l.rows()
	if n == 0 {
		return
	}
	l.at, l.moved, l.around = min(max(index, 0), n-1), true, around
	l.selected, l.held = keyOf(l.at), !l.Newest || l.at < n-1
}

// Next selects the next row, as a key does.
func (l *List[K]) Next() { l.choose(l.Selected()+1, listMargin) }

// HandleKey moves, or types the filter, and reports whether the key was one that does.
func (l *List[K]) HandleKey(k ListKeys, press tea.KeyPressMsg) bool {
	if l.Filter.Typing && !key.Matches(press, k.Choose) {
		l.refilter(func() { l.Filter.handleKey(k, press) })
		return true
	}
	at := l.Selected()
	if to, ok := k.Move(press, at, max(len(l.shown)-listMargin, 1), l.Len()-1); ok {
		l.choose(to, listMargin)
		return true
	}
	switch {
	case key.Matches(press, k.Filter) && l.Filter.Limit > 0:
		l.Filter.Typing = true
	case key.Matches(press, k.Drop) && l.Filter.Text != "":
		l.Filter.Text = ""
	default:
		return false
	}
	return true
}

// Paste adds text to the filter while it is typed.
func (l *List[K]) Paste(text string) {
	if l.Filter.Typing {
		l.refilter(func() { l.Filter.extend(text) })
	}
}

// refilter changes the filter. The selected row stays selected if it fits another text, else
// the first one is that does.
func (l *List[K]) refilter(change func()) {
	before, held := l.Filter.Text, l.held
	l.Hold()
	change()
	if !l.Filter.Typing || l.Filter.Text == before {
		l.held = held
		return
	}
	at := l.Selected()
	if _, keyOf := l.rows(); at >= 0 && keyOf(at) != l.selected {
		at = 0
	}
	l.choose(at, listMargin)
}

// Click selects the row on a line of the screen.
func (l *List[K]) Click(y int) {
	if y -= l.top; y >= 0 && y < len(l.shown) && l.shown[y].row > 0 {
		l.Select(l.shown[y].row - 1)
	}
}

// Wheel scrolls. Another row is selected only if the selected one would leave the window.
func (l *List[K]) Wheel(by int) {
	at, height := l.Selected(), len(l.shown)
	if at < 0 || height == 0 {
		return
	}
	from := min(max(l.from+by, 0), max(len(l.lines)-height, 0))
	first, last := from, from+height-1
	if from > 0 {
		first += stickyLines(height)
	}
	if from+height < len(l.lines) {
		last--
	}
	n := l.Len()
	for at > 0 && l.lineOf(at) > max(last, from) {
		at--
	}
	for at < n-1 && l.lineOf(at) < first {
		at++
	}
	l.Select(at)
	l.from = from
}

// lineOf returns the first line of a row.
func (l *List[K]) lineOf(row int) int {
	return max(slices.IndexFunc(l.lines, func(line listLine) bool { return line.row == row+1 }), 0)
}

// InSight returns the indexes of the rows that were drawn last, from and up to but without.
func (l *List[K]) InSight() (from, to int) {
	for _, line := range l.shown {
		if line.row > 0 {
			if to == 0 {
				from = line.row - 1
			}
			to = line.row
		}
	}
	return from, to
}

// Window returns the line of the screen that the list was drawn at last, and its height.
func (l *List[K]) Window() (top, height int) { return l.top, len(l.shown) }

// Section is a part of a list, with headings that stay in sight while its rows are.
type Section struct {
	Title string   // behind which stands how much is above; "": there is none
	Heads []string // below it
	Rows  int
}

// ListView is how a list is drawn.
type ListView struct {
	Top      int       // line of the screen that it begins at
	Sections []Section // a gap apart; nil: one without headings
	// Row returns the lines of a row, and Height how many these are; nil: one.
	Row    func(i int, selected bool) []string
	Height func(i int) int
	// More says that there are rows behind the last one which are not read yet.
	More bool
}

// View returns the lines around the selected row, at most height, with the headings of what
// is in sight and how much is above and below.
func (l *List[K]) View(look Look, v ListView, width, height int) []string {
	if v.Sections == nil {
		v.Sections = []Section{{Rows: l.Len()}}
	}
	l.layOut(v)
	total, at := len(l.lines), l.Selected()
	height = max(min(height, total), 0)
	l.top, l.shown = v.Top, make([]listLine, height)
	l.scroll(at, height)
	pinned := l.pin(look, v, height)
	out := make([]string, height)
	copy(out, pinned)
	row, drawn := 0, []string(nil)
	for i := len(pinned); i < height; i++ {
		line := l.lines[l.from+i]
		l.shown[i] = line
		if line.row == 0 {
			out[i] = v.Sections[line.section].heading(line.part, line.section > 0)
			continue
		}
		if line.row != row {
			row, drawn = line.row, v.Row(line.row-1, line.row-1 == at)
		}
		out[i] = drawn[line.part]
	}
	if height >= minMore && l.from+height < total {
		l.shown[height-1] = listLine{}
		_, last := l.InSight()
		out[height-1] = moreLine(look, look.Glyphs.Down, l.Len()-last, v.More)
	}
	return out
}

// layOut sets the lines of the list.
func (l *List[K]) layOut(v ListView) {
	l.lines = l.lines[:0]
	row := 0
	for i, s := range v.Sections {
		for part := range s.headings(i > 0) {
			l.lines = append(l.lines, listLine{section: i, part: part})
		}
		for range s.Rows {
			row++
			parts := 1
			if v.Height != nil {
				parts = v.Height(row - 1)
			}
			for part := range parts {
				l.lines = append(l.lines, listLine{i, row, part})
			}
		}
	}
}

// headings returns how many lines are above the rows of a section, with a gap where another
// section is above it.
func (s Section) headings(gap bool) (n int) {
	if gap {
		n++
	}
	if s.Title != "" {
		n++
	}
	return n + len(s.Heads)
}

// heading returns one of these lines.
func (s Section) heading(part int, gap bool) string {
	if gap {
		part--
	}
	if s.Title != "" {
		if part == 0 {
			return s.Title
		}
		part--
	}
	if part < 0 {
		return ""
	}
	return s.Heads[part]
}

// scroll sets the line that the window begins at.
func (l *List[K]) scroll(at, height int) {
	total := len(l.lines)
	if at < 0 {
		l.from = 0
		return
	}
	first := l.lineOf(at)
	last := first
	for last+1 < total && (l.lines[last+1].row == at+1 || at == l.Len()-1) { // with what stands at the end
		last++
	}
	if l.moved {
		l.moved, l.anchor = false, min(max(first-l.from, l.around), max(height-1-l.around, 0))
	}
	below := 0
	if height >= minMore && last < total-1 {
		below = 1 // for how much there is
	}
	l.from = min(max(first-l.anchor, last+1+below-height, 0), max(first-stickyLines(height), 0), total-height)
}

// stickyLines returns how many lines of a window of that height headings may cover.
func stickyLines(height int) int {
	switch {
	case height < minMore:
		return 0
	case height < 6:
		return 1
	}
	return 2
}

// pin returns the lines that cover the first ones of the window: the headings of the section
// there, with how much is above.
func (l *List[K]) pin(look Look, v ListView, height int) []string {
	most := stickyLines(height)
	if l.from == 0 || most == 0 {
		return nil
	}
	inside := l.lines[min(l.from+most, len(l.lines)-1)]
	begin := slices.IndexFunc(l.lines, func(line listLine) bool { return line.section == inside.section })
	s := v.Sections[inside.section]
	if inside.section > 0 {
		begin++ // the gap
	}
	above := func(pinned int) int { // rows above what the pinned lines leave in sight
		for _, line := range l.lines[l.from+pinned:] {
			if line.row > 0 {
				return line.row - 1
			}
		}
		return l.Len()
	}
	switch {
	case inside.row == 0 || l.from < begin || s.Title == "" && (len(s.Heads) == 0 || most == 1):
		return []string{moreLine(look, look.Glyphs.Up, above(1), false)}
	case s.Title == "":
		return []string{s.Heads[0], moreLine(look, look.Glyphs.Up, above(2), false)}
	}
	pinned := append([]string{s.Title}, s.Heads...)
	pinned = pinned[:min(len(pinned), most)]
	if n := above(len(pinned)); n > 0 {
		pinned[0] += look.Theme.Faint.Render(fmt.Sprintf("  %s %d more", look.Glyphs.Up, n))
	}
	return pinned
}

// moreLine says how many rows there are in a direction. Where unknown is set, or none is
// counted, it says that there are some.
func moreLine(look Look, arrow string, n int, unknown bool) string {
	text := fmt.Sprintf("%s %d more", arrow, n)
	if unknown || n == 0 {
		text = arrow + " more"
	}
	return strings.Repeat(" ", RowIndent) + look.Theme.Faint.Render(text)
}

// Marks are rows that are marked, in the order of their marking.
type Marks[K comparable] []K

// Toggle marks a row, or unmarks it.
func (m *Marks[K]) Toggle(row K) {
	if i := slices.Index(*m, row); i >= 0 {
		*m = slices.Delete(*m, i, i+1)
		return
	}
	*m = append(*m, row)
}
