package kit

import (
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
)

// Sign is a state as it is shown: a glyph and a word, and never a colour alone.
type Sign struct {
	Glyph, Word string
	Style       lipgloss.Style
}

// NewSign returns a sign.
func NewSign(glyph, word string, style lipgloss.Style) Sign { return Sign{glyph, word, style} }

// KeyGroup lists bindings under a title, with an empty line after them.
func (l Look) KeyGroup(title string, bindings []key.Binding, width int) []string {
	const label = 11
	lines := WrapStyled(l.Theme.Strong, title, width)
	for _, b := range bindings {
		key := b.Help().Key
		for _, line := range WrapStyled(l.Theme.Text, b.Help().Desc, width-label) {
			lines = append(lines, l.Theme.Accent.Render(l.Glyphs.Fit(key, label))+line)
			key = ""
		}
	}
	return append(lines, "")
}

// SignGroup lists signs under a title, with an empty line after them.
func (l Look) SignGroup(title string, signs ...Sign) []string {
	lines := []string{l.Theme.Strong.Render(title)}
	for _, s := range signs {
		lines = append(lines, s.Style.Render(l.Glyphs.Fit(s.Glyph, 4))+l.Theme.Text.Render(s.Word))
	}
	return append(lines, "")
}

// SideBySide sets groups beside one another, without the empty line after the
// last. leftWidth is the width of the left column, with the gap after it.
func (g Glyphs) SideBySide(left, right []string, leftWidth int) []string {
	var lines []string
	for i := range max(len(left), len(right)) - 1 {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		lines = append(lines, "  "+g.Fit(l, leftWidth)+r)
	}
	return lines
}
