package roamtext

import (
	"strings"
	"unicode/utf8"
)

// maxScheme bounds the length of an address's scheme.
const maxScheme = 31

// address is the range of an address. One that is not recognized by Roam ends
// before a # that begins a tag.
type address struct {
	Range
	recognized bool
}

// addresses finds "scheme://…", "mailto:…" and "www.…", in order. Code and links
// are not looked at.
func addresses(text string) []address {
	var out []address
	for i := 0; i < len(text); {
		at, rest, ok := nextAddress(text, i)
		if !ok {
			break
		}
		end := addressEnd(text, rest)
		if i = rest; end > rest {
			out = append(out, address{Range{at, end}, recognized(text[at:end])})
			i = end
		}
	}
	return out
}

// nextAddress returns the start of the first address at i or later, and the end
// of its scheme.
func nextAddress(text string, i int) (start, rest int, ok bool) {
	for at := i; at < len(text); at++ {
		switch text[at] {
		case ':':
			switch {
			case strings.HasPrefix(text[at:], "://"):
				if n := schemeLength(text[i:at]); n > 0 {
					return at - n, at + 3, true
				}
			case endsWithWord(text[i:at], "mailto"):
				return at - len("mailto"), at + 1, true
			}
		case '.':
			if endsWithWord(text[i:at], "www") {
				return at - len("www"), at + 1, true
			}
		}
	}
	return 0, 0, false
}

// schemeLength returns the length of the scheme at the end of a text.
func schemeLength(text string) int {
	n := 0
	for n < min(len(text), maxScheme) && isSchemeByte(text[len(text)-1-n]) {
		n++
	}
	for n > 0 && !isLetter(text[len(text)-n]) {
		n--
	}
	return n
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSchemeByte(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'
}

// endsWithWord reports whether a text ends with a word, in any case.
func endsWithWord(text, word string) bool {
	n := len(text) - len(word)
	return n >= 0 && strings.EqualFold(text[n:], word) && (n == 0 || !isSchemeByte(text[n-1]) && text[n-1] != '_')
}

// addressEnd returns the end of an address whose scheme ends at i. Parentheses in
// pairs belong to it; punctuation and signs of emphasis at its end do not.
func addressEnd(text string, i int) int {
	start, depth := i, 0
scan:
	for i < len(text) {
		n := 1
		switch c := text[i]; c {
		case '(':
			if depth++; strings.HasPrefix(text[i:], "((") {
				break scan
			}
		case ')':
			if depth--; depth < 0 {
				break scan
			}
		case '<', '>', '"', '`', '[', ']', '{', '}', '|', '\\', '^', 0x7f:
			break scan
		default:
			if c <= ' ' {
				break scan
			}
			if c >= utf8.RuneSelf {
				var r rune
				if r, n = utf8.DecodeRuneInString(text[i:]); !isWordRune(r) {
					break scan
				}
			}
		}
		i += n
	}
	return start + len(strings.TrimRight(text[start:i], ".,;:!?*_~'("))
}

// recognized reports whether Roam reads an address as one. An http or https
// address needs a host with a full stop.
func recognized(address string) bool {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return true
	}
	if end := strings.IndexAny(rest, "/?#:"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(strings.Trim(rest, "."), ".")
}
