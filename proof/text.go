package proof

import (
	"regexp"
	"strconv"
	"strings"

	"roam-mcp/internal/runeclass"
	"roam-mcp/localapi"
)

// secrets matches what looks like a token of a graph or of the HTTP endpoint, and what
// follows the word Bearer.
func secrets() *regexp.Regexp {
	return regexp.MustCompile(`(?:` + regexp.QuoteMeta(localapi.TokenPrefix) + `|roam-mcp-http-|[Bb]earer )[\w.~+/=-]+`)
}

func redact(text string) string { return secrets().ReplaceAllString(text, "[token redacted]") }

// quoted returns a text from outside for a sentence: one line, 200 characters at most.
func quoted(text string) string { return strconv.Quote(line(text)) }

// line returns a text from outside as one line of at most 200 characters, without any that
// nobody sees, and without tokens.
func line(text string) string {
	text = strings.Join(strings.Fields(redact(text)), " ")
	text = strings.Map(func(r rune) rune {
		if runeclass.Unshowable(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// lastLine returns the last line of a text that says anything.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return line(lines[len(lines)-1])
}
