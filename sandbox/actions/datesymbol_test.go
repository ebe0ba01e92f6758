package actions

import (
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestDateSymbol(t *testing.T) {
	zone := time.FixedZone("somewhere", 2*3600)
	now := time.Date(2026, 11, 21, 1, 30, 0, 0, zone) // a Saturday
	moment := func(text string) int64 {
		at, err := time.ParseInLocation("2006-01-02 15:04:05.000", text, zone)
		require.NoError(t, err)
		return at.UnixMilli()
	}
	for symbol, want := range map[string]any{
		"ms/today-start":        moment("2026-11-21 00:00:00.000"),
		"ms/today-end":          moment("2026-11-21 23:59:59.999"),
		"ms/yesterday-start":    moment("2026-11-20 00:00:00.000"),
		"ms/this-week-start":    moment("2026-11-15 00:00:00.000"),
		"ms/this-week-end":      moment("2026-11-21 23:59:59.999"),
		"ms/last-week-start":    moment("2026-11-08 00:00:00.000"),
		"ms/+1W-end":            moment("2026-11-28 23:59:59.999"),
		"ms/next-month-end":     moment("2026-12-31 23:59:59.999"),
		"ms/-9M-end":            moment("2026-02-28 23:59:59.999"),
		"ms/this-quarter-start": moment("2026-10-01 00:00:00.000"),
		"ms/-1Q-end":            moment("2026-09-30 23:59:59.999"),
		"ms/this-year-end":      moment("2026-12-31 23:59:59.999"),
		"ms/-5D-start":          moment("2026-11-16 00:00:00.000"),
		"ms/+0Y-start":          moment("2026-01-01 00:00:00.000"),
		"ms/=2025-01-01-start":  moment("2025-01-01 00:00:00.000"),
		"ms/=2025-12-31-end":    moment("2025-12-31 23:59:59.999"),
		"dnp/today":             "November 21st, 2026",
		"dnp/tomorrow":          "November 22nd, 2026",
		"dnp/-1D":               "November 20th, 2026",
		"dnp/this-week-start":   "November 15th, 2026",
		"dnp/this-week-end":     "November 21st, 2026",
		"dnp/this-month-start":  "November 1st, 2026",
		"dnp/this-year-end":     "December 31st, 2026",
		"dnp/=2025-01-01":       "January 1st, 2025",
		"dnp/last-month-end":    "October 31st, 2026",
	} {
		got, ok, err := dateSymbol(symbol, now)
		if err != nil || !ok || got != want {
			t.Errorf("%s: %v, %v, %v; want %v", symbol, got, ok, err, want)
		}
	}
	for _, symbol := range []string{"?ms/today-start", "clojure.string/includes?", "current/page-title", "ms", "$"} {
		if _, ok, err := dateSymbol(symbol, now); ok || err != nil {
			t.Errorf("%s: %v, %v", symbol, ok, err)
		}
	}
	for _, symbol := range []string{"ms/today", "ms/never-start", "ms/=2025-02-30-start", "dnp/this-week", "dnp/", "ms/+99999D-start", "dnp/-1D-middle"} {
		if _, _, err := dateSymbol(symbol, now); err == nil || !strings.Contains(err.Error(), "start") && !strings.Contains(err.Error(), "range") {
			t.Errorf("%s: %v", symbol, err)
		}
	}
}
