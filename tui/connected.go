package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// connectedScreen says that a token is granted and saved, and leads to the next step.
type connectedScreen struct {
	env    *env
	kept   manage.Kept
	status ExchangeStatus
	// renewed is set if the graph was connected before, so that clients know it already.
	renewed bool
}

var (
	_ screen  = (*connectedScreen)(nil)
	_ starter = (*connectedScreen)(nil)
)

// newConnectedScreen reports on an exchange whose token is saved.
func newConnectedScreen(s *exchangeScreen) *connectedScreen {
	renewed := !s.authorization.Entry.Token.IsZero()
	return &connectedScreen{env: s.env, kept: *s.save.kept, renewed: renewed, status: s.env.words.Connected(s.authorization, s.machine, *s.save.kept)}
}

func (s *connectedScreen) start() tea.Cmd {
	return tea.Batch(s.env.roam.askAboutTexts(s.kept.Entry), s.env.path.look())
}

func (s *connectedScreen) title() string {
	return s.env.Glyphs.Cut(s.kept.Entry.Nickname, 36)
}

func (s *connectedScreen) mode() mode { return mode{inView: true, allowsPanelKeys: true, polls: true} }

// clientsNext reports whether a client is the next step.
func (s *connectedScreen) clientsNext() bool {
	return !s.kept.Entry.Disabled && (!s.renewed || s.env.path.lacksClient())
}

func (s *connectedScreen) update(msg tea.Msg) (action, tea.Cmd) {
	if texts, ok := msg.(textsMsg); ok && texts.graph == s.kept.Entry.Graph() {
		return open{newTextsQuestion(s.env, s.kept.Entry.Nickname, texts.said)}, nil
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k, entry := s.env.keys, s.kept.Entry
	switch {
	case key.Matches(press, k.enter) && s.clientsNext():
		return show{viewClients}, nil
	case key.Matches(press, k.enter, k.esc):
		return home{}, nil
	case key.Matches(press, k.test) && !entry.Disabled:
		return replace{newGraphTest(s.env, entry)}, nil
	case key.Matches(press, k.clients) && !s.clientsNext():
		return show{viewClients}, nil
	}
	return nil, nil
}

func (s *connectedScreen) keys() []key.Binding {
	k := s.env.keys
	if s.clientsNext() {
		return []key.Binding{kit.Relabel(k.enter, "connect a client"), k.test, kit.Relabel(k.esc, "your graphs")}
	}
	test := k.test
	test.SetEnabled(!s.kept.Entry.Disabled)
	return enabled([]key.Binding{k.done, test, kit.Relabel(k.clients, "connect a client")})
}

func (s *connectedScreen) view(width, height int) []string {
	e := s.env
	inner := min(width-4, kit.ProseWidth)
	lines := append(e.statusLines(s.status, "", inner), "")
	if s.clientsNext() {
		next := kit.WrapStyled(e.Theme.Text, e.words.ClientNext(s.kept.Entry.Nickname), inner)
		lines = append(lines, e.path.above(next, 0, height-len(lines))...)
	}
	return kit.Indent(lines, 1)
}
