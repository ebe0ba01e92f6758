package textsafe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	textStyle          = '\ufe0e'
	emojiStyle         = '\ufe0f'
	keycap             = '\u20e3'
	blackFlag          = "\U0001f3f4"
	firstTag, lastTag  = '\U000e0020', '\U000e007f'
)

// flags are the tags of the flags that have some: England, Scotland and Wales.
var flags = [...]string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

// tagged returns a text in tag characters, with the one that ends it.
func tagged(text string) string {
	var out strings.Builder
	for _, r := range text {
		out.WriteRune(firstTag - ' ' + r)
	}
	return out.String() + string(lastTag)
}

// isPart reports whether an invisible character, that at an index, is a part of what can
// be seen: of an emoji or of a word of a script that is joined.
func isPart(text string, at, size int) bool {
	before, after := text[:at], text[at+size:]
	r, _ := utf8.DecodeRuneInString(text[at:])
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case r == textStyle || r == emojiStyle:
		return isPicture(last) || next == keycap && strings.ContainsRune("0123456789#*", last)
	case r == zeroWidthJoiner && isPicture(next):
		return endsInPicture(before)
	case r == zeroWidthNonJoiner && unicode.Is(unicode.Arabic, last) && unicode.Is(unicode.Arabic, next):
		return unicode.IsLetter(next)
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		return isVirama(last) && unicode.IsLetter(next)
	case firstTag <= r && r <= lastTag:
		return isInFlag(text, at)
	}
	return false
}

// endsInPicture reports whether a text ends in an emoji, with what chooses its colour or
// its style.
func endsInPicture(text string) bool {
	last, size := utf8.DecodeLastRuneInString(text)
	if last == emojiStyle {
		last, _ = utf8.DecodeLastRuneInString(text[:len(text)-size])
	}
	return isPicture(last)
}

// isPicture reports whether a character can be an emoji, or the colour of one.
func isPicture(r rune) bool {
	switch {
	case 0x1f000 <= r && r <= 0x1faff, 0x2600 <= r && r <= 0x27bf, 0x2b00 <= r && r <= 0x2bff, 0x2300 <= r && r <= 0x23ff,
		0x2190 <= r && r <= 0x21ff, 0x25a0 <= r && r <= 0x25ff, 0x2900 <= r && r <= 0x297f:
		return true
	}
	return strings.ContainsRune("©®‼⁉™ℹ〰〽㊗㊙Ⓜ", r)
}

// isVirama reports whether a character is the sign with which the scripts of India join
// consonants.
func isVirama(r rune) bool { return strings.ContainsRune("्্੍્୍்్್്්", r) }

// isInFlag reports whether the tag at an index belongs to a flag that there is.
func isInFlag(text string, at int) bool {
	near := text[max(0, at-len(blackFlag)-len(flags[0])):]
	start := strings.Index(near, blackFlag)
	if start < 0 {
		return false
	}
	start += len(text) - len(near) + len(blackFlag)
	for _, flag := range flags {
		if strings.HasPrefix(text[start:], flag) && start <= at && at < start+len(flag) {
			return true
		}
	}
	return false
}
