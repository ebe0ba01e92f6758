package history

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Moment is a time that somebody gave, or the number of a call.
type Moment struct {
	From, To time.Time // the first instant that is meant, and the first one after it
	Number   int64     // 0: none
}

// ParseMoment reads what --since, --until and --before take: today, yesterday, a clock
// time (the last such), a date, a time before now such as 2h or 30d, a time of RFC 3339,
// or the number of a change.
func ParseMoment(text string, now time.Time) (Moment, error) {
	text = strings.TrimSpace(text)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text {
	case "today":
		return wholeDay(midnight), nil
	case "yesterday":
		return wholeDay(midnight.AddDate(0, 0, -1)), nil
	}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && number > 0 {
		return Moment{Number: number}, nil
	}
	if date, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return wholeDay(date), nil
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
		return Moment{From: at, To: at.Add(length)}, nil
	}
	if ago, ok := parseAgo(text); ok {
		return instant(now.Add(-ago)), nil
	}
	return Moment{}, fmt.Errorf("%q is no time: it is today, yesterday, a time such as 14:05, a date such as 2026-11-21, so long ago as 30m, 2h or 7d, or the number of a change", text)
}

func wholeDay(midnight time.Time) Moment {
	return Moment{From: midnight, To: midnight.AddDate(0, 0, 1)}
}

// instant is a moment that is as short as the journal tells.
func instant(at time.Time) Moment { return Moment{From: at, To: at.Add(time.Millisecond)} }

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

// Since narrows a filter to what came at the moment or later.
func (m Moment) Since(f *Filter) {
	if m.Number > 0 {
		f.After = m.Number - 1
		return
	}
	f.Since = m.From
}

// Until narrows a filter to what came at the moment or earlier.
func (m Moment) Until(f *Filter) {
	if m.Number > 0 {
		f.Before = m.Number + 1
		return
	}
	f.Until = m.To
}
