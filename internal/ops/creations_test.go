package ops

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/require"
)

// writesOf returns calls without the reads: how often a restore looks again
// hangs on how long it takes.
func writesOf(calls []string) []string {
	return slices.DeleteFunc(slices.Clone(calls), func(action string) bool { return action == "q" })
}

// partly is a Roam that ends batches in the middle.
type partly struct {
	*box
	does func(steps []request) (int, error) // how many it does of a batch, and what it answers then
}

func (p *partly) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	if action != batchAction {
		return p.box.Send(ctx, action, args...)
	}
	steps := args[0].(request)["actions"].([]request)
	n, err := p.does(steps)
	reply, sent := localapi.Reply{}, error(nil)
	if n > 0 {
		reply, sent = p.box.Send(ctx, action, request{"actions": steps[:n]})
	}
	if err == nil {
		err = sent
	}
	return reply, err
}

// gone makes a page of n blocks in nests, and takes them away: it returns the page as it
// was and as it is.
func gone(t *testing.T, b *box, title string, n int) (was, empty note.Node) {
	t.Helper()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%s- line %d\n", strings.Repeat("  ", i%3), i)
	}
	uid := b.page(title, text.String())
	was = read(t, b.graph(), uid)
	_, err := b.graph().Rewrite(t.Context(), was, nil, nil)
	require.NoError(t, err)
	return was, read(t, b.graph(), uid)
}

func TestRestore_ofManyBlocks(t *testing.T) {
	t.Run("sends 25 in a request", func(t *testing.T) {
		b := newBox(t)
		was, empty := gone(t, b, "Many", 60)
		var told []string
		var err error
		calls := b.counted(func() {
			_, err = b.graph().Restore(t.Context(), empty, was.Outline(), func(back, all int) { told = append(told, SayBack(back, all)) })
		})
		require.NoError(t, err)
		if want := "[batchActions batchActions batchActions]"; fmt.Sprint(writesOf(calls)) != want {
			t.Errorf("it calls %v, want the writes %s", calls, want)
		}
		if want := []string{"25 of 60 blocks are back", "50 of 60 blocks are back", "60 of 60 blocks are back"}; !slices.Equal(told, want) {
			t.Errorf("it told %q", told)
		}
		if after := read(t, b.graph(), was.UID); !reflect.DeepEqual(after.Outline(), was.Outline()) {
			t.Errorf("there is\n%s", lines(after))
		}
	})
	t.Run("sends long texts apart", func(t *testing.T) {
		b := newBox(t)
		var blocks []outline.Block
		for i := range 5 {
			blocks = append(blocks, outline.Block{UID: fmt.Sprintf("long0000%d", i), String: strings.Repeat("x", mostWaiting/2)})
		}
		calls := b.counted(func() {
			_, err := b.graph().Restore(t.Context(), read(t, b.graph(), b.page("Long", "")), blocks, nil)
			require.NoError(t, err)
		})
		if want := "[batchActions batchActions data.block.create]"; fmt.Sprint(writesOf(calls)) != want {
			t.Errorf("it calls %v, want the writes %s", calls, want)
		}
	})
}

func TestBlockCreations(t *testing.T) {
	internal := &problem.Error{Code: localapi.CodeInternal, Message: "It failed.", Call: &problem.Call{Status: 500, Sent: true}}
	limited := &problem.Error{Code: localapi.CodeRateLimited, Message: "Too many.", Call: &problem.Call{Status: 500, Sent: true}}
	refused := &problem.Error{Code: localapi.CodeNotFound, Message: "No parent.", Call: &problem.Call{Status: 500, Sent: true}}
	unknown := &problem.Error{Code: localapi.CodeUnknownAction, Message: "Unknown.", Call: &problem.Call{Status: 404, Sent: true}}
	lost := &problem.Error{Code: localapi.CodeConnectionFailed, Message: "Lost.", Call: &problem.Call{Sent: true}}
	for name, tc := range map[string]struct {
		does func(n, steps int) (int, error) // at the nth batch
		// of all batches, and of the blocks that were sent one by one
		batches, singles int
		code             problem.Code // of the error
		back             int
		recorded         string // how the batches ended
	}{
		"a part is done, and the rest follows":        {func(n, steps int) (int, error) { return part(n == 2, 7, steps, internal) }, 3, 18, "", 60, "done, done 7, done"},
		"a part is done before the limit is met":      {func(n, steps int) (int, error) { return part(n == 2, 7, steps, limited) }, 3, 18, "", 60, "done, done 7, done"},
		"a part is done, and the reply is lost":       {func(n, steps int) (int, error) { return part(n == 1, 24, steps, lost) }, 3, 1, "", 60, "done 24, done, done"},
		"all is done, and the reply is lost":          {func(n, steps int) (int, error) { return part(n == 2, 25, steps, lost) }, 3, 0, "", 60, "done, done 25, done"},
		"nothing is done of a batch that was refused": {func(n, steps int) (int, error) { return part(n == 2, 0, steps, refused) }, 3, 25, "", 60, "done, not done, done"},
		"nothing is done, as the limit is met":        {func(n, steps int) (int, error) { return part(n == 2, 0, steps, limited) }, 2, 0, localapi.CodeRateLimited, 25, "done, not done"},
		"nothing is done of any":                      {func(n, steps int) (int, error) { return part(true, 0, steps, internal) }, 3, 60, "", 60, "not done, not done, not done"},
		"nothing is done where Roam has no batches":   {func(n, steps int) (int, error) { return part(true, 0, steps, unknown) }, 3, 60, "", 60, "not done, not done, not done"},
		"nothing is done, and Roam says that it is":   {func(n, steps int) (int, error) { return 0, nil }, 1, 0, CodeOutcomeUnknown, 0, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			was, empty := gone(t, b, "Note", 60)
			n := 0
			roam := &partly{box: b, does: func(steps []request) (int, error) { n++; return tc.does(n, len(steps)) }}
			kept := &journal{}
			g := New(Options{Wait: func(context.Context, time.Duration) bool { return true }}).On(boxGraph, roam).AllowPartial().RecordedBy(kept)
			_, err := g.Restore(t.Context(), empty, was.Outline(), nil)
			err = g.PartialFailure(err)
			if problem.CodeOf(err) != tc.code {
				t.Fatalf("the error is %v", err)
			}
			if err != nil && tc.back > 0 && !strings.HasPrefix(Explained(err).Message, SayBack(tc.back, 60)+". What followed failed: ") {
				t.Errorf("it says %v", err)
			}
			batches, singles := ends(kept)
			if got := strings.Join(batches, ", "); n != tc.batches || got != tc.recorded || singles != tc.singles {
				t.Errorf("%d batches, recorded as %q, and %d blocks alone", n, got, singles)
			}
			after := read(t, b.graph(), was.UID)
			if there := number(after.Outline()); there != tc.back {
				t.Errorf("%d blocks are there", there)
			}
			roam.does = func(steps []request) (int, error) { return len(steps), nil }
			_, err = g.Restore(t.Context(), after, was.Outline(), nil)
			require.NoError(t, err)
			if after := read(t, b.graph(), was.UID); !reflect.DeepEqual(after.Outline(), was.Outline()) {
				t.Errorf("in the end there is\n%s", lines(after))
			}
		})
	}
}

// part returns that all steps of a batch are done, unless it is the one that is to fail.
func part(fails bool, does, steps int, err error) (int, error) {
	if fails {
		return does, err
	}
	return steps, nil
}

// ends returns how batches ended as a journal was told it, and how many blocks were sent
// alone.
func ends(kept *journal) (batches []string, singles int) {
	for i, each := range kept.begun {
		w, ok := each.Write.(BlockCreations)
		if !ok {
			singles++
			continue
		}
		said := map[Applied]string{Yes: "done", No: "not done", Unknown: "unknown"}[kept.ended[i].Applied]
		if kept.ended[i].Applied == Yes && kept.ended[i].Evidence != "" {
			said += fmt.Sprint(" ", len(w.Made(kept.ended[i].Reply)))
		}
		batches = append(batches, said)
	}
	return batches, singles
}

// A restore that is canceled says how far it is, and the same call goes on.
func TestRestore_canceled(t *testing.T) {
	b := newBox(t)
	was, empty := gone(t, b, "Note", 200)
	ctx, cancel := context.WithCancel(t.Context())
	g := b.graph().AllowPartial()
	_, err := g.Restore(ctx, empty, was.Outline(), func(back, _ int) {
		if back == 75 {
			cancel()
		}
	})
	err = g.PartialFailure(err)
	if failed, ok := problem.As(err); !ok || !strings.Contains(failed.Message, "75 of 200 blocks are back. What followed failed: ") || failed.Retry != problem.RetryLater || failed.Hint.IsZero() {
		t.Errorf("the error is %v", err)
	}
	after := read(t, b.graph(), was.UID)
	told, err := b.graph().Restore(t.Context(), after, was.Outline(), nil)
	require.NoError(t, err)
	if after := read(t, b.graph(), was.UID); !reflect.DeepEqual(after.Outline(), was.Outline()) || told.Inserted < 100 || told.Inserted > 125 {
		t.Errorf("it did %+v; there is\n%s", told, lines(after))
	}
}

// Each request of a Restore is broken in each way once: the same call does the rest, and
// no block is there twice.
func TestRestore_brokenAtEachWrite(t *testing.T) {
	b := newBox(t)
	for at := 1; at <= 3; at++ {
		for _, kind := range []faultproxy.Kind{faultproxy.ResetBefore, faultproxy.Fail, faultproxy.ResetAfter, faultproxy.Half, faultproxy.FailAfter, faultproxy.ResetMeanwhile} {
			t.Run(fmt.Sprintf("%d, %v", at, kind), func(t *testing.T) {
				b.t = t
				was, empty := gone(t, b, t.Name(), 60)
				b.seen = map[string]int{}
				b.fault = func(asked string, n int) faultproxy.Fault {
					if asked == batchAction && n == at {
						return faultproxy.Fault{Kind: kind, Status: 500, Text: "Unexpected failure"}
					}
					return faultproxy.Fault{}
				}
				_, _ = b.graph().AllowPartial().Restore(t.Context(), empty, was.Outline(), nil)
				b.fault = nil
				_, err := b.graph().Restore(t.Context(), read(t, b.graph(), was.UID), was.Outline(), nil)
				require.NoError(t, err)
				if after := read(t, b.graph(), was.UID); !reflect.DeepEqual(after.Outline(), was.Outline()) {
					t.Errorf("in the end there is\n%s", lines(after))
				}
			})
		}
	}
}

// What a request makes that was on its way when its call was canceled, and that comes behind
// the read of the next one, is not made again.
func TestRestore_meetsWhatCameAfterItsRead(t *testing.T) {
	b := newBox(t)
	was, empty := gone(t, b, "Note", 60)
	_, err := b.graph().Restore(t.Context(), empty, was.Outline(), nil)
	require.NoError(t, err)
	told, err := b.graph().Restore(t.Context(), empty, was.Outline(), nil)
	require.NoError(t, err)
	if after := read(t, b.graph(), was.UID); !reflect.DeepEqual(after.Outline(), was.Outline()) || told.Elsewhere != 0 {
		t.Errorf("it did %+v; there is\n%s", told, lines(after))
	}
}
