package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// question is asked before something that can't simply be undone. enter and esc give
// the safe answer.
type question struct {
	title, text string
	safe, other string
	// confirm performs the other answer.
	confirm func() (action, tea.Cmd)
	// decline performs what the safe answer does besides going back; nil: nothing.
	decline func() tea.Cmd
	// instead is where the safe answer leads; nil: back.
	instead screen
}

// questionScreen asks a question. The safe answer goes back.
type questionScreen struct {
	env *env
	question
	otherChosen bool
}

var _ screen = (*questionScreen)(nil)

func newQuestion(e *env, q question) *questionScreen { return &questionScreen{env: e, question: q} }

func (s *questionScreen) title() string { return s.question.title }

// mode keeps the panel's keys away: nobody should answer a question of the panel
// while answering this one.
func (s *questionScreen) mode() mode { return mode{dialog: true} }

func (s *questionScreen) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k := s.env.keys
	switch {
	case key.Matches(press, k.no):
		return s.goBack()
	case key.Matches(press, k.yes):
		return s.confirm()
	case key.Matches(press, k.chooseAnswer):
		s.otherChosen = !s.otherChosen
	case key.Matches(press, k.enter):
		if s.otherChosen {
			return s.confirm()
		}
		return s.goBack()
	}
	return nil, nil
}

func (s *questionScreen) goBack() (action, tea.Cmd) {
	if s.instead != nil {
		return replace{s.instead}, nil
	}
	if s.decline == nil {
		return back{}, nil
	}
	return back{}, s.decline()
}

func (s *questionScreen) keys() []key.Binding {
	k := s.env.keys
	lower := func(words string) string { return strings.ToLower(words[:1]) + words[1:] }
	chosen := s.safe
	if s.otherChosen {
		chosen = s.other
	}
	return []key.Binding{kit.Relabel(k.enter, lower(chosen)), kit.Relabel(k.yes, lower(s.other)), k.chooseAnswer, kit.Relabel(k.no, lower(s.safe))}
}

func (s *questionScreen) view(width, height int) []string {
	e := s.env
	boxWidth := min(width-4, 68)
	var text []string
	for i, paragraph := range strings.Split(s.text, "\n") {
		style := e.Theme.Muted
		if i == 0 {
			style = e.Theme.Strong
		}
		text = append(append(text, ""), kit.WrapStyled(style, paragraph, boxWidth-4)...)
	}
	answers := e.Button(s.safe, !s.otherChosen) + "  " + e.Button(s.other, s.otherChosen)
	// The answers stay in sight however long the text is. Its gaps go first.
	const around = 4 // two lines of the box, the answers, and a gap above them
	if len(text)+around+1 <= height {
		answers += "\n"
	} else {
		text = slices.DeleteFunc(text, func(line string) bool { return line == "" })
		text = e.Glyphs.Clamp(text, max(height-around, 1), boxWidth-4)
	}
	lines := append(append(text, ""), strings.Split(answers, "\n")...)
	return e.Box(s.question.title, lines, boxWidth)
}
