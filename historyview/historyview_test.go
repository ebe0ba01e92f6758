package historyview

import (
	"slices"
	"strings"
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
		want       moment
	}{
		{"today is the whole day", "today", moment{from: at(21, 0, 0, 0), to: at(22, 0, 0, 0)}},
		{"yesterday is the whole day", " yesterday ", moment{from: at(20, 0, 0, 0), to: at(21, 0, 0, 0)}},
		{"a date is the whole day", "2026-11-02", moment{from: at(2, 0, 0, 0), to: at(3, 0, 0, 0)}},
		{"a clock time is its minute", "14:05", moment{from: at(21, 14, 5, 0), to: at(21, 14, 6, 0)}},
		{"a clock time with seconds is its second", "9:05:07", moment{from: at(21, 9, 5, 7), to: at(21, 9, 5, 8)}},
		{"a clock time that is still to come was yesterday's", "23:00", moment{from: at(20, 23, 0, 0), to: at(20, 23, 1, 0)}},
		{"so many minutes ago", "90m", instant(now.Add(-90 * time.Minute))},
		{"so many hours and minutes ago", "1h30m", instant(now.Add(-90 * time.Minute))},
		{"so many days ago", "30d", instant(now.AddDate(0, 0, -30))},
		{"so many weeks ago", "2w", instant(now.AddDate(0, 0, -14))},
		{"a time of RFC 3339", "2026-11-21T12:00:00Z", instant(time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC))},
		{"the number of a change", "412", moment{number: 412}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseMoment(test.text, now)
			require.NoError(t, err)
			if !got.from.Equal(test.want.from) || !got.to.Equal(test.want.to) || got.number != test.want.number {
				t.Errorf("%q is %v to %v, number %d; want %v to %v, %d", test.text, got.from, got.to, got.number, test.want.from, test.want.to, test.want.number)
			}
		})
	}
	for _, text := range []string{"", "0", "-5", "now", "25:00", "2026-13-01", "-2h", "99999d", "d", "1e3h", "9999999999999999999", "412.1"} {
		if got, err := parseMoment(text, now); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestParseRange(t *testing.T) {
	for text, want := range map[string]Range{
		"412":      {from: 412, to: 412},
		"412.2":    {from: 412, to: 412, part: 2},
		"s41":      {session: 41},
		"405..412": {from: 405, to: 412},
	} {
		got, err := ParseRange(text)
		require.NoError(t, err)
		if got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "0", "s", "s0", "-1", "412.", "412.0", "412.x", "412..405", "..", "1..", "latest", "99999999999999999999"} {
		if got, err := ParseRange(text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestColumns(t *testing.T) {
	got := columns([][]string{{"9", "日本語", "", "done"}, {"412", "work", "", "not sent: READ_ONLY"}})
	want := []string{"  9  日本語  done", "412  work    not sent: READ_ONLY"}
	if !slices.Equal(got, want) {
		t.Errorf("the lines are\n%s", strings.Join(got, "\n"))
	}
}

func TestPurgeAsks(t *testing.T) {
	for want, options := range map[string]Purge{
		"Forget 12 calls in Work? This can't be taken back.":                 {Graph: "Work"},
		"Forget the texts of 12 calls? This can't be taken back.":            {Texts: true},
		"Forget 12 calls in Work, older than 30d? This can't be taken back.": {Graph: "Work", Before: "30d"},
		"Forget all that is recorded, 12 calls? This can't be taken back.":   {All: true},
		"Forget 12 calls in Wrk ? This can't be taken back.":                 {Graph: "W\u202erk\n\x1b[2J"},
	} {
		if got := options.Question("12 calls"); got != want {
			t.Errorf("%+v asks %q, want %q", options, got, want)
		}
	}
}
