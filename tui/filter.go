package tui

import (
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/tui/kit"
)

// lineFilter is a text that narrows a list.
type lineFilter struct {
	text   string
	typing bool
	limit  int // of its characters
}

// newLineFilter returns a filter of names.
func newLineFilter() lineFilter { return lineFilter{limit: configstore.MaxNicknameLength} }

// on reports whether the filter is typed or narrows the list.
func (f *lineFilter) on() bool { return f.typing || f.text != "" }

// folded returns the text as folded texts are searched for it.
func (f *lineFilter) folded() string { return configstore.FoldNickname(f.text) }

// key handles a key while the filter is typed, and reports whether it changed the text.
func (f *lineFilter) key(k keys, press tea.KeyPressMsg) (changed bool) {
	before := f.text
	switch {
	case key.Matches(press, k.esc):
		f.text, f.typing = "", false
	case key.Matches(press, k.enter):
		f.typing = false
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

// keys are the bindings while the filter is typed, over so many rows.
func (f *lineFilter) keys(k keys, rows int) []key.Binding {
	out := []key.Binding{kit.Relabel(k.enter, "keep the filter"), kit.Relabel(k.esc, "show all")}
	if rows > 1 {
		out = append(out, k.chooseRow)
	}
	return out
}

// filterLine returns what is typed.
func (d *drawing) filterLine(f lineFilter) string {
	cursor := ""
	if f.typing {
		cursor = d.Theme.Accent.Render("_")
	}
	return " " + d.Theme.Accent.Render("/") + " " + d.Theme.Strong.Render(f.text) + cursor
}
