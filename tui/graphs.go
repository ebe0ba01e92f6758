package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/localapi"
)

// graphList is the first screen: the configured graphs, and what else Roam lists.
type graphList struct {
	env *env
	// selected is a graph rather than an index, so that a refresh moves nothing.
	selected localapi.Graph
	index    int
	// anchor is the line of the window that the selected row is to be on, so that a
	// refresh or another window size leaves it where it was.
	anchor int
	filter lineFilter
	order  sortOrder
	// marked are the graphs to connect together, in the order of their marking.
	marked []localapi.Graph
	// markedOwn are the configured graphs to disable or remove together.
	markedOwn []localapi.Graph
	listing   listing
	window    listWindow
}

// listWindow is the part of the list that was drawn last: the line of the screen that
// it begins at, the first line of the list in it, its height, and how many of its lines
// headings cover that would be above it.
type listWindow struct{ top, from, height, covered int }

var _ screen = (*graphList)(nil)

func newGraphList(e *env) *graphList {
	return &graphList{env: e, filter: newLineFilter(), anchor: margin, order: sortedBy(e.options.SortedBy)}
}

func (s *graphList) title() string { return "" }

func (s *graphList) mode() mode {
	return mode{inView: true, typing: s.filter.typing, allowsPanelKeys: !s.filter.typing, polls: true, mouse: true}
}

// rowsAndSelected returns the list and the index of the selected row, or -1.
func (s *graphList) rowsAndSelected() ([]row, int) {
	s.listing.update(s.env, s.filter.text, s.order)
	rows := s.listing.rows
	if at, ok := s.listing.at[s.selected]; ok {
		return rows, at
	}
	return rows, min(s.index, len(rows)-1)
}

// selectRow selects a row and anchors it where it is.
func (s *graphList) selectRow(index int) {
	rows, _ := s.rowsAndSelected()
	if len(rows) == 0 {
		return
	}
	s.index = min(max(index, 0), len(rows)-1)
	s.selected = rows[s.index].Graph.Graph
	s.anchor = s.layout().lineOf(s.index) - s.window.from
}

// keepSelection selects the first row once there is one, and keeps the selected row
// after the list has changed. Before the configuration is known the first row would
// be one that Roam lists, far below a person's own.
func (s *graphList) keepSelection() {
	if !s.env.roster.ConfigKnown {
		return
	}
	if rows, at := s.rowsAndSelected(); at >= 0 {
		s.selected, s.index = rows[at].Graph.Graph, at
	}
}

func (s *graphList) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return s.handleKey(msg)
	case clickMsg:
		y := msg.y - s.window.top
		if at, ok := s.layout().rowAt(s.window.from + y); ok && y >= s.window.covered && y < s.window.height {
			s.selectRow(at)
		}
	case wheelMsg:
		s.scrollWindow(msg.lines)
	case tea.PasteMsg:
		if s.filter.typing {
			s.selectFiltered(s.filter.extend(msg.Content))
		}
	default:
		s.dropStaleMarks()
		s.keepSelection()
	}
	return nil, nil
}

func (s *graphList) handleKey(press tea.KeyPressMsg) (action, tea.Cmd) {
	if s.filter.typing {
		s.filterKey(press)
		return nil, nil
	}
	if s.move(press) {
		return nil, nil
	}
	if a, cmd, done := s.globalKey(press); done {
		return a, cmd
	}
	if a, cmd, done := s.markedKey(press); done {
		return a, cmd
	}
	rows, at := s.rowsAndSelected()
	switch {
	case at < 0:
		return s.noRowNotice(press), nil
	case key.Matches(press, s.env.keys.mark):
		return s.toggleMark(rows[at], at), nil
	case rows[at].Connected:
		return s.env.graphKey(rows[at], press)
	case key.Matches(press, s.env.keys.enter) && len(s.marked) > 0:
		return s.connectMarked()
	case key.Matches(press, s.env.keys.enter):
		return s.env.openConnectForm(rows[at].Graph, false)
	}
	return s.notConnectedNotice(press), nil
}

// margin is how many lines stay in sight above and below a row that a key has
// selected.
const margin = 2

func (s *graphList) move(press tea.KeyPressMsg) bool {
	rows, at := s.rowsAndSelected()
	at, ok := s.env.keys.Move(press, at, max(s.window.height-margin, 1), len(rows)-1)
	if !ok {
		return false
	}
	s.selectRow(at)
	s.anchor = min(max(s.anchor, margin), max(s.window.height-1-margin, 0))
	return true
}

// scrollWindow scrolls the list. Another row is selected only if the selected one
// would leave the window.
func (s *graphList) scrollWindow(lines int) {
	rows, at := s.rowsAndSelected()
	if len(rows) == 0 {
		return
	}
	l, height := s.layout(), s.window.height
	from := min(max(s.window.from+lines, 0), max(l.lines()-height, 0))
	s.window.from = from
	for at > 0 && l.lineOf(at) > max(from+height-2, from) {
		at--
	}
	for at < len(rows)-1 && l.lineOf(at) < from+stickyLines(height) && from > 0 {
		at++
	}
	s.selectRow(at)
}
