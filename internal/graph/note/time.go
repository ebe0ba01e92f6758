package note

import (
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/lazyregexp"
)

// ago matches a length of time.
var ago = lazyregexp.New(`^(\d{1,5}) ?(m|min|h|d|w)$`)

// ParseTime returns the time that a text means, seen from now: so long ago (30m, 2h, 7d,
// 1w), the start of a day (ParseDay, also as a link), or a time in ISO 8601, which is in the
// zone of now where it has none.
func ParseTime(text string, now time.Time) (at time.Time, isDay, ok bool) {
	text = strings.TrimSpace(text)
	if m := ago.FindStringSubmatch(strings.ToLower(text)); m != nil {
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "w":
			return now.AddDate(0, 0, -7*n), false, true
		case "d":
			return now.AddDate(0, 0, -n), false, true
		case "h":
			return now.Add(-time.Duration(n) * time.Hour), false, true
		}
		return now.Add(-time.Duration(n) * time.Minute), false, true
	}
	day := text
	if inside := ParseName(text, now).Inside(); inside != "" {
		day = inside
	}
	if at, ok := ParseDay(day, now); ok {
		return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, now.Location()), true, true
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, false, true
		}
	}
	return time.Time{}, false, false
}
