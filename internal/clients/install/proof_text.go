package install

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"roam-mcp/internal/files"
	"roam-mcp/internal/textsafe"
)

// secrets matches what looks like a token of a graph, Local API or cloud, or of the HTTP
// endpoint, and what follows the word Bearer.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:roam-graph-(?:[a-z]+-)*token-|roam-mcp-http-|[Bb]earer )[\w.~+/=-]+`)
})

func redact(text string) string { return secrets().ReplaceAllString(text, "[token redacted]") }

// quoted returns a text from outside for a sentence: one line, 200 characters at most.
func quoted(text string) string { return strconv.Quote(line(text)) }

// line returns a text from outside as one line of at most 200 characters, without any that
// nobody sees, and without tokens.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case textsafe.Unshowable(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = redact(strings.Join(strings.Fields(text), " ")) // last: what is taken out may hide a token
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// lastLine returns the last line of an output that says anything.
func lastLine(output *files.Tail) string {
	text, cut := output.Text()
	text = strings.ToValidUTF8(text, "")
	if cut { // what is left of two words may be the rest of a token behind "Bearer"
		for range 2 {
			_, text, _ = strings.Cut(text, " ")
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return line(lines[len(lines)-1])
}

// foreignLine returns the first line of an output that is no JSON object, so no message
// of MCP; "" where there is none.
func foreignLine(text string) string {
	for each := range strings.SplitSeq(text, "\n") {
		if each = line(each); each != "" && !strings.HasPrefix(each, "{") {
			return each
		}
	}
	return ""
}
