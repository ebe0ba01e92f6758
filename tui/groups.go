package tui

import (
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
)

// sign is a state as it is shown: a glyph and a word, and never a colour alone.
type sign struct {
	glyph, word string
	style       lipgloss.Style
}

// keyGroup lists bindings under a title, with an empty line after them.
func (l look) keyGroup(title string, bindings []key.Binding, width int) []string {
	const label = 11
	lines := render(l.theme.strong, title, width)
	for _, b := range bindings {
		key := b.Help().Key
		for _, line := range render(l.theme.text, b.Help().Desc, width-label) {
			lines = append(lines, l.theme.accent.Render(l.glyphs.fit(key, label))+line)
			key = ""
		}
	}
	return append(lines, "")
}

// signGroup lists signs under a title, with an empty line after them.
func (l look) signGroup(title string, signs ...sign) []string {
	lines := []string{l.theme.strong.Render(title)}
	for _, s := range signs {
		lines = append(lines, s.style.Render(l.glyphs.fit(s.glyph, 4))+l.theme.text.Render(s.word))
	}
	return append(lines, "")
}

// sideBySide sets groups beside one another, without the empty line after the
// last. leftWidth is the width of the left column, with the gap after it.
func (g glyphs) sideBySide(left, right []string, leftWidth int) []string {
	var lines []string
	for i := range max(len(left), len(right)) - 1 {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		lines = append(lines, "  "+g.fit(l, leftWidth)+r)
	}
	return lines
}
