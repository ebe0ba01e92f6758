package actions

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"roam-mcp/graphdb/outline"
	"roam-mcp/sandbox/internal/wire"
)

// dateSymbols has the forms of LOCAL_API.md 9.8: a day or span in words, a number
// of spans from now, or a date; and which end of it is meant.
var dateSymbols = regexp.MustCompile(`^(?:(today|yesterday|tomorrow)|(this|last|next)-(week|month|quarter|year)|([+-]\d{1,4})([DWMQY])|=(\d{4}-\d{2}-\d{2}))(?:-(start|end))?$`)

// dateSymbol returns the value of a symbol ms/… in milliseconds since 1970, and of
// dnp/… as a daily note's title; ok is false for any other symbol. Days are those
// of now's time zone, and weeks begin on Sunday.
func dateSymbol(symbol string, now time.Time) (value any, ok bool, err error) {
	kind, name, found := strings.Cut(symbol, "/")
	if !found || kind != "ms" && kind != "dnp" {
		return nil, false, nil
	}
	m := dateSymbols.FindStringSubmatch(name)
	if m == nil {
		return nil, false, fmt.Errorf("unknown symbol %s: known are forms such as %s/today-start, %s/this-week-end, %s/-5D-start and %s/=2025-01-01-start",
			wire.Loggable(symbol), kind, kind, kind, kind)
	}
	start, unit, err := spanOf(m, now)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", wire.Loggable(symbol), err)
	}
	end := m[7]
	if end == "" && (kind == "ms" || unit != 'D') {
		return nil, false, fmt.Errorf("the symbol %s ends in -start or -end", wire.Loggable(symbol))
	}
	if kind == "dnp" {
		if end == "end" {
			start = later(start, unit, 1).AddDate(0, 0, -1)
		}
		return outline.DailyTitle(start), true, nil
	}
	if end == "end" {
		return later(start, unit, 1).UnixMilli() - 1, true, nil
	}
	return start.UnixMilli(), true, nil
}

// spanOf returns the start of the span that a symbol stands for, and its unit: D,
// W, M, Q or Y.
func spanOf(m []string, now time.Time) (start time.Time, unit byte, err error) {
	switch {
	case m[1] != "":
		n := map[string]int{"yesterday": -1, "tomorrow": 1}[m[1]]
		return later(startOf(now, 'D'), 'D', n), 'D', nil
	case m[2] != "":
		n := map[string]int{"last": -1, "next": 1}[m[2]]
		unit = strings.ToUpper(m[3])[0]
		return later(startOf(now, unit), unit, n), unit, nil
	case m[4] != "":
		n, err := strconv.Atoi(m[4])
		unit = m[5][0]
		return later(startOf(now, unit), unit, n), unit, err
	}
	day, err := time.ParseInLocation(time.DateOnly, m[6], now.Location())
	return day, 'D', err
}

func startOf(t time.Time, unit byte) time.Time {
	year, month, day := t.Date()
	switch unit {
	case 'W':
		day -= int(t.Weekday())
	case 'M':
		day = 1
	case 'Q':
		month, day = month-(month-1)%3, 1
	case 'Y':
		month, day = time.January, 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, t.Location())
}

// later returns the start of the span that begins n spans after start.
func later(start time.Time, unit byte, n int) time.Time {
	switch unit {
	case 'W':
		return start.AddDate(0, 0, 7*n)
	case 'M':
		return start.AddDate(0, n, 0)
	case 'Q':
		return start.AddDate(0, 3*n, 0)
	case 'Y':
		return start.AddDate(n, 0, 0)
	}
	return start.AddDate(0, 0, n)
}
