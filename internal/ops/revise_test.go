package ops

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// meddling is somebody who edits right before a write is sent.
type meddling struct {
	journal
	before func(action string, n int) // of the nth write, from 1
	writes int
}

func (m *meddling) Begin(ctx context.Context, w Recorded) (Record, error) {
	m.writes++
	if m.before != nil {
		m.before(w.Action, m.writes)
	}
	return m.journal.Begin(ctx, w)
}

// slowly returns operations whose clock moves between any two looks at it.
func (b *box) slowly(step time.Duration, recorder Recorder) *Graph {
	now := time.Now()
	return New(Options{
		LookTimeout: time.Minute, Wait: func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil },
		Now: func() time.Time { now = now.Add(step); return now },
	}).On(boxGraph, b).RecordedBy(recorder).AllowPartial()
}

// manySteps is an outline that another one becomes with a request of each kind: texts, an
// order, a block that is new, one below another, and one that goes.
const manySteps = "- first of these\n- up\n- goes\n  - with it\n- parent\n- child to be\n- last"

func stepsOf(fresh note.Node) []outline.Block {
	at, want := byText(fresh), []outline.Block{}
	add := func(text, now string, below ...outline.Block) {
		want = append(want, outline.Block{UID: at[text], String: now, Children: below})
	}
	add("up", "up")
	add("first of these", "first of those")
	want = append(want, outline.Block{String: "new"})
	add("parent", "parent", outline.Block{UID: at["child to be"], String: "child to be"})
	add("last", "last")
	return want
}

func TestRevise(t *testing.T) {
	b := newBox(t)
	t.Run("makes a page what was wanted", func(t *testing.T) {
		uid := b.page("Steps", manySteps)
		g := b.slowly(2*time.Second, b.kept)
		fresh := read(t, g, uid)
		told, err := g.Revise(t.Context(), fresh, stepsOf(fresh))
		require.NoError(t, err)
		if got, want := lines(read(t, g, uid)), "up\nfirst of those\nnew\nparent\n  child to be\nlast\n"; got != want || told.Updated != 1 || told.Inserted != 1 || told.Moved != 2 || told.Deleted != 2 {
			t.Errorf("there is\n%s, and it told %+v", got, told)
		}
	})
	for name, tc := range map[string]struct {
		text, below string // of the block that somebody edits, or below which somebody writes
		stops       bool
	}{
		"stops before a block goes that somebody changed":         {text: "goes", stops: true},
		"stops before a block goes below one that goes":           {text: "with it", stops: true},
		"stops before a block goes that somebody wrote below":     {below: "with it", stops: true},
		"stops where the places are others":                       {below: "parent", stops: true},
		"goes on where somebody changed what stays":               {text: "last"},
		"goes on where somebody wrote below what nobody is to go": {below: "last"},
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			uid := b.page(name, manySteps)
			m := &meddling{}
			m.before = func(_ string, n int) {
				page := read(t, b.graph(), uid)
				if at := byText(page); n == 1 && tc.text != "" {
					b.do("data.block.update", map[string]any{"block": map[string]any{"uid": at[tc.text], "string": "a person's"}})
				} else if n == 1 {
					b.do("data.block.create", map[string]any{"location": map[string]any{"parent-uid": at[tc.below], "order": 0}, "block": map[string]any{"string": "a person's"}})
				}
			}
			g := b.slowly(2*time.Second, m)
			fresh := read(t, g, uid)
			_, err := g.Revise(t.Context(), fresh, stepsOf(fresh))
			if stopped := problem.CodeOf(err) == CodeChangedMeanwhile; stopped != tc.stops {
				t.Fatalf("got %v", err)
			}
			if got := lines(read(t, b.graph(), uid)); !strings.Contains(got, "a person's") {
				t.Errorf("there is\n%s", got)
			}
			if failed, _ := problem.As(g.PartialFailure(err)); tc.stops && (failed.Detail(DetailDone) == nil || failed.Code != CodeChangedMeanwhile) {
				t.Errorf("it does not say what was done: %v", failed)
			}
		})
	}
	t.Run("looks once at what was read a moment ago", func(t *testing.T) {
		b.t = t
		uid := b.page("Quick", manySteps)
		g := b.slowly(0, b.kept)
		var fresh note.Node
		calls := b.counted(func() {
			fresh = read(t, g, uid)
			_, err := g.Revise(t.Context(), fresh, stepsOf(fresh))
			require.NoError(t, err)
		})
		reads := slices.DeleteFunc(slices.Clone(calls), func(action string) bool { return action != "q" })
		if len(reads) > 4 { // the note, what was created, and two moves; what goes is read with what refers to it
			t.Errorf("it calls %v", calls)
		}
	})
}
