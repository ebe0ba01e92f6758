package kit

import (
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Filter is a text that narrows a list.
type Filter struct {
	Text   string
	Typing bool
	Limit  int // of its characters; 0: nothing can be typed
}

// On reports whether the filter is typed or narrows the list.
func (f *Filter) On() bool { return f.Typing || f.Text != "" }

// handleKey takes a key while the filter is typed.
func (f *Filter) handleKey(k ListKeys, press tea.KeyPressMsg) {
	switch {
	case key.Matches(press, k.Drop):
		f.Text, f.Typing = "", false
	case key.Matches(press, k.Keep):
		f.Typing = false
	case key.Matches(press, k.Clear):
		f.Text = ""
	case press.String() == "backspace":
		_, size := utf8.DecodeLastRuneInString(f.Text)
		f.Text = f.Text[:len(f.Text)-size]
	default:
		f.extend(press.Text)
	}
}

// extend adds text, up to the limit.
func (f *Filter) extend(text string) {
	for _, r := range Sanitize(text) {
		if utf8.RuneCountInString(f.Text) < f.Limit {
			f.Text += string(r)
		}
	}
}

// FilterLine returns what is typed, its end where there is little room.
func (l Look) FilterLine(f Filter, width int) string {
	cursor := ""
	if f.Typing {
		cursor = l.Theme.Accent.Render("_")
	}
	return " " + l.Theme.Accent.Render("/") + " " + l.Theme.Strong.Render(l.Glyphs.CutStart(f.Text, max(width-4, 8))) + cursor
}
