package textsafe

import "unicode"

// Invisible reports whether nothing is to be seen of a character although it is no
// plain space: controls, formats such as tags, marks of direction and what has no
// width, variation selectors, the fillers of Hangul and braille, and what has no
// meaning in Unicode.
func Invisible(r rune) bool { return Hidden(r) || !unicode.IsGraphic(r) }

// Unseen reports whether a character is not to be seen for what it is: it is invisible, or
// a blank other than the space, or it encloses the one before it, or it is what stands for
// a character that is not shown.
func Unseen(r rune) bool {
	return Invisible(r) || unicode.IsSpace(r) && r != ' ' || unicode.Is(unicode.Me, r) || r == unicode.ReplacementChar
}

// Unshowable reports whether a character must not be written where a person or a
// model reads a name: it is invisible, and neither what emoji are joined and chosen
// with, nor one that newer fonts may have a picture of.
func Unshowable(r rune) bool {
	switch r {
	case '\u200d', '\ufe0e', '\ufe0f': // the zero-width joiner, text and emoji presentation
		return false
	}
	return Hidden(r)
}

// Hidden reports whether a character is invisible for what it is, and not since it is
// private or newer than this program.
func Hidden(r rune) bool {
	switch {
	case r < 0xad:
		return r < ' ' || 0x7f <= r && r < 0xa0
	case 0x180f < r && r < 0x200b, 0x3164 < r && r < 0xd800: // nothing is there, and most letters are
		return false
	}
	return r == '\u2800' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
