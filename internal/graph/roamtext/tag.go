package roamtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tagEnd returns the end of the tag's title at i.
func tagEnd(text string, i int) int {
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if !isTagByte(c) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isWordRune(r) {
			return i
		}
		i += n
	}
	return i
}

// tagIn returns the place of the first tag in a text, or -1.
func tagIn(text string) int {
	for i := range len(text) {
		if text[i] == '#' && tagEnd(text, i+1) > i+1 {
			return i
		}
	}
	return -1
}

func isTagByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("-_/.:@*'", c) >= 0
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// attribute finds "Title::" at the start of a text; spans are the forms of the
// text, none of which may hold the colons. A title that is itself a reference
// counts as that alone.
func attribute(text string, code Ranges, spans []Span) (Span, bool) {
	end := strings.Index(text, "::")
	if end < 0 || len(code) > 0 && code[0].Start < end || strings.HasPrefix(text[end+2:], ":") {
		return Span{}, false
	}
	title := strings.TrimSpace(text[:end])
	start := strings.Index(text[:end], title)
	switch {
	case title == "", strings.ContainsAny(title, "\n\r"), strings.HasPrefix(title, "{{"),
		start+len(title) != end, // "a ::" is no attribute
		strings.HasPrefix(title, "((") && strings.HasSuffix(title, "))"),
		strings.HasPrefix(title, "[[") && strings.HasSuffix(title, "]]"):
		return Span{}, false
	}
	for _, span := range spans {
		if span.Start < end && span.End > end && span.Kind != Tag {
			return Span{}, false
		}
	}
	return Span{Attribute, start, end + 2, start, end}, true
}
