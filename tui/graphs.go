package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// graphList is the first screen: the configured graphs, and what else Roam lists.
type graphList struct {
	env   *env
	list  kit.List[localapi.Graph]
	order sortOrder
	// marked are the graphs to connect together.
	marked kit.Marks[localapi.Graph]
	// markedOwn are the configured graphs to disable or remove together.
	markedOwn kit.Marks[localapi.Graph]
	listing   listing
}

var _ screen = (*graphList)(nil)

func newGraphList(e *env) *graphList {
	s := &graphList{env: e, order: sortedBy(e.options.SortedBy)}
	s.list = kit.NewList(configstore.MaxNicknameLength, func() (int, func(int) localapi.Graph) {
		rows := s.rows()
		return len(rows), func(i int) localapi.Graph { return rows[i].Graph.Graph }
	})
	return s
}

func (s *graphList) title() string { return "" }

func (s *graphList) mode() mode {
	typing := s.list.Filter.Typing
	return mode{inView: true, typing: typing, allowsPanelKeys: !typing, polls: true, mouse: true}
}

// rows returns the list as it is filtered and sorted.
func (s *graphList) rows() []row {
	s.listing.update(s.env, s.list.Filter.Text, s.order)
	return s.listing.rows
}

// rowsAndSelected returns the list and the index of the selected row, or -1.
func (s *graphList) rowsAndSelected() ([]row, int) { return s.rows(), s.list.Selected() }

func (s *graphList) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return s.handleKey(msg)
	case clickMsg:
		s.list.Click(msg.y)
	case wheelMsg:
		s.list.Wheel(msg.lines)
	case tea.PasteMsg:
		s.list.Paste(msg.Content)
	default:
		s.dropStaleMarks()
		// Before the configuration is known the first row would be one that Roam lists, far
		// below a person's own.
		if s.env.roster.ConfigKnown {
			s.list.Hold()
		}
	}
	return nil, nil
}

func (s *graphList) handleKey(press tea.KeyPressMsg) (action, tea.Cmd) {
	if key.Matches(press, s.env.keys.esc) && s.hasMarks() && !s.list.Filter.Typing {
		s.marked, s.markedOwn = nil, nil
		return nil, nil
	}
	if s.list.HandleKey(s.env.keys.list(), press) {
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
		return s.toggleMark(rows[at]), nil
	case rows[at].Connected:
		return s.env.graphKey(rows[at], press)
	case key.Matches(press, s.env.keys.enter) && len(s.marked) > 0:
		return s.connectMarked()
	case key.Matches(press, s.env.keys.enter):
		return s.env.openConnectForm(rows[at].Graph, false)
	}
	return s.notConnectedNotice(press), nil
}
