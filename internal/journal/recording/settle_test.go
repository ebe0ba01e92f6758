package recording_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// killed is the journal of a server that ends before it knows how a write ended.
type killed struct{ *history.Journal }

func (killed) Finish(context.Context, history.Change, history.Outcome) error  { return nil }
func (killed) After(context.Context, history.Change, history.Aftermath) error { return nil }

// unsettling is a journal whose server does not settle what others left.
type unsettling struct{ *history.Journal }

func (unsettling) Abandoned(context.Context, *history.Graph) ([]history.Open, error) { return nil, nil }

// telling is a journal that tells how changes end, and what they left.
type telling struct {
	*history.Journal
	ended []history.Outcome
	left  []history.Aftermath
}

func (j *telling) Finish(ctx context.Context, c history.Change, out history.Outcome) error {
	j.ended = append(j.ended, out)
	return j.Journal.Finish(ctx, c, out)
}

func (j *telling) After(ctx context.Context, c history.Change, seen history.Aftermath) error {
	j.left = append(j.left, seen)
	return j.Journal.After(ctx, c, seen)
}

// served runs a write on a server of its own that has a journal, which it closes.
func (w *world) served(t *testing.T, journal recording.Journal, sends bool, write func(context.Context, *ops.Graph) error) {
	t.Helper()
	before := w.recorder
	w.recorder = recording.New(recording.Options{Journal: journal, Now: w.Clock.Now})
	g, _ := w.call(recording.All)
	w.fails(func(action string) error {
		if slices.Contains(writing, action) && !sends {
			return errors.New("the server was killed before it sent it")
		}
		return nil
	})
	if err := write(t.Context(), g); (err == nil) != sends {
		t.Fatal(err)
	}
	w.fails(nil)
	require.NoError(t, w.recorder.Close(t.Context()))
	w.recorder = before
}

func (w *world) fails(fail func(action string) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = fail
}

var writing = []string{"data.block.fromMarkdown", "data.block.delete", "data.block.update", "data.ai.callExtensionTool"}

// TestSettle settles what a server has begun that has ended since.
func TestSettle(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Export: export})
	add := func(ctx context.Context, g *ops.Graph) error {
		_, err := g.CreateBlocks(ctx, ops.NewBlocks{Location: ops.Location{ParentUID: "plan"}, Markdown: "- brand new"}, "")
		return err
	}
	remove := func(ctx context.Context, g *ops.Graph) error { _, err := g.Remove(ctx, ops.Block, "list"); return err }
	change := func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UpdateBlock(ctx, ops.BlockUpdate{UID: "one", String: ptr("changed")})
		return err
	}
	extension := func(ctx context.Context, g *ops.Graph) error {
		_, err := g.CallExtension(ctx, ops.ExtensionCall{Tool: "count"})
		return err
	}
	for name, tc := range map[string]struct {
		write func(context.Context, *ops.Graph) error
		sent  bool
		again bool // another server sends the same, and knows that it is done
		want  history.State
		made  int // number of blocks
		says  string
	}{
		"a creation that was done names what it made":            {add, true, false, history.StateDone, 1, `1 block on "Plan"`},
		"a creation that was not sent is not done":               {add, false, false, history.StateNotDone, 0, ""},
		"a creation that another server made again is not known": {add, false, true, history.StateUnknown, 0, ""},
		"a deletion that was done":                               {remove, true, false, history.StateDone, 0, `"Old list" and 2 below, 1 ref`},
		"a deletion that was not sent":                           {remove, false, false, history.StateNotDone, 0, ""},
		"a text that was changed":                                {change, true, false, history.StateDone, 0, `1 block on "Plan"`},
		"a text that was not changed":                            {change, false, false, history.StateNotDone, 0, ""},
		"a call of an extension":                                 {extension, false, false, history.StateUnknown, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, suite)
			folder := journaltest.Folder(t, filepath.Join(t.TempDir(), "history"))
			journal := func() *history.Journal {
				return history.New(history.Options{Folder: folder, Kind: history.KindStdio, Now: w.Clock.Now})
			}
			w.served(t, killed{journal()}, tc.sent, tc.write)
			if tc.again {
				w.served(t, unsettling{journal()}, true, tc.write)
			}
			w.Clock.Advance(time.Minute)
			kept := &telling{Journal: journal()}
			later := recording.New(recording.Options{Journal: kept, Now: w.Clock.Now})
			require.NoError(t, later.Settle(t.Context(), w.Graph(profiletest.MainGraph), w))
			require.NoError(t, later.Close(t.Context()))
			if len(kept.ended) != 1 || kept.ended[0].State != tc.want || kept.ended[0].Evidence == "" {
				t.Fatalf("it ended with %+v, want %s", kept.ended, tc.want)
			}
			if touches := kept.ended[0].Touches; len(touches) != tc.made {
				t.Errorf("it made %v", touches)
			}
			if read := tc.want == history.StateDone; read != (len(kept.left) == 1) || read && kept.left[0].By != history.ByLate {
				t.Errorf("it left %+v", kept.left)
			}
			read := journal()
			page, err := read.Calls(t.Context(), history.Filter{})
			require.NoError(t, err)
			require.NoError(t, read.Close(t.Context()))
			first := page.Calls[len(page.Calls)-1]
			if first.Summary != tc.says {
				t.Errorf("its summary is %q", first.Summary)
			}
		})
	}
}

// unread is a journal of a server that was killed before it read what a write left.
type unread struct{ *history.Journal }

func (unread) After(context.Context, history.Change, history.Aftermath) error { return nil }

// TestWhatIsReadLateIsNotTheAgents edits a block between a write and the read of what it left.
func TestWhatIsReadLateIsNotTheAgents(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Export: export})
	w := newWorld(t, suite)
	folder := journaltest.Folder(t, filepath.Join(t.TempDir(), "history"))
	journal := func() *history.Journal {
		return history.New(history.Options{Folder: folder, Kind: history.KindStdio, Now: w.Clock.Now})
	}
	w.served(t, unread{journal()}, true, func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UpdateBlock(ctx, ops.BlockUpdate{UID: "one", String: ptr("the agent's")})
		return err
	})
	w.Clock.Advance(time.Second)
	_, err := w.Send(t.Context(), "data.block.update", map[string]any{"block": map[string]any{"uid": "one", "string": "a person's"}})
	require.NoError(t, err)
	kept := &telling{Journal: journal()}
	later := recording.New(recording.Options{Journal: kept, Now: w.Clock.Now})
	require.NoError(t, later.Settle(t.Context(), w.Graph(profiletest.MainGraph), w))
	require.NoError(t, later.Close(t.Context()))
	if len(kept.left) != 1 {
		t.Fatalf("it left %+v", kept.left)
	}
	left := kept.left[0]
	state, err := fact.Parse(left.Facts)
	require.NoError(t, err)
	if got := state.Things["one"].Text; got != "the agent's" || left.By != history.ByLate || !slices.Equal(left.Lacks, []string{recording.MetAnotherEdit}) {
		t.Errorf("it left %q, read %s, and lacks %q", got, left.By, left.Lacks)
	}
}
