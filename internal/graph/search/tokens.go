package search

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// shape says what a token is.
type shape uint8

const (
	whole  shape = iota // a word
	pair                // two characters of a run without spaces
	lone                // a run of one character
	ending              // the last character of a longer run
)

// tokenizer splits texts into tokens. It keeps buffers between them.
type tokenizer struct {
	folded []byte
	forms  []byte
}

// each calls yield with the tokens of a text, folded, and their places in it in bytes.
// The folded token is valid until yield returns.
func (t *tokenizer) each(text string, yield func(folded []byte, start, end int, is shape)) {
	for i := 0; i < len(text); {
		start, ascii := i, true
		for i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				if !alphanumeric(c) {
					break
				}
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(text[i:])
			if !inWord(r) {
				break
			}
			ascii = false
			i += n
		}
		switch {
		case i == start:
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
		case ascii:
			t.folded = t.folded[:0]
			for _, c := range []byte(text[start:i]) {
				if 'A' <= c && c <= 'Z' {
					c += 'a' - 'A'
				}
				t.folded = append(t.folded, c)
			}
			yield(t.folded, start, i, whole)
		default:
			t.run(text, start, i, yield)
		}
	}
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// inWord reports whether a rune belongs to a word. Invisible ones do not end it.
func inWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.M) || invisible(r)
}

// invisible reports whether a rune shows nothing: a soft hyphen, a joiner.
func invisible(r rune) bool {
	return r == 0xAD || r >= 0x200B && r <= 0x200D || r == 0x2060 || r == 0xFEFF
}

// unspaced reports whether a rune is of a script without spaces.
func unspaced(r rune) bool {
	return r >= 0x0E00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		r == 0x30FC || r == 0xFF70)
}

// run splits a run of letters and digits at changes between scripts with and without
// spaces.
func (t *tokenizer) run(text string, start, end int, yield func([]byte, int, int, shape)) {
	for i := start; i < end; {
		from := i
		r, n := utf8.DecodeRuneInString(text[i:])
		without := unspaced(r)
		for i += n; i < end; i += n {
			r, n = utf8.DecodeRuneInString(text[i:])
			if unspaced(r) != without && !joins(r) {
				break
			}
		}
		if without {
			t.pairs(text, from, i, yield)
		} else if t.folded = t.fold(t.folded[:0], text[from:i]); len(t.folded) > 0 {
			yield(t.folded, from, i, whole)
		}
	}
}

// joins reports whether a rune belongs to the character before it.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || invisible(r) || r == 0xFF9E || r == 0xFF9F // the voicing marks of narrow Kana
}

// pairs yields the pairs of characters of a run, and its last character.
func (t *tokenizer) pairs(text string, start, end int, yield func([]byte, int, int, shape)) {
	t.folded = t.folded[:0]
	before, at, count := 0, start, 0 // before: where in folded the character before begins
	for i := start; i < end; {
		from := i
		_, n := utf8.DecodeRuneInString(text[i:])
		for i += n; i < end; i += n {
			var r rune
			if r, n = utf8.DecodeRuneInString(text[i:]); !joins(r) {
				break
			}
		}
		size := len(t.folded)
		if t.folded = t.fold(t.folded, text[from:i]); len(t.folded) == size {
			continue
		}
		if count++; count > 1 {
			yield(t.folded[before:], at, i, pair)
		}
		before, at = size, from
	}
	switch count {
	case 0:
	case 1:
		yield(t.folded[before:], at, end, lone)
	default:
		yield(t.folded[before:], at, end, ending)
	}
}

// fold appends a word without what does not tell words apart.
func (t *tokenizer) fold(folded []byte, word string) []byte {
	t.forms = norm.NFKD.AppendString(t.forms[:0], word)
	kept := t.forms[:0]
	for i := 0; i < len(t.forms); {
		r, n := utf8.DecodeRune(t.forms[i:])
		i += n
		switch {
		case diacritic(r) || invisible(r) || !inWord(r):
		case r == 'ß' || r == 'ẞ':
			kept = append(kept, "ss"...)
		default:
			if lower := unicode.ToLower(unicode.ToUpper(r)); utf8.RuneLen(lower) <= n { // it is written over what was read
				r = lower
			}
			kept = utf8.AppendRune(kept, r)
		}
	}
	return norm.NFKC.Append(folded, kept...)
}

// diacritic reports whether a rune is a mark without which a word is still the same. The
// vowel signs of Indian scripts and the voicing marks of Kana are none.
func diacritic(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36F, r >= 0x483 && r <= 0x489, r >= 0x591 && r <= 0x5C7, r >= 0x610 && r <= 0x61A, r >= 0x64B && r <= 0x65F, r == 0x670:
		return unicode.Is(unicode.M, r)
	}
	return r >= 0x1AB0 && r <= 0x1AFF || r >= 0x1DC0 && r <= 0x1DFF || r >= 0x20D0 && r <= 0x20FF || r >= 0xFE20 && r <= 0xFE2F
}

// Token is a word of a text: a run of letters and digits, or of a script without spaces a
// pair of characters.
type Token struct {
	Folded     []byte // without regard to case and diacritics; valid until the next one
	Start, End int    // its place, in bytes
	Lone       bool   // a run without spaces of one character, with which longer ones begin
	Ending     bool   // the last character of a longer run, which the pair before it has too
}

// Tokenizer splits texts into tokens, in the one way in which words are compared. Its zero
// value is ready; it is for one goroutine.
type Tokenizer struct{ tokenizer tokenizer }

// Each calls yield with the tokens of a text.
func (t *Tokenizer) Each(text string, yield func(Token)) {
	t.tokenizer.each(text, func(folded []byte, start, end int, is shape) {
		yield(Token{folded, start, end, is == lone, is == ending})
	})
}
