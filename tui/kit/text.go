package kit

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/textsafe"
)

// Sanitize returns s, a text of others, on one line and without anything that a
// terminal would obey: escape sequences, control characters and changes of the
// writing direction.
func Sanitize(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case textsafe.Unshowable(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// Drawn returns a line that is about to be drawn without anything that a terminal
// would obey beside colours and the like, whoever wrote it: what Sanitize missed ends here.
// signs replaces the signs that the terminal lacks, outside of commands.
func Drawn(line string, signs func(string) string) string {
	return drawable(Unmarked(Around(line, signs)))
}

// drawable drops what must not be shown, but for the sequences of colours.
func drawable(line string) string {
	if strings.IndexFunc(line, func(r rune) bool { return textsafe.Unshowable(r) }) < 0 {
		return line
	}
	var out strings.Builder
	for line != "" {
		if n := colourSequence(line); n > 0 {
			out.WriteString(line[:n])
			line = line[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(line)
		if !textsafe.Unshowable(r) {
			out.WriteString(line[:size])
		}
		line = line[size:]
	}
	return out.String()
}

// colourSequence returns the length of the sequence for colours that a text begins with, 0
// for none.
func colourSequence(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	end := strings.IndexFunc(s[2:], func(r rune) bool { return (r < '0' || r > '9') && r != ';' && r != ':' })
	if end < 0 || s[2+end] != 'm' {
		return 0
	}
	return 2 + end + 1
}

// Clock returns a duration as minutes and seconds: 4:12.
func Clock(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// InWords returns a duration in seconds, or from two minutes in minutes: 5 minutes.
func InWords(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	if seconds < 120 {
		return Plural(seconds, "second")
	}
	return Plural((seconds+30)/60, "minute")
}

// ShortDuration returns a duration as milliseconds or seconds: 38 ms, 1.4 s.
func ShortDuration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Ago says how long ago something was: 20 s ago, 3 min ago.
func Ago(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h ago", int(d.Hours()))
}

// Plural returns a count with its noun: 1 graph, 3 graphs.
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
