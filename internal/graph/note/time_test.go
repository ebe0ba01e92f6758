package note_test

import (
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
)

func TestParseTime(t *testing.T) {
	zone := time.FixedZone("there", 2*60*60)
	now := time.Date(2026, time.March, 5, 14, 30, 0, 0, zone)
	for _, c := range []struct {
		name, text, want string // empty: it is no time
		isDay            bool
	}{
		{"minutes ago", "30m", "2026-03-05T14:00:00+02:00", false},
		{"hours ago, with blanks and capitals", " 2 H ", "2026-03-05T12:30:00+02:00", false},
		{"days ago, by the calendar", "7d", "2026-02-26T14:30:00+02:00", false},
		{"weeks ago", "1w", "2026-02-26T14:30:00+02:00", false},
		{"a word for a day", "yesterday", "2026-03-04T00:00:00+02:00", true},
		{"a date", "2026-01-15", "2026-01-15T00:00:00+02:00", true},
		{"a link to a daily note", "[[January 15th, 2026]]", "2026-01-15T00:00:00+02:00", true},
		{"a moment with a zone", "2026-01-15T10:30:00Z", "2026-01-15T10:30:00Z", false},
		{"a moment without one", "2026-01-15 10:30", "2026-01-15T10:30:00+02:00", false},
		{"nothing", "", "", false},
		{"a number alone", "24", "", false},
		{"a length that is too long", "123456d", "", false},
		{"a day that does not exist", "2026-02-30", "", false},
		{"words", "last week", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, isDay, ok := note.ParseTime(c.text, now)
			if got := at.Format(time.RFC3339); ok != (c.want != "") || ok && (got != c.want || isDay != c.isDay) {
				t.Errorf("%q is %s, a day: %v, a time: %v; want %q, a day: %v", c.text, got, isDay, ok, c.want, c.isDay)
			}
		})
	}
}
