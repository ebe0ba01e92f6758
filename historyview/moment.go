package historyview

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"roam-mcp/history"
)

// moment is a time that a person gave, or the number of a call.
type moment struct {
	from, to time.Time // the first instant that is meant, and the first one after it
	number   int64     // 0: none
}

// parseMoment reads what --since, --until and --before take: today, yesterday, a clock
// time (the last such), a date, a time before now such as 2h or 30d, a time of RFC 3339,
// or the number of a change.
func parseMoment(text string, now time.Time) (moment, error) {
	text = strings.TrimSpace(text)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text {
	case "today":
		return day(midnight), nil
	case "yesterday":
		return day(midnight.AddDate(0, 0, -1)), nil
	}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && number > 0 {
		return moment{number: number}, nil
	}
	if date, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day(date), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return instant(at), nil
	}
	for layout, length := range map[string]time.Duration{"15:04": time.Minute, "15:04:05": time.Second} {
		clock, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		at := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, now.Location())
		if at.After(now) {
			at = at.AddDate(0, 0, -1)
		}
		return moment{from: at, to: at.Add(length)}, nil
	}
	if ago, ok := parseAgo(text); ok {
		return instant(now.Add(-ago)), nil
	}
	return moment{}, fmt.Errorf("%q is no time: it is today, yesterday, a time such as 14:05, a date such as 2026-11-21, so long ago as 30m, 2h or 7d, or the number of a change", text)
}

func day(midnight time.Time) moment {
	return moment{from: midnight, to: midnight.AddDate(0, 0, 1)}
}

// instant is a moment that is as short as the journal tells.
func instant(at time.Time) moment { return moment{from: at, to: at.Add(time.Millisecond)} }

// longestAgo is a hundred years: more is a slip, and would not fit a duration.
const longestAgo = 100 * 365 * 24 * time.Hour

// parseAgo reads how long ago something was: 90s, 30m, 2h, 7d, 4w, or a sum such as
// 1h30m.
func parseAgo(text string) (time.Duration, bool) {
	days := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if n := len(text) - 1; n > 0 && days[text[n]] > 0 {
		count, err := strconv.ParseUint(text[:n], 10, 16)
		ago := time.Duration(count) * days[text[n]]
		return ago, err == nil && ago <= longestAgo
	}
	ago, err := time.ParseDuration(text)
	return ago, err == nil && ago > 0 && ago <= longestAgo
}

// since narrows a filter to what came at the moment or later.
func (m moment) since(f *history.Filter) {
	if m.number > 0 {
		f.After = m.number - 1
		return
	}
	f.Since = m.from
}

// until narrows a filter to what came at the moment or earlier.
func (m moment) until(f *history.Filter) {
	if m.number > 0 {
		f.Before = m.number + 1
		return
	}
	f.Until = m.to
}
