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
	e, k := s.env, s.env.keys
	const gap = 2
	column := (width - 4 - gap) / 2
	left := s.group(s.about, s.here, column)
	left = append(left, s.group("Lists", k.lists(), column)...)
	right := s.group("Everywhere", []key.Binding{k.help, k.esc, named(k.quit, "quit, at the top"), k.stop, k.suspend}, column)
	if e.ports.Desk != nil {
		right = append(right, s.group("Roam (sandbox), when it asks", s.panel, column)...)
	}
	right = append(right, s.signs()...)
	var lines []string
	for i := range max(len(left), len(right)) - 1 { // each group ends with an empty line
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		lines = append(lines, "  "+e.glyphs.fit(l, column+gap)+r)
	}
	s.most = max(len(lines)-height, 0)
	s.offset = min(s.offset, s.most)
	return lines[s.offset:]
}

func (s *help) group(title string, bindings []key.Binding, width int) []string {
	e := s.env
	const label = 11
	lines := render(e.theme.strong, title, width)
	for _, b := range bindings {
		key := b.Help().Key
		for _, line := range render(e.theme.text, b.Help().Desc, width-label) {
			lines = append(lines, e.theme.accent.Render(e.glyphs.fit(key, label))+line)
			key = ""
		}
	}
	return append(lines, "")
}

func (s *help) signs() []string {
	e, g, t := s.env, s.env.glyphs, s.env.theme
	lines := []string{t.strong.Render("Signs")}
	for _, sign := range []state{
		{glyph: g.on, word: "connected", style: t.success}, {glyph: g.off, word: "not connected", style: t.muted},
		{glyph: g.busy, word: "under way", style: t.accent}, {glyph: g.bad, word: "revoked, or did not work", style: t.danger},
		{glyph: g.less, word: "needs a look", style: t.warning}, {glyph: g.none, word: "disabled", style: t.muted},
	} {
		lines = append(lines, sign.style.Render(e.glyphs.fit(sign.glyph, 4))+t.text.Render(sign.word))
	}
	return append(lines, "")
}
