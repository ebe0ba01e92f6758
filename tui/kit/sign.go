package kit

import "charm.land/lipgloss/v2"

// Sign is how a state is shown: by a glyph and a word, never by a colour alone.
type Sign struct {
	Glyph, Word string
	Style       lipgloss.Style
}

// NewSign returns a sign of the three.
func NewSign(glyph, word string, style lipgloss.Style) Sign { return Sign{glyph, word, style} }
