package textsafe

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// class is a kind of characters that are counted together.
type class uint8

const (
	space class = iota
	lineBreak
	letter // ASCII
	digit  // ASCII
	sign   // ASCII
	ideograph
	foreign // letters of other scripts, and marks
	symbol  // anything else, such as emoji
	wide    // the first byte of what is not ASCII, in the table of bytes
)

// CountTokens estimates how many tokens a text is for a language model. It has no
// vocabulary: it counts words, digits, signs and scripts by what the tokenizers of today make
// of them. For what this server replies (prose in many languages, Roam's markdown, uids,
// JSON) the estimate is at most a fifth less than what o200k makes of it, and at most three
// tenths more. Data: addresses count as ShortenData shows them. It is for keeping replies
// small, not for billing.
func CountTokens[T ~string | ~[]byte](text T) int {
	return (countTokens(text, math.MaxInt) + 9) / 10
}

// ExceedsTokens reports whether a text has more than max tokens. It reads no more of the
// text than it takes to know.
func ExceedsTokens[T ~string | ~[]byte](text T, max int) bool {
	// A token has a byte at least, so that most texts need not be counted.
	return len(text) > max && countTokens(text, 10*max) > 10*max
}

// countTokens returns the tenths of tokens of a text, or some number above max.
func countTokens[T ~string | ~[]byte](text T, max int) int {
	tenths := 0
	for i := 0; i < len(text) && tenths <= max; {
		start, kind := i, classes[text[i]]
		if kind == wide {
			var length int
			kind, length, i = wideRun(text, i)
			tenths += run{length: length, simple: true}.tenths(kind)
			continue
		}
		if i++; kind == space && i < len(text) && classes[text[i]] != space {
			continue // one between two words: it takes nothing
		}
		lowest := byte('z') // of all bytes but the first
		for ; i < len(text) && classes[text[i]] == kind; i++ {
			lowest = min(lowest, text[i])
		}
		// "Word" and "word" are simple, "wOrd" and "URL" are not.
		length, of := i-start, kind
		if kind == sign && text[start] == ':' && start >= 4 && string(text[start-4:start+1]) == scheme {
			if short := ShortenData(string(text)); len(short) < len(text) {
				return countTokens(short, max)
			}
		}
		if kind == letter && lowest < 'a' {
			of = mixed
		}
		if length < len(tenthsOf[of]) {
			tenths += int(tenthsOf[of][length])
		} else {
			tenths += run{length, of != mixed}.tenths(kind)
		}
	}
	return tenths
}

// run is a run of characters of one class.
type run struct {
	length int  // characters
	simple bool // of letters: all but the first are small
}

// tenths returns a tenth of the tokens that a run is. The numbers are o200k's
// averages over the texts of TestCountIsCloseToATokenizer.
func (r run) tenths(kind class) int {
	n := r.length
	switch kind {
	case space: // one belongs to the word behind it
		return min(n-1, 1) * 10
	case lineBreak: // with the indent of code behind it
		return 9 + n
	case letter:
		switch {
		case !r.simple:
			return 5 + n*16/3
		case n <= 3:
			return 10
		case n <= 9:
			return 11
		case n <= 14:
			return 14
		}
		return 10 + n*3/2
	case digit:
		return (n + 2) / 3 * 10
	case sign:
		return 3 + 5*n
	case ideograph:
		return 7 * n
	case foreign:
		return 2 + 5*n/2
	case symbol, wide:
	}
	return 15 * n
}

// mixed is the row of tenthsOf for letters that are not simple.
const mixed = wide

// tenthsOf has the tenths of tokens of short runs, by class and length. Nothing changes it.
var tenthsOf = func() (tenths [mixed + 1][16]uint8) {
	for of := range tenths {
		kind := class(of)
		if kind == mixed {
			kind = letter
		}
		for length := 1; length < len(tenths[of]); length++ {
			tenths[of][length] = uint8(run{length, class(of) != mixed}.tenths(kind))
		}
	}
	return tenths
}()

// wideRun returns the class of the character at i, which is not ASCII, how many of that
// class stand there together, and where they end.
func wideRun[T ~string | ~[]byte](text T, i int) (kind class, length, end int) {
	for ; i < len(text) && text[i] >= utf8.RuneSelf; length++ {
		r, size := decode(text, i)
		next := classOf(r)
		if length > 0 && next != kind {
			break
		}
		kind = next
		i += size
	}
	return kind, length, i
}

// classOf returns the class of a character that is not ASCII.
func classOf(r rune) class {
	const firstIdeograph = 0x1100 // of Hangul, which is in front of the others
	switch {
	case r >= firstIdeograph && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return ideograph
	case unicode.IsLetter(r), unicode.IsMark(r):
		return foreign
	}
	return symbol
}

// classes has the class of every ASCII character, and wide for other bytes. Nothing
// changes it.
var classes = func() (classes [256]class) {
	for c := range classes {
		switch {
		case c >= utf8.RuneSelf:
			classes[c] = wide
		case c == ' ':
			classes[c] = space
		case c == '\n', c == '\t', c == '\r':
			classes[c] = lineBreak
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			classes[c] = letter
		case '0' <= c && c <= '9':
			classes[c] = digit
		default:
			classes[c] = sign
		}
	}
	return classes
}()

func decode[T ~string | ~[]byte](text T, i int) (rune, int) {
	end := min(len(text), i+utf8.UTFMax)
	return utf8.DecodeRuneInString(string(text[i:end]))
}
