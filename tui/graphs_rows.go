package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// listLayout maps rows to lines of the list: the configured graphs below two lines of
// heading, and the others below a gap and one line.
type listLayout struct{ configured, rows int }

func (s *graphList) layout() listLayout {
	rows, _ := s.rowsAndSelected()
	return listLayout{s.listing.configured, len(rows)}
}

// othersHeading returns the line of the second heading.
func (l listLayout) othersHeading() int {
	if l.configured == 0 {
		return 0
	}
	return l.configured + 3
}

func (l listLayout) lines() int { return l.lineOf(l.rows-1) + 1 }

func (l listLayout) lineOf(row int) int {
	if row < l.configured {
		return row + 2
	}
	return l.othersHeading() + 1 + row - l.configured
}

// rowAt returns the row on a line, if there is one.
func (l listLayout) rowAt(line int) (row int, ok bool) {
	if line < l.othersHeading() {
		row = line - 2
		return row, row >= 0 && row < l.configured
	}
	row = line - l.othersHeading() - 1 + l.configured
	return row, row >= l.configured && row < l.rows
}

// listColumns are the widths of the columns. kind is 0 without room for it.
type listColumns struct{ nickname, name, kind, access, state int }

// widest are the widths of the widest texts of the unfiltered list, so that the
// columns are narrow and stay put while a filter is typed.
type widest struct{ nickname, name, other int }

func widestOf(rows []row) widest {
	var w widest
	for _, r := range rows {
		if r.Connected {
			w.nickname = max(w.nickname, ansi.StringWidth(r.Entry.Nickname))
			w.name = max(w.name, len(r.Name)) // ASCII
		} else {
			w.other = max(w.other, ansi.StringWidth(r.unconnectedName()))
		}
	}
	return w
}

func (w widest) columns(width int) listColumns {
	const least, gaps = 10, 8 // a heading with the arrow of its order
	c := listColumns{kind: 7, access: 13, state: 15}
	rest := kit.RowWidth(width) - c.kind - c.access - c.state - gaps
	if rest < 30 {
		rest += c.kind + 2
		c.kind = 0
	}
	c.nickname, c.name = max(w.nickname, least), max(w.name, least)
	if c.nickname+c.name > rest {
		c.nickname = min(c.nickname, max(rest*2/5, rest-c.name))
		c.name = rest - c.nickname
	}
	// The names of the other graphs span both columns.
	c.name = max(c.name, min(w.other-2, rest)-c.nickname)
	return c
}

// cell returns a text in its column, with the filter's match underlined.
func (s *graphList) cell(text string, width int, style, found lipgloss.Style) string {
	from, to := kit.FindFolded(text, s.listing.filter, configstore.FoldNickname)
	return s.env.Glyphs.FitMarked(text, width, from, to, style, found)
}

// unconnectedName returns what a row says of a graph that is not connected.
func (r row) unconnectedName() string {
	if r.WithoutToken {
		return r.Entry.Nickname + " (" + r.Name + ")"
	}
	return r.Name
}

// rowText returns the text of a row.
func (s *graphList) rowText(r row, c listColumns) string {
	e, g, t := s.env, s.env.Glyphs, s.env.Theme
	strong, text, muted, found := t.Strong, t.Text, t.Muted, e.foundStyle()
	if r.Entry.Disabled {
		strong, text, muted = t.Faint, t.Faint, t.Faint
	}
	kind := ""
	if c.kind > 0 {
		kind = "  " + g.Fit(string(r.Type), c.kind)
	}
	end := s.stateCell(r, c.state)
	if !r.Connected {
		name := s.cell(r.unconnectedName(), c.nickname+2+c.name, text, found)
		return name + muted.Render(kind+strings.Repeat(" ", c.access+4)) + end
	}
	level := ""
	if l := e.roster.AccessLevel(r.Entry); l != "" {
		level = l.Words()
	}
	return s.cell(r.Entry.Nickname, c.nickname, strong, found) + "  " + s.cell(r.Name, c.name, text, found) +
		muted.Render(kind) + text.Render("  "+g.Fit(level, c.access)+"  ") + end
}

// stateCell returns the state of a graph where it says something: that a graph below “not
// connected” is not, is known. The word of a good state is as quiet as the rest.
func (s *graphList) stateCell(r row, width int) string {
	e, g := s.env, s.env.Glyphs
	st := e.stateSign(e.roster.State(r.Graph))
	word := st.Style
	switch e.roster.State(r.Graph) {
	case manage.StateConnected:
		word = e.Theme.Muted
	case manage.StateDisabled:
		st.Style, word = e.Theme.Faint, e.Theme.Faint
	case manage.StateNotConnected:
		st = kit.Sign{}
	case manage.StateOpen, manage.StateNotOpen, manage.StateNoToken, manage.StateRevoked, manage.StateUnchecked,
		manage.StateAPIDisabled, manage.StateRoamAway, manage.StateChecking: // as they are signed
	}
	if slices.Contains(s.marked, r.Graph.Graph) || slices.Contains(s.markedOwn, r.Graph.Graph) {
		st = kit.NewSign(g.Marked, "marked", e.Theme.Accent)
		word = st.Style
	}
	if st.Glyph == "" {
		return strings.Repeat(" ", width)
	}
	return st.Style.Render(st.Glyph) + word.Render(g.Fit(" "+st.Word, width-ansi.StringWidth(st.Glyph)))
}

// heading returns a line that is no row. above is how many rows are above the window, of
// which a heading says so that stays in sight.
func (s *graphList) heading(line int, l listLayout, c listColumns, above int) string {
	e, g := s.env, s.env.Glyphs
	title := ""
	switch {
	case l.configured > 0 && line == 1:
		return strings.Repeat(" ", kit.RowIndent) + s.columnHeads(c)
	case l.configured > 0 && line == 0:
		title = "Your graphs"
	case line == l.othersHeading() && e.roster.ConfigUnreadable():
		title = "In Roam"
	case line == l.othersHeading():
		title = "In Roam, not connected"
	default:
		return ""
	}
	note := ""
	marks := s.marked
	if line < l.othersHeading() {
		marks = s.markedOwn
	}
	if len(marks) > 0 {
		note += "  " + g.Dot + fmt.Sprintf("  %d marked", len(marks))
	}
	if above > 0 {
		note += fmt.Sprintf("  %s %d more", g.Up, above)
	}
	return " " + e.Theme.Strong.Render(title) + e.Theme.Faint.Render(note)
}

// columnHeads returns the headings of the columns. That by which the list is sorted has an
// arrow.
func (s *graphList) columnHeads(c listColumns) string {
	e, g := s.env, s.env.Glyphs
	head := func(title string, width int) string {
		if title == s.order.column() {
			return e.Theme.Accent.Render(g.Fit(title+" "+g.Sorted, width))
		}
		return e.Theme.Faint.Render(g.Fit(title, width))
	}
	line := head(columnNickname, c.nickname) + "  " + head(columnGraph, c.name)
	if c.kind > 0 {
		line += "  " + head(columnType, c.kind)
	}
	return line + "  " + head(columnAccess, c.access) + "  " + head(columnState, c.state)
}

// minMore is the least height in which the list says how much is above and below.
const minMore = 3

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

// sticky returns the lines of the list, headings, that cover the first lines of a window
// which begins at line from. -1 stands for a line that says how much is above.
func (l listLayout) sticky(from, height int) []int {
	most := stickyLines(height)
	switch {
	case from == 0 || most == 0:
		return nil
	case from >= l.othersHeading():
		return []int{l.othersHeading()}
	case from+most > l.configured+1: // no configured row is below the headings
		return []int{-1}
	case most == 1:
		return []int{0}
	}
	return []int{0, 1}
}

// drawWindow returns the lines around the selected row, with the headings of what is in
// sight and how much is above and below. top is the line of the screen that they begin at.
func (s *graphList) drawWindow(top, width, height int) []string {
	l := s.layout()
	rows, at := s.rowsAndSelected()
	c := s.env.widest.columns(width)
	height = max(min(height, l.lines()), 0)
	selected, below := l.lineOf(at), 0
	if height >= minMore {
		below = 1 // for how much there is
	}
	from := min(max(selected-s.anchor, selected-height+1+below, 0), max(selected-stickyLines(height), 0), l.lines()-height)
	sticky := l.sticky(from, height)
	s.window = listWindow{top, from, height, len(sticky)}
	above := l.countRows(0, from+len(sticky))
	out := make([]string, height)
	for i := range out {
		line, hidden := from+i, 0
		if i < len(sticky) {
			line = sticky[i]
		}
		if i == 0 {
			hidden = above
		}
		row, ok := l.rowAt(line)
		switch {
		case line < 0:
			out[i] = s.moreLine(s.env.Glyphs.Up, above)
		case ok:
			out[i] = s.env.Row(s.rowText(rows[row], c), width, row == at)
		default:
			out[i] = s.heading(line, l, c, hidden)
		}
	}
	if height >= minMore && from+height < l.lines() {
		out[height-1] = s.moreLine(s.env.Glyphs.Down, l.countRows(from+height-1, l.lines()))
	}
	return out
}

func (s *graphList) moreLine(arrow string, n int) string {
	return strings.Repeat(" ", kit.RowIndent) + s.env.Theme.Faint.Render(fmt.Sprintf("%s %d more", arrow, n))
}

// countRows returns how many rows lie on the lines [from, to).
func (l listLayout) countRows(from, to int) int {
	before := func(line int) int { // rows above a line
		n := min(max(line-2, 0), l.configured)
		return n + min(max(line-l.othersHeading()-1, 0), l.rows-l.configured)
	}
	return before(to) - before(from)
}
