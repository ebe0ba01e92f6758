package kit

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/runeclass"
)

// Sanitize returns s, a text of others, on one line and without anything that a
// terminal would obey: escape sequences, control characters and changes of the
// writing direction.
func Sanitize(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case runeclass.Unshowable(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// Clock returns a duration as minutes and seconds: 4:12.
func Clock(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
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
