package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
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
	const least, gaps = 8, 8
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

// foundStyle is the style of what a filter has found.
func (e *env) foundStyle() lipgloss.Style {
	return e.Theme.Strong.Underline(true).Foreground(e.Theme.Colors.Accent)
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
	st := e.stateSign(r.Graph)
	if slices.Contains(s.marked, r.Graph.Graph) {
		st = kit.NewSign(g.Marked, "marked", t.Accent)
	}
	found := e.foundStyle()
	kind := ""
	if c.kind > 0 {
		kind = "  " + g.Fit(string(r.Type), c.kind)
	}
	end := st.Style.Render(g.Fit(st.Glyph+" "+st.Word, c.state))
	if !r.Connected {
		name := s.cell(r.unconnectedName(), c.nickname+2+c.name, t.Strong, found)
		return name + t.Text.Render(kind+strings.Repeat(" ", c.access+4)) + end
	}
	level := ""
	if l := e.roster.AccessLevel(r.Entry); l != "" {
		level = l.Words()
	}
	return s.cell(r.Entry.Nickname, c.nickname, t.Strong, found) + "  " + s.cell(r.Name, c.name, t.Text, found) +
		t.Text.Render(kind+"  "+g.Fit(level, c.access)+"  ") + end
}

// heading returns a line that is no row.
func (s *graphList) heading(line int, l listLayout, c listColumns) string {
	e, g := s.env, s.env.Glyphs
	title := ""
	switch {
	case l.configured > 0 && line == 1:
		kind := ""
		if c.kind > 0 {
			kind = "  " + g.Fit("TYPE", c.kind)
		}
		return "   " + e.Theme.Faint.Render(g.Fit("NICKNAME", c.nickname)+"  "+g.Fit("GRAPH", c.name)+kind+"  "+g.Fit("ACCESS", c.access)+"  STATE")
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
	if line == l.othersHeading() && len(s.marked) > 0 {
		note += "  " + g.Dot + fmt.Sprintf("  %d marked", len(s.marked))
	}
	title = " " + e.Theme.Strong.Render(title)
	if line == 0 && s.order != sortAsListed {
		note += "  " + g.Dot + "  sorted " + s.order.words()
	}
	return title + e.Theme.Muted.Render(note)
}

// minMore is the least height in which the list says how much is above and below.
const minMore = 3

// drawWindow returns the lines around the selected row, and how much is above and
// below. top is the line of the screen that they begin at.
func (s *graphList) drawWindow(top, width, height int) []string {
	e, l := s.env, s.layout()
	rows, at := s.rowsAndSelected()
	c := e.widest.columns(width)
	height = max(min(height, l.lines()), 0)
	selected, edge := l.lineOf(at), 0
	if height >= minMore {
		edge = 1 // for what is above and below
	}
	from := min(max(selected-s.anchor, selected-height+1+edge, 0), max(selected-edge, 0), l.lines()-height)
	s.window = listWindow{top, from, height}
	out := make([]string, height)
	for i := range out {
		if row, ok := l.rowAt(from + i); ok {
			out[i] = e.Row(s.rowText(rows[row], c), width, row == at)
		} else {
			out[i] = s.heading(from+i, l, c)
		}
	}
	if height < minMore {
		return out
	}
	if above := l.countRows(0, from+1); from > 0 && above > 0 {
		out[0] = s.moreLine(e.Glyphs.Up, above)
	}
	if from+height < l.lines() {
		out[height-1] = s.moreLine(e.Glyphs.Down, l.countRows(from+height-1, l.lines()))
	}
	return out
}

func (s *graphList) moreLine(arrow string, n int) string {
	return "   " + s.env.Theme.Faint.Render(fmt.Sprintf("%s %d more", arrow, n))
}

// countRows returns how many rows lie on the lines [from, to).
func (l listLayout) countRows(from, to int) int {
	before := func(line int) int { // rows above a line
		n := min(max(line-2, 0), l.configured)
		return n + min(max(line-l.othersHeading()-1, 0), l.rows-l.configured)
	}
	return before(to) - before(from)
}
