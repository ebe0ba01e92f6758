package tui

import (
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// lineFilter is a text that narrows a list while it is typed.
type lineFilter struct {
	text  string
	limit int // of its characters
}

// key handles a key that changes the text, and reports whether it did.
func (f *lineFilter) key(k keys, press tea.KeyPressMsg) (changed bool) {
	before := f.text
	switch {
	case key.Matches(press, k.clearText):
		f.text = ""
	case press.String() == "backspace":
		_, size := utf8.DecodeLastRuneInString(f.text)
		f.text = f.text[:len(f.text)-size]
	case press.Text != "":
		return f.extend(press.Text)
	}
	return f.text != before
}

// extend adds text, up to the limit, and reports whether there was any.
func (f *lineFilter) extend(text string) (changed bool) {
	for _, r := range kit.Sanitize(text) {
		if utf8.RuneCountInString(f.text) < f.limit {
			f.text += string(r)
			changed = true
		}
	}
	return changed
}
