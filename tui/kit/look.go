// Package kit holds what the screens of the setup program are made of: colours and
// signs that suit the terminal, layout in cells, forms, scrolled text, markdown, key
// lines, and the clipboard.
//
// It promises that a state has a glyph and a word beside its colour, that text laid out
// in a width is never wider, whatever characters it holds, and that what Sanitize and
// Markdown return holds nothing that a terminal obeys. It knows nothing of graphs,
// tokens or the exchange, and is the only package that uses huh.
package kit

// Look is the colours and the glyphs that everything is drawn with.
type Look struct {
	Theme  Theme
	Glyphs Glyphs
	// Colourless is set where the terminal shows no colours, or is told not to
	// (NO_COLOR).
	Colourless bool
}

// NewLook returns the look for a terminal with a dark background and an environment
// of the form of os.Environ.
func NewLook(environ []string) Look {
	return Look{Theme: NewTheme(true), Glyphs: GlyphsFor(environ)}
}
