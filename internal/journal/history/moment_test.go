package history

import (
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestParseMoment(t *testing.T) {
	zone := time.FixedZone("here", 3600)
	now := time.Date(2026, time.November, 21, 14, 30, 5, 0, zone)
	at := func(day, hour, minute, second int) time.Time {
		return time.Date(2026, time.November, day, hour, minute, second, 0, zone)
	}
	for _, test := range []struct {
		name, text string
		want       Moment
	}{
		{"today is the whole day", "today", Moment{From: at(21, 0, 0, 0), To: at(22, 0, 0, 0)}},
		{"yesterday is the whole day", " yesterday ", Moment{From: at(20, 0, 0, 0), To: at(21, 0, 0, 0)}},
		{"a date is the whole day", "2026-11-02", Moment{From: at(2, 0, 0, 0), To: at(3, 0, 0, 0)}},
		{"a clock time is its minute", "14:05", Moment{From: at(21, 14, 5, 0), To: at(21, 14, 6, 0)}},
		{"a clock time with seconds is its second", "9:05:07", Moment{From: at(21, 9, 5, 7), To: at(21, 9, 5, 8)}},
		{"a clock time that is still to come was yesterday's", "23:00", Moment{From: at(20, 23, 0, 0), To: at(20, 23, 1, 0)}},
		{"so many minutes ago", "90m", instant(now.Add(-90 * time.Minute))},
		{"so many hours and minutes ago", "1h30m", instant(now.Add(-90 * time.Minute))},
		{"so many days ago", "30d", instant(now.AddDate(0, 0, -30))},
		{"so many weeks ago", "2w", instant(now.AddDate(0, 0, -14))},
		{"a time of RFC 3339", "2026-11-21T12:00:00Z", instant(time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC))},
		{"the number of a change", "412", Moment{Number: 412}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseMoment(test.text, now)
			require.NoError(t, err)
			if !got.From.Equal(test.want.From) || !got.To.Equal(test.want.To) || got.Number != test.want.Number {
				t.Errorf("%q is %v to %v, number %d; want %v to %v, %d", test.text, got.From, got.To, got.Number, test.want.From, test.want.To, test.want.Number)
			}
		})
	}
	for _, text := range []string{"", "0", "-5", "now", "25:00", "2026-13-01", "-2h", "99999d", "d", "1e3h", "9999999999999999999", "412.1"} {
		if got, err := ParseMoment(text, now); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}
