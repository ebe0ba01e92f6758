// Package review says in words what a person sees of recorded changes, the same in
// commands and on screens: a summary of a call, the lines of a list, and the
// difference that a change has made (JOURNAL.md, What is recorded).
//
// It promises plain text that a terminal shows and does not obey: whatever comes from
// notes, agents and clients is cleaned of control characters and changes of direction,
// and what is quoted is one line of bounded length. It reads nothing: records, and
// what Roam has now, are given to it. It does not know colours, signs or widths.
package review

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/textsafe"
)

// Mark says with which sign a face shows a state beside its words.
type Mark uint8

// The marks.
const (
	NoMark  Mark = iota
	Done         // it is so
	Failed       // it did not happen, or is gone
	Unsure       // it can't be told, or is not as it was
	Running      // it is under way
)

// Names returns how people call a graph: its nickname, or its name in Roam.
type Names func(history.Graph) string

// longestQuote is the length of a quoted text in characters.
const longestQuote = 60

// clean returns a text of others on one line, with a replacement character in the
// place of what a terminal would obey or not show.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case textsafe.Unshowable(r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// cut returns a text that is at most so many characters long, with an ellipsis where
// more was.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	return strings.TrimRight(string(runes[:most-1]), " ") + "…"
}

// quote returns a text of others in quotation marks, cleaned and cut.
func quote(text string) string { return `"` + cut(clean(text), longestQuote) + `"` }

// clock returns the time of day of what happened today, and else the date as well.
func clock(t, now time.Time, layout string) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(layout)
	}
	return t.Format(time.DateOnly + " " + layout)
}

const (
	toTheSecond = time.TimeOnly
	toTheMinute = "15:04"
)
