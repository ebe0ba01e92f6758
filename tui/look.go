package tui

// look is how everything is drawn: the colours and the signs that suit the
// terminal.
type look struct {
	theme  theme
	glyphs glyphs
	// colourless reports that the terminal shows no colours, or is not to
	// (NO_COLOR).
	colourless bool
}

// newLook returns the look for a terminal with a dark background, whose glyphs
// are chosen by the environment that os.Environ gives.
func newLook(environ []string) look {
	return look{theme: newTheme(true), glyphs: glyphsFor(environ)}
}
