package kit

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// LineInput is an inline input of one line.
type LineInput struct{ input textinput.Model }

// NewLineInput returns an input that begins with a text, of at most limit characters.
func NewLineInput(text string, limit int) *LineInput {
	input := textinput.New()
	input.Prompt, input.CharLimit = "", limit
	input.Focus()
	input.SetValue(text)
	return &LineInput{input}
}

// Update handles a key or pasted text. The commands of the input only blink.
func (i *LineInput) Update(msg tea.Msg) {
	typed(msg, func(msg tea.Msg) { i.input, _ = i.input.Update(msg) })
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

// Value returns the text.
func (i *LineInput) Value() string { return i.input.Value() }

// View returns the text with its cursor, exactly width cells wide.
func (i *LineInput) View(l Look, width int) string {
	var styles textinput.Styles
	styles.Focused.Text = l.Theme.Strong.Underline(true).UnderlineSpaces(true)
	styles.Cursor.Color = l.Theme.Colors.Accent
	i.input.SetStyles(styles)
	i.input.SetWidth(max(width-1, 1)) // the cursor may stand behind the text
	return l.Glyphs.Fit(i.input.View(), width)
}
