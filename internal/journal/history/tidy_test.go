package history

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestTidy(t *testing.T) {
	ctx := context.Background()
	// written returns a journal with a change of each age, in days before noon.
	written := func(t *testing.T, keep Retention, ages ...float64) *Journal {
		t.Helper()
		now := noon()
		j := New(Options{Folder: newFolder(t), Kind: KindStdio, Now: func() time.Time { return now }, Keep: keep})
		t.Cleanup(func() { require.NoError(t, j.Close(ctx)) })
		for n, age := range ages {
			now = noon().Add(-time.Duration(age * float64(day)))
			write(t, j, "Work", n)
		}
		now = noon()
		return j
	}
	// left says of each call what is left: its texts, a line, or nothing.
	left := func(t *testing.T, j *Journal, calls int) string {
		t.Helper()
		var said []string
		for n := range calls {
			record, ok, err := j.Record(ctx, int64(n+1))
			require.NoError(t, err)
			switch {
			case !ok:
				said = append(said, "nothing")
			case record.Call.TextsGone:
				said = append(said, "line")
			default:
				said = append(said, "texts")
			}
			hidden := fmt.Sprintf("%s %d ", secret("Work"), n)
			if places := found(t, j.options.Folder, hidden); (places == nil) != (said[n] != "texts") {
				t.Errorf("change %d is %s, and its text in %v", n, said[n], places)
			}
		}
		return strings.Join(said, " ")
	}
	// twice looks at a journal, and once more a day later.
	twice := func(t *testing.T, j *Journal, now time.Time) {
		t.Helper()
		for _, later := range []time.Duration{0, day + time.Minute} {
			j.options.Now = func() time.Time { return now.Add(later) }
			require.NoError(t, j.Tidy(ctx))
		}
	}
	for name, tc := range map[string]struct {
		keep Retention
		ages []float64
		want string
	}{
		"texts go after 90 days, and lines after a year":          {Retention{}, []float64{400, 91, 89, 1, 0}, "nothing line texts texts texts"},
		"fewer days are kept if the user says so":                 {Retention{Days: 7}, []float64{400, 91, 8, 6, 0}, "nothing line line texts texts"},
		"the last 24 hours stay, whatever was said":               {Retention{Days: -1}, []float64{3, 1.1, 0.9, 0}, "line line texts texts"},
		"what a clock that was set back recorded is not older":    {Retention{}, []float64{10, 100, 9, 99}, "texts texts texts texts"},
		"what a clock that was ahead recorded keeps nothing else": {Retention{}, []float64{95, -200, 94, 1}, "line texts line texts"},
	} {
		t.Run(name, func(t *testing.T) {
			j := written(t, tc.keep, tc.ages...)
			twice(t, j, noon())
			if got := left(t, j, len(tc.ages)); got != tc.want {
				t.Errorf("left are %s, want %s", got, tc.want)
			}
			whole(t, j)
		})
	}
	t.Run("one look removes nothing, nor a second one on the same day", func(t *testing.T) {
		j := written(t, Retention{}, 400, 91)
		for _, later := range []time.Duration{0, time.Hour, 23 * time.Hour} {
			j.options.Now = func() time.Time { return noon().Add(later) }
			require.NoError(t, j.Tidy(ctx))
			if got := left(t, j, 2); got != "texts texts" {
				t.Fatalf("after %v left are %s", later, got)
			}
		}
	})
	// A journal that is looked at each day has a clock that is wrong for an hour on one of them.
	for name, jump := range map[string]time.Duration{"ahead": 200 * day, "far ahead": 9000 * day, "back": -200 * day, "far back": -9000 * day} {
		t.Run("a clock that jumps "+name+" and returns removes nothing", func(t *testing.T) {
			j := written(t, Retention{}, 80, 40, 10, 2)
			now := noon()
			j.options.Now = func() time.Time { return now }
			look := func() {
				t.Helper()
				require.NoError(t, j.Tidy(ctx))
				if got := left(t, j, 4); got != "texts texts texts texts" {
					t.Fatalf("%v after noon left are %s", now.Sub(noon()), got)
				}
			}
			look()
			now = noon().Add(25 * time.Hour)
			look()
			now = now.Add(jump)
			write(t, j, "Work", 4)
			look()
			now = now.Add(time.Hour)
			look()
			for n := range 4 {
				now = noon().Add(time.Duration(n+2) * 25 * time.Hour)
				write(t, j, "Work", 5+n)
				look()
			}
			if got := notices(t, j); got != "" {
				t.Error("it is told", got)
			}
			now = noon().Add(60 * day) // the first is old, the last is not
			twice(t, j, now)
			if got := left(t, j, 4); got != "line line texts texts" {
				t.Errorf("in the end left are %s", got)
			}
		})
	}
	t.Run("more than a tenth at once is told", func(t *testing.T) {
		for n, want := range map[int]string{0: "", 1: "", 2: "HISTORY_FORGOTTEN: Texts of 4 of 34"} {
			ages := slices.Repeat([]float64{1}, 15)
			for range n {
				ages = append([]float64{100}, ages...)
			}
			j := written(t, Retention{}, ages...)
			twice(t, j, noon())
			if got := notices(t, j); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
				t.Errorf("%d are old: it is told %q, want %q", n, got, want)
			}
		}
	})
	t.Run("a file that is too large loses the oldest texts, then lines, and never the last day", func(t *testing.T) {
		j := written(t, Retention{}, 40, 30, 20, 0.5)
		tidied := func(most int64) string {
			t.Helper()
			require.NoError(t, j.maintain(ctx, func(m *maintenance) error { return m.tidy(ctx, noon(), 90, most) }))
			return left(t, j, 4)
		}
		if got := tidied(1 << 20); got != "texts texts texts texts" {
			t.Errorf("large enough, left are %s", got)
		}
		if got := tidied(0); got != "nothing nothing nothing texts" {
			t.Errorf("with no room left are %s", got)
		}
		whole(t, j)
	})
	t.Run("open calls stay, also of a server that died", func(t *testing.T) {
		folder := newFolder(t)
		dead := start(t, "intend", folder)
		dead.line(t)
		dead.kill()
		j := New(Options{Folder: folder})
		defer j.Close(ctx)
		twice(t, j, time.Now().Add(500*day))
		if open, err := j.Abandoned(ctx, nil); err != nil || len(open) != 1 || open[0].Request == nil {
			t.Errorf("%+v, %v", open, err)
		}
	})
	t.Run("the file gets smaller, and the log is emptied", func(t *testing.T) {
		j := generatedJournal(t, 400)
		before, err := j.Size(ctx)
		require.NoError(t, err)
		twice(t, j, noon().Add(60*day)) // two thirds are older than 90 days
		after, err := j.Size(ctx)
		if err != nil || after.Bytes > before.Bytes*3/4 || after.Calls != 400 || ask(t, j, "PRAGMA freelist_count") != "0" {
			t.Errorf("%+v, %v; before %+v", after, err, before)
		}
		whole(t, j)
	})
}

func TestExport(t *testing.T) {
	ctx := context.Background()
	j := New(Options{Folder: newFolder(t), Kind: KindStdio, Now: noon})
	t.Cleanup(func() { require.NoError(t, j.Close(ctx)) })
	first := intend(t, j, someIntent("u"))
	require.NoError(t, j.Finish(ctx, first, Outcome{State: StateDone, Summary: "1 block on \"<A&B>\""}))
	require.NoError(t, j.After(ctx, first, Aftermath{Facts: []byte(`{"things":{}}`), By: BySoon, Lacks: []string{"reactions"}, Pages: map[string]string{"page": "A"}}))
	bare := someIntent("v")
	bare.Args, bare.Request, bare.Before, bare.Touches = nil, nil, []byte("no JSON"), nil
	second := intend(t, j, bare)
	require.NoError(t, j.Finish(ctx, second, Outcome{State: StateRefused, Code: "NO"}))

	t.Run("a line has all that is kept of a call, under names that stay", func(t *testing.T) {
		var out bytes.Buffer
		require.NoError(t, j.Export(ctx, &out, Filter{}))
		want := `{"call":1,"graph":"my-notes","graphType":"hosted","server":1,"session":1,"agent":"planner","client":"Some Client","tool":"update_block","at":"2026-09-21T14:13:20.000Z","tookMs":0,"state":"done","summary":"1 block on \"<A&B>\"","args":{"uid":"u"},"pages":{"page":"A"},"changes":[{"change":"1.1","action":"data.block.update","class":"text","state":"done","sent":"2026-09-21T14:13:20.000Z","done":"2026-09-21T14:13:20.000Z","request":[{"block":{"uid":"u"}}],"before":{"things":{"u":{"text":"before"}}},"beforeBy":"look","after":{"things":{}},"afterBy":"soon","lacks":["reactions"],"touches":[{"uid":"u","role":"target","page":"page"}]}]}
{"call":2,"graph":"my-notes","graphType":"hosted","server":1,"session":1,"agent":"planner","client":"Some Client","tool":"update_block","at":"2026-09-21T14:13:20.000Z","tookMs":0,"state":"failed","code":"NO","changes":[{"change":"2.1","action":"data.block.update","class":"text","state":"refused","sent":"2026-09-21T14:13:20.000Z","done":"2026-09-21T14:13:20.000Z","code":"NO","before":"no JSON","beforeBy":"look","touches":[]}]}
`
		if out.String() != want {
			t.Errorf("got\n%s\nwant\n%s", out.String(), want)
		}
	})
	t.Run("a filter and its limit choose lines, oldest first", func(t *testing.T) {
		var out bytes.Buffer
		require.NoError(t, j.Export(ctx, &out, Filter{Limit: 1}))
		var line exportedCall
		if err := json.Unmarshal(out.Bytes(), &line); err != nil || line.Call != 1 {
			t.Errorf("%s, %v", out.String(), err)
		}
		out.Reset()
		require.NoError(t, j.Export(ctx, &out, Filter{Agent: "nobody"}))
		if out.Len() > 0 {
			t.Error(out.String())
		}
	})
}
