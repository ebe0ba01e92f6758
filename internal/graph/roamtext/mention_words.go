package roamtext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// word is a word of a text: letters, digits and the marks on them. In scripts
// that are written without spaces each letter counts as one.
type word struct {
	key        string // the same for words that differ by case only
	start, end int    // bytes
}

// split finds the words of a text.
func split(text string) []word {
	var out []word
	for at := 0; at < len(text); {
		end := wordEnd(text, at)
		if end == at {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		out = append(out, word{foldCase(text[at:end]), at, end})
		at = end
	}
	return out
}

// wordEnd is where the word ends that starts at a place; the place itself where
// none does.
func wordEnd(text string, at int) int {
	end := at
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case unicode.IsMark(r) && end > at:
		case !isWordRune(r):
			return end
		case unspaced(r):
			if end > at {
				return end
			}
			return end + size + marksAt(text[end+size:])
		}
		end += size
	}
	return end
}

// marksAt is how many bytes of marks a text begins with.
func marksAt(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsMark(r) })
	if n < 0 {
		return len(text)
	}
	return n
}

// unspaced reports whether a letter is of a script without spaces between words.
// Katakana is none: what it spells stands together.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// foldCase makes words the same that differ by case, or by how their accents are
// written. Each letter becomes the first of those that Unicode's simple folding
// holds for equal.
func foldCase(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return strings.Map(func(r rune) rune {
		first := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			first = min(first, next)
		}
		return first
	}, norm.NFC.String(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// tooPlain reports whether the words of a title would be found everywhere without
// being meant: short ones, numbers, and those that say nothing of a topic.
func tooPlain(title string, words []word) bool {
	const leastLetters, leastUnspaced = 3, 2
	first, _ := utf8.DecodeRuneInString(title[words[0].start:])
	if unspaced(first) {
		return len(words) < leastUnspaced
	}
	if len(words) == 1 && utf8.RuneCountInString(title) < leastLetters {
		return true
	}
	plain := true
	for _, w := range words {
		plain = plain && (isNumber(w.key) || isCommon(w.key))
	}
	return plain
}

func isNumber(key string) bool {
	return strings.IndexFunc(key, func(r rune) bool { return !unicode.IsNumber(r) }) < 0
}

// isCommon knows the words, folded, that English texts are full of.
func isCommon(key string) bool {
	if len(key) > len("SOMETHING") {
		return false
	}
	return strings.Contains(commonWords, " "+key+" ")
}

const commonWords = " A AN AND ARE AS AT BE BEEN BUT BY CAN DID DO DOES DONE FOR FROM GET GO GOOD HAD HAS HAVE HE HER HERE HIM HIS HOW " +
	"I IF IN INTO IS IT ITS JUST LAST LIKE MADE MAKE MANY MAY ME MORE MOST MUCH MUST MY NEED NEW NEXT NO NOT NOW OF OFF OLD ON ONE ONLY OR " +
	"OTHER OUR OUT OVER OWN SAME SEE SHE SHOULD SO SOME SOMETHING SUCH TAKE THAN THAT THE THEIR THEM THEN THERE THESE THEY THING THINGS " +
	"THIS THOSE TO TODO TOO TWO UNDER UNTIL UP US USE USED VERY WANT WAS WAY WE WELL WERE WHAT WHEN WHERE WHICH WHILE WHO WHY WILL WITH " +
	"WORK WOULD YES YOU YOUR "
