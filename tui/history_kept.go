package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// keptScreen says what the journal keeps, and how it is made to keep less.
type keptScreen struct {
	env    *env
	scroll kit.Scroll
}

var _ screen = (*keptScreen)(nil)

func newKeptScreen(e *env) *keptScreen { return &keptScreen{env: e} }

func (s *keptScreen) title() string { return "What is kept" }

func (s *keptScreen) mode() mode { return mode{inView: true, allowsPanelKeys: true} }

func (s *keptScreen) update(msg tea.Msg) (action, tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		if key.Matches(press, s.env.keys.esc, s.env.keys.kept, s.env.keys.enter) {
			return back{}, nil
		}
		s.scroll.HandleKey(s.env.keys.ScrollKeys, press)
	}
	return nil, nil
}

func (s *keptScreen) keys() []key.Binding {
	return append(s.env.keys.scrolling(&s.scroll), s.env.keys.esc)
}

func (s *keptScreen) view(width, height int) []string {
	var lines []string
	for _, sentence := range s.env.words.HistoryKept(s.env.roster.Config) {
		lines = append(append(lines, kit.Paragraph(s.env.Theme.Text, sentence, width)...), "")
	}
	return s.scroll.View(s.env.Look, lines[:len(lines)-1], height)
}
