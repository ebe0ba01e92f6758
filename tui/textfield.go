package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// textField is a field of a form in which a line of text is typed.
type textField struct {
	title, description string
	limit              int  // the most characters that can be typed
	hidden             bool // what is typed is drawn as dots
	value              *string
	// check says in a sentence what is wrong with the value; empty for nothing. It
	// may be nil.
	check func() string
}

func (f textField) field(l *look) huh.Field {
	input := huh.NewInput().Title(f.title).CharLimit(f.limit).Prompt("").Value(f.value)
	if f.description != "" {
		input.Description(f.description)
	}
	if f.hidden {
		input.EchoMode(huh.EchoModePassword)
	}
	return &textInput{Input: input, look: l, spec: f}
}

func (f textField) problem() string {
	if f.check == nil {
		return ""
	}
	return f.check()
}

// textInput is huh's input, drawn by us while another field has the focus: huh
// then gives its text a white that can't be read on a light background.
type textInput struct {
	*huh.Input
	look    *look
	spec    textField
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
	t, room := f.look.theme, f.width-2
	lines := render(t.muted, f.spec.title, room)
	if f.spec.description != "" && !f.terse {
		lines = append(lines, render(t.muted, f.spec.description, room)...)
	}
	lines = append(lines, t.text.Render(f.look.glyphs.cut(*f.spec.value, room)))
	return strings.Join(indent(lines, 2), "\n")
}
