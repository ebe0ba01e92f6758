package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// textField is huh's input, drawn by us while another field has the focus: huh
// then gives its text a white that can't be read on a light background.
type textField struct {
	*huh.Input
	env                *env
	title, description string
	value              *string
	focused            bool
	width              int
	terse              bool // no description while another field has the focus
}

var _ huh.Field = (*textField)(nil)

func newTextField(e *env, title, description string, limit int, value *string) *textField {
	input := huh.NewInput().Title(title).CharLimit(limit).Prompt("").Value(value)
	if description != "" {
		input.Description(description)
	}
	return &textField{Input: input, env: e, title: title, description: description, value: value}
}

// Update keeps the field in the form where huh would put its own input.
func (f *textField) Update(msg tea.Msg) (huh.Model, tea.Cmd) {
	_, cmd := f.Input.Update(msg)
	return f, cmd
}

// Focus implements huh.Field.
func (f *textField) Focus() tea.Cmd {
	f.focused = true
	return f.Input.Focus()
}

// Blur implements huh.Field.
func (f *textField) Blur() tea.Cmd {
	f.focused = false
	return f.Input.Blur()
}

// WithWidth implements huh.Field.
func (f *textField) WithWidth(width int) huh.Field {
	f.width = width
	f.Input.WithWidth(width)
	return f
}

// View implements huh.Field.
func (f *textField) View() string {
	if f.focused {
		return f.Input.View()
	}
	t, room := f.env.theme, f.width-2
	lines := render(t.muted, f.title, room)
	if f.description != "" && !f.terse {
		lines = append(lines, render(t.muted, f.description, room)...)
	}
	lines = append(lines, t.text.Render(f.env.glyphs.cut(*f.value, room)))
	return strings.Join(indent(lines, 2), "\n")
}
