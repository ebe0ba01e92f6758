package kit

import (
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
)

// Sign is how a state is shown: by a glyph and a word, never by a colour alone.
type Sign struct {
	Glyph, Word string
	Style       lipgloss.Style
}

// NewSign returns a sign of the three.
func NewSign(glyph, word string, style lipgloss.Style) Sign { return Sign{glyph, word, style} }

// KeyGroup returns a list of bindings under a title, and an empty line.
func (l Look) KeyGroup(title string, bindings []key.Binding, width int) []string {
	const labelWidth = 11
	lines := WrapStyled(l.Theme.Strong, title, width)
	for _, b := range bindings {
		lines = append(lines, l.Labelled(l.Theme.Accent, b.Help().Key, labelWidth, WrapStyled(l.Theme.Text, b.Help().Desc, width-labelWidth))...)
	}
	return append(lines, "")
}

// SignGroup returns a list of signs under a title, and an empty line.
func (l Look) SignGroup(title string, signs ...Sign) []string {
	lines := []string{l.Theme.Strong.Render(title)}
	for _, s := range signs {
		lines = append(lines, s.Style.Render(l.Glyphs.Fit(s.Glyph, 4))+l.Theme.Text.Render(s.Word))
	}
	return append(lines, "")
}
