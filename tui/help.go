package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// help lists the keys, from the bindings themselves, and the signs of state.
type help struct {
	env    *env
	about  string
	here   []key.Binding
	panel  []key.Binding
	offset int
	most   int // the largest offset that shows something new
}

var _ screen = (*help)(nil)

func newHelp(e *env, about string, here, panel []key.Binding) *help {
	if about == "" {
		about = "Your graphs"
	}
	return &help{env: e, about: about, here: here, panel: panel}
}

func (s *help) title() string { return "Help" }

func (s *help) mode() mode { return mode{} }

func (s *help) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k := s.env.keys
	switch {
	case key.Matches(press, k.paths):
		return open{newAbout(s.env)}, nil
	case key.Matches(press, k.esc, k.help, k.quit, k.enter):
		return back{}, nil
	case key.Matches(press, k.down):
		s.offset = min(s.offset+1, s.most)
	case key.Matches(press, k.up):
		s.offset = max(s.offset-1, 0)
	case key.Matches(press, k.pageDown):
		s.offset = min(s.offset+10, s.most)
	case key.Matches(press, k.pageUp):
		s.offset = max(s.offset-10, 0)
	}
	return nil, nil
}

func (s *help) keys() []key.Binding {
	k := s.env.keys
	out := []key.Binding{k.paths, k.esc}
	if s.most > 0 {
		out = append([]key.Binding{named(k.down, "more")}, out...)
	}
	return out
}

func (s *help) view(width, height int) []string {
	e, k, g, t := s.env, s.env.keys, s.env.glyphs, s.env.theme
	const gap = 2
	column := (width - 4 - gap) / 2
	left := e.keyGroup(s.about, s.here, column)
	left = append(left, e.keyGroup("Lists", k.lists(), column)...)
	right := e.keyGroup("Everywhere", []key.Binding{k.help, k.esc, named(k.quit, "quit, at the top"), k.stop, k.suspend}, column)
	if e.ports.Desk != nil {
		right = append(right, e.keyGroup("Roam (sandbox), when it asks", s.panel, column)...)
	}
	right = append(right, e.signGroup("Signs",
		sign{g.on, "connected", t.success}, sign{g.off, "not connected", t.muted}, sign{g.busy, "under way", t.accent},
		sign{g.bad, "revoked, or did not work", t.danger}, sign{g.less, "needs a look", t.warning}, sign{g.none, "disabled", t.muted},
	)...)
	lines := e.glyphs.sideBySide(left, right, column+gap)
	s.most = max(len(lines)-height, 0)
	s.offset = min(s.offset, s.most)
	return lines[s.offset:]
}
