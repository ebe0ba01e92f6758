package kit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// TextField is a field of a form in which a line of text is typed.
type TextField struct {
	Title, Description string
	Limit              int  // the most characters that can be typed
	Hidden             bool // what is typed is drawn as dots
	Value              *string
	// Check says in a sentence what is wrong with the value; empty for nothing. It
	// may be nil.
	Check func() string
}

func (f TextField) field(l *Look) huh.Field {
	input := huh.NewInput().Title(f.Title).CharLimit(f.Limit).Prompt("").Value(f.Value)
	if f.Description != "" {
		input.Description(f.Description)
	}
	if f.Hidden {
		input.EchoMode(huh.EchoModePassword)
	}
	return &textInput{Input: input, look: l, spec: f}
}

func (f TextField) problem() string {
	if f.Check == nil {
		return ""
	}
	return f.Check()
}

// textInput is huh's input, drawn by us while another field has the focus: huh
// then gives its text a white that can't be read on a light background.
type textInput struct {
	*huh.Input
	look    *Look
	spec    TextField
	focused bool
	width   int
	terse   bool // no description while another field has the focus
}

var _ huh.Field = (*textInput)(nil)

// Update keeps the field in the form where huh would put its own input.
func (f *textInput) Update(msg tea.Msg) (huh.Model, tea.Cmd) {
	_, cmd := f.Input.Update(msg)
	return f, cmd
}

// Focus implements huh.Field.
func (f *textInput) Focus() tea.Cmd {
	f.focused = true
	return f.Input.Focus()
}

// Blur implements huh.Field.
func (f *textInput) Blur() tea.Cmd {
	f.focused = false
	return f.Input.Blur()
}

// WithWidth implements huh.Field.
func (f *textInput) WithWidth(width int) huh.Field {
	f.width = width
	f.Input.WithWidth(width)
	return f
}

// View implements huh.Field.
func (f *textInput) View() string {
	if f.focused {
		return f.Input.View()
	}
	t, room := f.look.Theme, f.width-2
	lines := WrapStyled(t.Muted, f.spec.Title, room)
	if f.spec.Description != "" && !f.terse {
		lines = append(lines, WrapStyled(t.Muted, f.spec.Description, room)...)
	}
	lines = append(lines, t.Text.Render(f.look.Glyphs.Cut(*f.spec.Value, room)))
	return strings.Join(Indent(lines, 2), "\n")
}
