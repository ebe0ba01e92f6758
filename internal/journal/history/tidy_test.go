package history

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	for name, tc := range map[string]struct {
		keep Retention
		ages []float64
		want string
	}{
		"texts go after 90 days, and lines after a year":       {Retention{}, []float64{400, 91, 89, 1, 0}, "nothing line texts texts texts"},
		"fewer days are kept if the user says so":              {Retention{Days: 7}, []float64{400, 91, 8, 6, 0}, "nothing line line texts texts"},
		"the last 24 hours stay, whatever was said":            {Retention{Days: -1}, []float64{3, 1.1, 0.9, 0}, "line line texts texts"},
		"the order of times counts where a clock was set back": {Retention{}, []float64{10, 100, 9, 99}, "texts line texts line"},
	} {
		t.Run(name, func(t *testing.T) {
			j := written(t, tc.keep, tc.ages...)
			require.NoError(t, j.Tidy(ctx))
			if got := left(t, j, len(tc.ages)); got != tc.want {
				t.Errorf("left are %s, want %s", got, tc.want)
			}
			whole(t, j)
		})
	}
	t.Run("a file that is too large loses the oldest texts, then lines, and never the last day", func(t *testing.T) {
		j := written(t, Retention{}, 40, 30, 20, 0.5)
		tidied := func(most int64) string {
			t.Helper()
			require.NoError(t, j.maintain(ctx, overwriting, func(m *maintenance) error { return m.tidy(ctx, noon(), noon().Add(-90*day), most) }))
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
		j := New(Options{Folder: folder, Now: func() time.Time { return time.Now().Add(500 * day) }})
		defer j.Close(ctx)
		require.NoError(t, j.Tidy(ctx))
		if open, err := j.Abandoned(ctx, nil); err != nil || len(open) != 1 || open[0].Request == nil {
			t.Errorf("%+v, %v", open, err)
		}
	})
	t.Run("free pages go back, and the log is emptied", func(t *testing.T) {
		j := generatedJournal(t, 400)
		before, err := j.Size(ctx)
		require.NoError(t, err)
		j.options.Now = func() time.Time { return noon().Add(60 * day) } // two thirds are older than 90 days
		require.NoError(t, j.Tidy(ctx))
		after, err := j.Size(ctx)
		if err != nil || after.Bytes > before.Bytes*3/4 || after.Calls != 400 || ask(t, j, "PRAGMA freelist_count") != "0" {
			t.Errorf("%+v, %v; before %+v", after, err, before)
		}
		whole(t, j)
	})
	t.Run("the file is written anew once a week, and not while somebody writes", func(t *testing.T) {
		now := noon()
		j := New(Options{Folder: newFolder(t), Now: func() time.Time { return now }})
		defer j.Close(ctx)
		vacuumed := func() bool {
			t.Helper()
			before := ask(t, j, "SELECT value FROM meta WHERE name = 'vacuumed'")
			require.NoError(t, j.Tidy(ctx))
			return ask(t, j, "SELECT value FROM meta WHERE name = 'vacuumed'") != before
		}
		write(t, j, "Work", 1)
		var got []bool
		for _, later := range []time.Duration{0, 2 * time.Minute, 6 * day, 2 * day} {
			now = now.Add(later)
			got = append(got, vacuumed())
		}
		if fmt.Sprint(got) != "[false true false true]" {
			t.Error(got)
		}
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
