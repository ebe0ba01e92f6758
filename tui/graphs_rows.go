package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// graphColumns returns the columns of the unfiltered list, so that they stay put while a
// filter is typed. The name of a graph that is not connected spans the first two.
func graphColumns(g kit.Glyphs, rows []row) kit.Table {
	head := func(title string) string { return title + " " + g.Sorted } // as one sorts by it
	table := kit.NewTable(
		kit.Column{Head: head(columnNickname), Min: 10, Narrow: 10}, kit.Column{Head: head(columnGraph), Min: 10, Narrow: 10},
		kit.Column{Head: columnType, Min: 7, Drops: 1}, kit.Column{Head: head(columnAccess), Min: 13}, kit.Column{Head: head(columnState), Min: 15},
	)
	for _, r := range rows {
		if r.Connected {
			table.Measure(r.Entry.Nickname, r.Name)
		}
	}
	for _, r := range rows {
		if !r.Connected {
			table.MeasureJoined(r.unconnectedName())
		}
	}
	return table
}

// unconnectedName returns what a row says of a graph that is not connected.
func (r row) unconnectedName() string {
	if r.WithoutToken {
		return r.Entry.Nickname + " (" + r.Name + ")"
	}
	return r.Name
}

// rowText returns the text of a row.
func (s *graphList) rowText(r row, l kit.Layout) string {
	e, t := s.env, s.env.Theme
	strong, text, muted := t.Strong, t.Text, t.Muted
	if r.Entry.Disabled {
		strong, text, muted = t.Faint, t.Faint, t.Faint
	}
	found := func(words string, style lipgloss.Style) string {
		return kit.Found(words, s.listing.filter, configstore.FoldNickname, style, e.foundStyle())
	}
	kind, state := muted.Render(string(r.Type)), s.stateCell(r)
	if !r.Connected {
		return l.Join().Line(found(r.unconnectedName(), text), kind, "", state)
	}
	level := ""
	if known := e.roster.AccessLevel(r.Entry); known != "" {
		level = known.Words()
	}
	return l.Line(found(r.Entry.Nickname, strong), found(r.Name, text), kind, text.Render(level), state)
}

// stateCell returns the state of a graph where it says something: that a graph below “not
// connected” is not, is known. The word of a good state is as quiet as the rest.
func (s *graphList) stateCell(r row) string {
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
		return ""
	}
	return st.Style.Render(st.Glyph) + word.Render(" "+st.Word)
}

// sections returns the headings of the list.
func (s *graphList) sections(l kit.Layout) []kit.Section {
	own, others := s.listing.configured, len(s.listing.rows)-s.listing.configured
	var out []kit.Section
	if own > 0 {
		heads := strings.Repeat(" ", kit.RowIndent) + s.columnHeads(l)
		out = append(out, kit.Section{Title: s.heading("Your graphs", len(s.markedOwn)), Heads: []string{heads}, Rows: own})
	}
	if others > 0 {
		title := "In Roam, not connected"
		if s.env.roster.ConfigUnreadable() {
			title = "In Roam"
		}
		out = append(out, kit.Section{Title: s.heading(title, len(s.marked)), Rows: others})
	}
	return out
}

func (s *graphList) heading(title string, marks int) string {
	e, note := s.env, ""
	if marks > 0 {
		note = "  " + e.Glyphs.Dot + fmt.Sprintf("  %d marked", marks)
	}
	return " " + e.Theme.Strong.Render(title) + e.Theme.Faint.Render(note)
}

// columnHeads returns the headings of the columns. That by which the list is sorted has an
// arrow.
func (s *graphList) columnHeads(l kit.Layout) string {
	e := s.env
	var heads []string
	for _, title := range []string{columnNickname, columnGraph, columnType, columnAccess, columnState} {
		head := e.Theme.Faint.Render(title)
		if title == s.order.column() {
			head = e.Theme.Accent.Render(title + " " + e.Glyphs.Sorted)
		}
		heads = append(heads, head)
	}
	return l.Line(heads...)
}

// drawWindow returns the lines around the selected row. top is the line of the screen that
// they begin at.
func (s *graphList) drawWindow(top, width, height int) []string {
	rows, layout := s.rows(), s.env.columns.In(s.env.Glyphs, kit.RowWidth(width))
	return s.list.View(s.env.Look, kit.ListView{
		Top: top, Sections: s.sections(layout),
		Row: func(i int, selected bool) []string {
			return []string{s.env.Row(s.rowText(rows[i], layout), width, selected)}
		},
	}, width, height)
}
