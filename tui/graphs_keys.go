package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// globalKey performs a key that needs no graph. done reports whether it is one.
func (s *graphList) globalKey(press tea.KeyPressMsg) (a action, cmd tea.Cmd, done bool) {
	e, k := s.env, s.env.keys
	switch {
	case key.Matches(press, k.quit):
		a = quit{}
	case key.Matches(press, k.sort):
		s.order = s.order.next()
		a = inform(s.order.sentence())
	case key.Matches(press, k.connect) && len(s.marked) > 0:
		a, cmd = s.connectMarked()
	case key.Matches(press, k.connect) && e.roster.ConfigErr != nil:
		a = e.refuseBrokenConfig()
	case key.Matches(press, k.connect):
		a = open{newByNameForm(e)}
	case key.Matches(press, k.serve):
		a, cmd = e.serving.toggle()
	case key.Matches(press, k.activity):
		a = show{viewActivity}
	case key.Matches(press, k.clients):
		a = show{viewClients}
	case key.Matches(press, k.history):
		a = show{viewHistory}
	case key.Matches(press, k.importGraphs):
		a = e.startImport()
	case key.Matches(press, k.open):
		a, cmd = e.roam.open(localapi.Graph{})
	case key.Matches(press, k.putBack):
		a, cmd = e.config.putBack()
	case key.Matches(press, k.sandbox):
		a = s.otherWorld()
	case key.Matches(press, k.doctor, k.fix):
		a = show{viewDoctor}
	case key.Matches(press, k.edit):
		a, cmd = e.config.edit()
	default:
		return nil, nil, false
	}
	return a, cmd, true
}

// noRowNotice returns what a key that acts on a graph says where none is listed.
func (s *graphList) noRowNotice(press tea.KeyPressMsg) action {
	k := s.env.keys
	if !key.Matches(press, k.enter, k.mark, k.rename, k.toggle, k.reauthorize, k.remove, k.test) {
		return nil
	}
	if s.list.Filter.Text != "" {
		return inform("No graph is listed under this filter. esc shows all of them.")
	}
	return inform("There is no graph in the list yet. c asks for one by its name.")
}

// isUnwell reports whether the list shows something that the doctor can tell more of.
func (s *graphList) isUnwell() bool {
	return s.env.ports.Doctor != nil && (s.env.roster.ConfigErr != nil || len(s.env.roster.Config.Problems) > 0 || s.env.roster.Roam.Err != nil)
}

func (s *graphList) keys() []key.Binding {
	k := s.env.keys
	if s.list.Filter.Typing {
		return k.filtering(s.list.Len())
	}
	rows, at := s.rowsAndSelected()
	out := s.urgentKeys()
	if s.env.path.clientNext() {
		out = append(out, s.env.path.clientsKey())
	}
	switch {
	case at >= 0 && rows[at].Connected:
		out = append(out, s.connectedKeys(rows[at])...)
	case at >= 0 && s.env.roster.ConfigErr == nil:
		out = append(out, s.unconnectedKeys()...)
	default:
		out = append(append(out, s.firstSandboxKey(), s.connectKey()), s.markedKeys()...)
	}
	if removed, ok := s.env.config.removed.Last(); ok {
		out = append(out, kit.Relabel(k.putBack, "put "+s.env.Glyphs.Cut(removed.Entry.Nickname, 16)+" back"))
	}
	if s.list.Filter.Text != "" && !s.hasMarks() {
		out = append(out, kit.Relabel(k.esc, "show all"))
	}
	return enabled(append(out, s.toolKeys(len(rows))...))
}

// urgentKeys mend what is wrong with Roam or the file.
func (s *graphList) urgentKeys() []key.Binding {
	e, k := s.env, s.env.keys
	var out []key.Binding
	if e.roster.Roam.Err != nil && e.ports.OpenRoam != nil {
		out = append(out, k.open)
	}
	if s.isUnwell() {
		out = append(out, k.fix)
	}
	if e.roster.ConfigErr != nil || len(e.roster.Config.Problems) > 0 {
		out = append(out, k.edit)
	}
	return out
}

// connectedKeys are those of a configured graph. What mends its state comes first.
func (s *graphList) connectedKeys(r row) []key.Binding {
	e, k := s.env, s.env.keys
	details := kit.Relabel(k.enter, "details")
	if marked := s.markedKeys(); marked != nil {
		others := []key.Binding{details, k.mark, e.path.clientsKey(), s.connectKey(), k.reauthorize, k.rename}
		if !r.Entry.Disabled {
			others = append(others, k.test)
		}
		return append(marked, others...)
	}
	toggle := k.toggleOf(r.Entry)
	var first, rest []key.Binding
	switch {
	case r.Entry.Disabled: // what is disabled is not tested
		first, rest = []key.Binding{toggle, details}, []key.Binding{k.reauthorize, k.rename, k.remove, k.mark}
	case e.roster.Revoked(r.Entry):
		first, rest = []key.Binding{k.reauthorize, details}, []key.Binding{toggle, k.test, k.rename, k.remove, k.mark}
	default:
		first, rest = []key.Binding{details}, []key.Binding{toggle, k.reauthorize, k.test, k.rename, k.remove, k.mark}
	}
	return append(append(append(first, e.path.clientsKey()), s.connectKey()), rest...)
}

// unconnectedKeys are those of a graph that Roam lists.
func (s *graphList) unconnectedKeys() []key.Binding {
	k := s.env.keys
	if len(s.marked) > 0 {
		return append([]key.Binding{kit.Relabel(k.enter, "connect "+kit.Plural(len(s.marked), "marked graph")), k.mark, kit.Relabel(k.esc, "unmark all"), s.env.path.clientsKey(), s.connectKey()}, s.markedKeys()...)
	}
	return append([]key.Binding{kit.Relabel(k.enter, "connect"), s.firstSandboxKey(), kit.Relabel(k.mark, "mark several"), s.env.path.clientsKey(), s.connectKey()}, s.markedKeys()...)
}

// connectKey connects the marked graphs, or one by its name. It is disabled while no
// token can be saved.
func (s *graphList) connectKey() key.Binding {
	connect := s.env.keys.connect
	if len(s.marked) > 0 {
		connect = kit.Relabel(connect, "connect "+kit.Plural(len(s.marked), "marked graph"))
	}
	connect.SetEnabled(s.env.roster.ConfigErr == nil)
	return connect
}

// toolKeys are those that need no graph. A graph's own keys may have that of the clients
// too.
func (s *graphList) toolKeys(rows int) []key.Binding {
	e, k := s.env, s.env.keys
	out := []key.Binding{e.path.clientsKey()}
	if rows > 0 || s.list.Filter.Text != "" {
		out = append(out, k.filter, k.sort)
	}
	if e.ports.Serve != nil {
		out = append(out, e.serving.key())
	}
	if e.ports.Serve != nil || e.ports.Activity != nil {
		out = append(out, k.activity)
	}
	if e.ports.Doctor != nil {
		out = append(out, k.doctor)
	}
	if e.ports.History != nil {
		out = append(out, k.history)
	}
	if e.ports.Graphs.Official != nil {
		out = append(out, k.importGraphs)
	}
	out = append(out, k.refresh, s.sandboxKey(), k.edit)
	if e.ports.OpenRoam != nil && !e.options.Sandbox {
		out = append(out, k.open)
	}
	return out
}

// parts returns what the menu is told of the list.
func (s *graphList) parts() menuParts {
	e, k := s.env, s.env.keys
	p := menuParts{
		ofRow: []key.Binding{k.enter, k.mark, k.toggle, k.rename, k.reauthorize, k.remove, k.test},
		goTo:  []key.Binding{k.clients, k.activity, k.history, k.doctor},
		later: because("nothing was removed", k.putBack),
		moves: true,
	}
	ofGraph := []key.Binding{k.test, k.rename, k.toggle, k.reauthorize, k.remove}
	if len(s.markedOwn) > 0 { // they are those of the marked graphs
		p.ofRow = []key.Binding{k.enter, k.mark, k.rename, k.reauthorize, k.test}
	}
	rows, at := s.rowsAndSelected()
	switch {
	case e.roster.ConfigErr != nil:
		p.later = append(p.later, because("first the configuration has to be mended", append([]key.Binding{kit.Relabel(k.enter, "connect"), k.connect}, ofGraph...)...)...)
		if at >= 0 {
			p.row = rows[at].DisplayName()
		}
	case at < 0 && s.list.Filter.Text != "":
		p.later = append(p.later, because("no graph is listed under this filter", ofGraph...)...)
	case at < 0:
		p.later = append(p.later, because("no graph is in the list yet", ofGraph...)...)
	default:
		p.row = rows[at].DisplayName()
		if !rows[at].Connected {
			p.later = append(p.later, because("not connected yet", ofGraph...)...)
		}
		if rows[at].Entry.Disabled {
			p.later = append(p.later, because(rows[at].Entry.Nickname+" is disabled", k.test)...)
		}
	}
	return p
}

// enabled returns the bindings that do something now, each once.
func enabled(all []key.Binding) []key.Binding {
	var out []key.Binding
	for _, b := range all {
		same := func(o key.Binding) bool { return o.Help() == b.Help() }
		if b.Enabled() && !slices.ContainsFunc(out, same) {
			out = append(out, b)
		}
	}
	return out
}

// notConnectedNotice returns what a key of configured graphs says on another graph.
func (s *graphList) notConnectedNotice(press tea.KeyPressMsg) action {
	k := s.env.keys
	if key.Matches(press, k.rename, k.toggle, k.reauthorize, k.remove, k.test) {
		return inform("This graph is not connected yet. enter connects it.")
	}
	return nil
}
