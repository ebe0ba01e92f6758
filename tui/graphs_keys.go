package tui

import (
	"context"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// globalKey performs a key that needs no graph. done reports whether it is one.
func (s *graphList) globalKey(press tea.KeyPressMsg) (a action, cmd tea.Cmd, done bool) {
	e, k := s.env, s.env.keys
	switch {
	case key.Matches(press, k.quit):
		a = quit{}
	case key.Matches(press, k.esc):
		if len(s.marked) > 0 {
			s.marked = nil
		} else {
			s.filter = ""
		}
		s.keepSelection()
	case key.Matches(press, k.filter):
		s.filtering = true
	case key.Matches(press, k.sort):
		s.order = s.order.next()
		s.keepSelection()
	case key.Matches(press, k.connect) && len(s.marked) > 0:
		a, cmd = s.connectMarked()
	case key.Matches(press, k.connect):
		a = open{newByNameForm(e)}
	case key.Matches(press, k.serve):
		a = e.openServeScreen("", "")
	case key.Matches(press, k.clients):
		a = open{newClientsScreen(e, s.selectedNickname())}
	case key.Matches(press, k.history):
		a = e.openHistory(localapi.Graph{})
	case key.Matches(press, k.importGraphs):
		a, cmd = e.startImport()
	case key.Matches(press, k.open):
		a, cmd = e.openRoam(localapi.Graph{})
	case key.Matches(press, k.putBack):
		a, cmd = e.putBack()
	case key.Matches(press, k.fix):
		a, cmd = e.fixMode()
	default:
		return nil, nil, false
	}
	return a, cmd, true
}

// noRowNotice returns what a key that acts on a graph says where none is listed.
func (s *graphList) noRowNotice(press tea.KeyPressMsg) action {
	k := s.env.keys
	if !key.Matches(press, k.enter, k.rename, k.toggle, k.reauthorize, k.remove, k.test) {
		return nil
	}
	if s.filter != "" {
		return inform("No graph is listed under this filter. esc shows all of them.")
	}
	return inform("There is no graph in the list yet. c asks for one by its name.")
}

// fixMode makes the configuration unreadable for others.
func (e *env) fixMode() (action, tea.Cmd) {
	if !e.roster.OthersCanRead() {
		return inform("Nobody else can read " + e.words.ConfigPath() + ", so there is nothing to fix."), nil
	}
	_, cmd := e.writeConfig(e.words.ModeFixed(), func(ctx context.Context, graphs *manage.Manager) error { return graphs.FixMode(ctx) })
	return nil, cmd
}

func (s *graphList) filterKey(press tea.KeyPressMsg) {
	k := s.env.keys
	switch {
	case key.Matches(press, k.esc):
		s.filter, s.filtering = "", false
	case key.Matches(press, k.enter):
		s.filtering = false
	case key.Matches(press, k.chooseRow):
		s.move(press)
		return
	case key.Matches(press, k.clearText):
		s.filter = ""
	case press.String() == "backspace":
		_, size := utf8.DecodeLastRuneInString(s.filter)
		s.filter = s.filter[:len(s.filter)-size]
	case press.Text != "":
		s.extendFilter(press.Text)
		return
	}
	s.keepSelection()
}

// extendFilter adds text to the filter, up to the length of a nickname.
func (s *graphList) extendFilter(text string) {
	for _, r := range kit.Sanitize(text) {
		if utf8.RuneCountInString(s.filter) < configstore.MaxNicknameLength {
			s.filter += string(r)
		}
	}
	s.keepSelection()
}

func (s *graphList) keys() []key.Binding {
	e, k := s.env, s.env.keys
	if s.filtering {
		out := []key.Binding{kit.Relabel(k.enter, "keep the filter"), kit.Relabel(k.esc, "show all")}
		if len(s.listing.rows) > 1 {
			out = append([]key.Binding{k.chooseRow}, out...)
		}
		return out
	}
	rows, at := s.rowsAndSelected()
	connect := k.connect
	connect.SetEnabled(e.roster.ConfigErr == nil) // else no token can be saved
	if len(s.marked) > 0 {
		connect = kit.Relabel(connect, "connect "+kit.Plural(len(s.marked), "marked graph"))
	}
	var out []key.Binding
	switch {
	case at >= 0 && rows[at].Connected:
		out = append(out, kit.Relabel(k.enter, "details"), k.rename, e.toggleKey(rows[at]), k.reauthorize, k.remove, k.test)
	case at >= 0 && len(s.marked) > 0 && e.roster.ConfigErr == nil:
		out = append(out, kit.Relabel(k.enter, connect.Help().Desc), k.mark, kit.Relabel(k.esc, "unmark all"))
		connect.SetEnabled(false) // enter does it here
	case at >= 0 && e.roster.ConfigErr == nil:
		out = append(out, kit.Relabel(k.enter, "connect"), k.mark)
	}
	if e.roster.Roam.Known && e.roster.Roam.Err != nil && e.ports.OpenRoam != nil {
		out = append(out, k.open)
	}
	if e.roster.OthersCanRead() {
		out = append(out, k.fix)
	}
	if removed, ok := e.removed.Last(); ok {
		out = append(out, kit.Relabel(k.putBack, "put "+e.Glyphs.Cut(removed.Entry.Nickname, 16)+" back"))
	}
	if s.filter != "" && len(s.marked) == 0 {
		out = append(out, kit.Relabel(k.esc, "show all"))
	}
	if connect.Enabled() {
		out = append(out, connect)
	}
	if e.ports.Serve != nil {
		out = append(out, k.serve)
	}
	out = append(out, k.clients)
	if e.ports.History != nil {
		out = append(out, k.history)
	}
	if e.ports.Graphs.Official != nil {
		out = append(out, k.importGraphs)
	}
	if len(rows) > 5 || s.filter != "" {
		out = append(out, k.filter, k.sort)
	}
	return out
}
