// Package safetext makes text from outside fit for a sentence of ours and for a
// log: one line, bounded, quoted, with nothing in it that looks like a token. It estimates how
// many tokens a text is for a language model, too.
package safetext

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/textsafe"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/transport/streamablehttp"
)

// Quote returns text from outside as it stands inside a sentence of ours: one
// line, 80 characters at most, quoted, no token in it.
func Quote(s string) string { return QuoteUpTo(s, 80) }

// QuoteUpTo returns text as Quote does, with n characters at most.
func QuoteUpTo(s string, n int) string { return Whole(Redact(cut(s, n))) }

// Whole returns text in quotes with nothing left out: what nobody sees, or what looks like
// a plain space and is none, is written as an escape. No two texts give the same.
func Whole(s string) string {
	quoted := strconv.Quote(s)
	if strings.IndexFunc(quoted, textsafe.Invisible) < 0 {
		return quoted
	}
	var out strings.Builder
	for _, r := range quoted { // strconv escapes what is not graphic, and fillers are
		if textsafe.Invisible(r) {
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
		if textsafe.Invisible(r) {
			return -1
		}
		return r
	}, cut(s, n))
}

// Name returns a name as it stands in a list: whole, and without what must not be
// shown.
func Name(s string) string {
	return strings.Map(func(r rune) rune {
		if textsafe.Unshowable(r) {
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

// Redact takes out whatever looks like a token: Roam's, that of the HTTP
// endpoint, and what follows the word Bearer.
func Redact(s string) string {
	for _, secret := range []struct {
		mark  string
		kept  string // of the mark
		least int    // characters after it that make a token
	}{
		{localapi.TokenPrefix, "", 0}, {streamablehttp.TokenPrefix, "", 0},
		{"Bearer ", "Bearer ", 16}, {"bearer ", "bearer ", 16},
	} {
		s = redactAfter(s, secret.mark, secret.kept, secret.least)
	}
	return s
}

func redactAfter(s, mark, kept string, least int) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, mark)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		end := 0
		for end < len(rest) && isTokenByte(rest[end]) {
			end++
		}
		if end < least {
			out.WriteString(mark)
			s = rest
			continue
		}
		out.WriteString(kept + "[token redacted]")
		s = rest[end:]
	}
}

func isTokenByte(b byte) bool {
	return strings.IndexByte("-_.~+/=", b) >= 0 || '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z'
}

// HoldsToken reports whether a file has in it what looks like a whole token.
func HoldsToken(content []byte) bool {
	return holdsAfter(content, localapi.TokenPrefix) || holdsAfter(content, streamablehttp.TokenPrefix)
}

func holdsAfter(content []byte, prefix string) bool {
	const least = 16 // characters after the prefix: fewer is a text about tokens
	for {
		_, rest, found := bytes.Cut(content, []byte(prefix))
		if !found {
			return false
		}
		length := bytes.IndexFunc(rest, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		if length < 0 && len(rest) >= least || length >= least {
			return true
		}
		content = rest
	}
}

// DescribeFile returns what stands for a file: its size in bytes and its SHA-256.
func DescribeFile(content []byte) string {
	return fmt.Sprintf("%s bytes, SHA-256 %x", humanize.Comma(int64(len(content))), sha256.Sum256(content))
}
