package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// signsScreen says what the signs of state mean.
type signsScreen struct{ env *env }

var _ screen = (*signsScreen)(nil)

func (s *signsScreen) title() string { return "Signs" }

func (s *signsScreen) mode() mode { return mode{inView: true, dialog: true} }

func (s *signsScreen) update(msg tea.Msg) (action, tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok && key.Matches(press, s.env.keys.esc, s.env.keys.enter, s.env.keys.quit) {
		return back{}, nil
	}
	return nil, nil
}

func (s *signsScreen) keys() []key.Binding {
	return []key.Binding{kit.Relabel(s.env.keys.esc, "close")}
}

func (s *signsScreen) view(width, _ int) []string {
	e, g, t := s.env, s.env.Glyphs, s.env.Theme
	var lines []string
	for _, sign := range []kit.Sign{
		kit.NewSign(g.On, "connected", t.Success), kit.NewSign(g.Off, "not connected", t.Muted), kit.NewSign(g.Busy, "under way", t.Accent),
		kit.NewSign(g.Failed, "revoked, or did not work", t.Danger), kit.NewSign(g.Warning, "needs a look", t.Warning), kit.NewSign(g.None, "disabled", t.Muted),
	} {
		lines = append(lines, sign.Style.Render(g.Fit(sign.Glyph, 4))+t.Text.Render(sign.Word))
	}
	return e.Box(s.title(), lines, min(width-4, 40))
}
