package logseqview_test

import (
	"testing"
	"time"

	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/testutil/require"
)

func TestInputs(t *testing.T) {
	ms := func(month time.Month, day, hour, minute int) int64 {
		return time.Date(2024, month, day, hour, minute, 0, 0, time.UTC).UnixMilli()
	}
	for input, want := range map[string]int64{
		":today": 20240120, ":yesterday": 20240119, ":tomorrow": 20240121, ":7d": 20240113, ":7d-before": 20240113, ":10d-after": 20240130,
		":-7d": 20240113, ":+2w": 20240203, ":-1m": 20231220, ":+1y": 20250120, ":today/-7d": 20240113, ":-400d": 20221216,
		":right-now-ms": now.UnixMilli(), ":start-of-today-ms": ms(1, 20, 0, 0), ":end-of-today-ms": ms(1, 21, 0, 0),
		":1d-before-ms": ms(1, 19, 0, 0), ":1d-after-ms": ms(1, 22, 0, 0), ":-0d-ms": ms(1, 20, 0, 0), ":+0d-ms": ms(1, 21, 0, 0),
		":today-start": ms(1, 20, 0, 0), ":today-end": ms(1, 21, 0, 0), ":-1d-end": ms(1, 20, 0, 0), ":today-1830": ms(1, 20, 18, 30), ":+1w-083000000": ms(1, 27, 8, 30),
	} {
		for _, given := range []string{`{:query [:find ?b :in $ ?x :where [?b :block/journal-day ?x]] :inputs [` + input + `]}`, ""} {
			var beside []any
			if given == "" { // as JSON has it
				given, beside = `[:find ?b :in $ ?x :where [?b :block/journal-day ?x]]`, []any{input}
			}
			q, err := logseqview.Parse(given, beside)
			require.NoError(t, err)
			_, inputs, err := q.Datalog(now)
			require.NoError(t, err)
			if len(inputs) != 1 || inputs[0] != want {
				t.Errorf("%s is %v, want %d", input, inputs, want)
			}
		}
	}
	leap := time.Date(2024, 3, 31, 12, 0, 0, 0, time.UTC)
	q, err := logseqview.Parse(`[:find ?b :in $ ?x ?y ?z :where [?b :block/name ?x] [?b ?y ?z]]`, []any{":-1m", "[[Ada B]]", ":no-day"})
	require.NoError(t, err)
	if _, inputs, err := q.Datalog(leap); err != nil || inputs[0] != int64(20240229) || inputs[1] != "ada b" || inputs[2] != ":no-day" {
		t.Errorf("%v %v", inputs, err)
	}
}
