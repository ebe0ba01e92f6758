package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// helpScreen lists key bindings and the signs of state.
type helpScreen struct {
	env    *env
	about  string
	here   []key.Binding
	panel  []key.Binding
	offset int
	most   int // the largest offset that shows something new
}

var _ screen = (*helpScreen)(nil)

func newHelpScreen(e *env, about string, here, panel []key.Binding) *helpScreen {
	if about == "" {
		about = "Your graphs"
	}
	return &helpScreen{env: e, about: about, here: here, panel: panel}
}

func (s *helpScreen) title() string { return "Help" }

func (s *helpScreen) mode() mode { return mode{} }

func (s *helpScreen) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k := s.env.keys
	switch {
	case key.Matches(press, k.files):
		return open{newFilesScreen(s.env)}, nil
	case key.Matches(press, k.esc, k.help, k.quit, k.enter):
		return back{}, nil
	case key.Matches(press, k.Down):
		s.offset = min(s.offset+1, s.most)
	case key.Matches(press, k.Up):
		s.offset = max(s.offset-1, 0)
	case key.Matches(press, k.PageDown):
		s.offset = min(s.offset+10, s.most)
	case key.Matches(press, k.PageUp):
		s.offset = max(s.offset-10, 0)
	}
	return nil, nil
}

func (s *helpScreen) keys() []key.Binding {
	k := s.env.keys
	out := []key.Binding{k.files, k.esc}
	if s.most > 0 {
		out = append([]key.Binding{kit.Relabel(k.Down, "more")}, out...)
	}
	return out
}

func (s *helpScreen) view(width, height int) []string {
	e, k, g, t := s.env, s.env.keys, s.env.Glyphs, s.env.Theme
	const gap = 2
	column := (width - 4 - gap) / 2
	left := e.KeyGroup(s.about, s.here, column)
	left = append(left, e.KeyGroup("Lists", k.listKeys(), column)...)
	right := e.KeyGroup("Everywhere", []key.Binding{k.help, k.esc, kit.Relabel(k.quit, "quit, at the top"), k.interrupt, k.suspend}, column)
	if e.ports.Desk != nil {
		right = append(right, e.KeyGroup("Roam (sandbox), when it asks", s.panel, column)...)
	}
	right = append(right, e.SignGroup("Signs",
		kit.NewSign(g.On, "connected", t.Success), kit.NewSign(g.Off, "not connected", t.Muted), kit.NewSign(g.Busy, "under way", t.Accent),
		kit.NewSign(g.Failed, "revoked, or did not work", t.Danger), kit.NewSign(g.Warning, "needs a look", t.Warning), kit.NewSign(g.None, "disabled", t.Muted),
	)...)
	lines := kit.Indent(e.Glyphs.SideBySide(left, right, column+gap), 1)
	lines = lines[:len(lines)-1] // each group ends with an empty line
	s.most = max(len(lines)-height, 0)
	s.offset = min(s.offset, s.most)
	return lines[s.offset:]
}
