package kit

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// TextField is a field in which a line of text is typed.
type TextField struct {
	Title, Description string
	Limit              int  // of the text, in characters
	Hidden             bool // the text is drawn as dots
	Value              *string
	// Check returns a sentence on what is wrong with the value, or "". It may be nil.
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

// textInput is huh's input, except that it draws itself while another field is
// focused: huh then gives the text a white that can't be read on a light background.
type textInput struct {
	*huh.Input
	look    *Look
	spec    TextField
	focused bool
	width   int
	terse   bool // has no description while another field is focused
}

var _ huh.Field = (*textInput)(nil)

// Update returns f, where huh's input would put itself in its place.
func (f *textInput) Update(msg tea.Msg) (_ huh.Model, cmd tea.Cmd) {
	typed(msg, func(msg tea.Msg) { _, cmd = f.Input.Update(msg) })
	return f, cmd
}

// typed passes a message to an input of bubbles. Version 2.2.1 panics on deleting the
// word forward at the last character; typed recovers, and deletes to the end of the line
// instead, which has the same effect.
func typed(msg tea.Msg, update func(tea.Msg)) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if press, ok := msg.(tea.KeyPressMsg); !ok || !key.Matches(press, textinput.DefaultKeyMap().DeleteWordForward) {
			panic(fault)
		}
		update(tea.KeyPressMsg{Code: 'k', Mod: tea.ModCtrl})
	}()
	update(msg)
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
