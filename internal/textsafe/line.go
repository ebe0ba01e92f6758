package textsafe

import (
	"strconv"
	"strings"
	"unicode"
)

// Quote returns text from outside as it stands inside a sentence of ours: one
// line, 80 characters at most, quoted, no token in it.
func Quote(s string) string { return QuoteUpTo(s, 80) }

// QuoteUpTo returns text as Quote does, with n characters at most.
func QuoteUpTo(s string, n int) string { return quoted(Redact(cut(s, n))) }

// quoted returns text in quotes with nothing left out: what nobody sees, or what looks like
// a plain space and is none, is written as an escape. No two texts give the same.
func quoted(s string) string {
	text := strconv.Quote(s)
	if strings.IndexFunc(text, Invisible) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text { // strconv escapes what is not graphic, and fillers are
		if Invisible(r) {
			escaped := strconv.QuoteToASCII(string(r))
			out.WriteString(escaped[1 : len(escaped)-1])
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Line returns s as one line of at most n characters, without any that nobody sees.
func Line(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if Invisible(r) {
			return -1
		}
		return r
	}, cut(s, n))
}

// Name returns a name as it stands in a list: whole, and without what must not be
// shown.
func Name(s string) string {
	return strings.Map(func(r rune) rune {
		if Unshowable(r) {
			return -1
		}
		return r
	}, s)
}

// Title returns the title or the path of a page as it stands in a list: whole, and on
// one line. What can't be seen in it is escaped where the reply goes out.
func Title(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, s)
}

func cut(s string, n int) string {
	if len(s) > 4*n+64 { // a bound on the work, well above n characters
		s = s[:4*n+64]
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	}), " ")
	runes := []rune(s)
	if len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
}
