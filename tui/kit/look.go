// Package kit holds what the screens of the setup program are made of: colours and
// signs that suit the terminal, layout in cells, lists and tables, forms, scrolled text,
// markdown, key lines, and the clipboard.
//
// It promises that a state has a glyph and a word beside its colour, that text laid out
// in a width is never wider, whatever characters it holds, and that what Sanitize and
// Markdown return holds nothing that a terminal obeys. It knows nothing of graphs,
// tokens or the exchange, and is the only package that uses huh.
package kit

import "github.com/charmbracelet/colorprofile"

// Look is the colours and the glyphs that everything is drawn with.
type Look struct {
	Theme  Theme
	Glyphs Glyphs
	// Colourless is set where the terminal shows no colours, or is told not to
	// (NO_COLOR).
	Colourless bool

	background Background
	chosen     bool // the background, by the person
	profile    colorprofile.Profile
}

// NewLook returns the look for a theme that the person chose, or with UnknownBackground
// for what the environment tells, which has the form of os.Environ.
func NewLook(theme Background, environ []string) Look {
	l := Look{Glyphs: GlyphsFor(environ), background: theme, chosen: theme != UnknownBackground}
	if !l.chosen {
		l.background = backgroundOf(environ)
	}
	l.choosePalette()
	return l
}

// SetBackground takes the terminal's own word for its background, unless the person chose
// a theme.
func (l *Look) SetBackground(b Background) {
	if !l.chosen {
		l.background = b
		l.choosePalette()
	}
}

// SetProfile takes which colours the terminal has.
func (l *Look) SetProfile(p colorprofile.Profile) {
	l.profile = p
	l.Colourless = p == colorprofile.ASCII || p == colorprofile.NoTTY
	l.choosePalette()
}

func (l *Look) choosePalette() { l.Theme = NewTheme(paletteFor(l.background, l.profile)) }
