package undotest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// limited is a way to a graph to which a few writes may be made before one waits.
type limited struct {
	worldCaller
	left, each int
}

// Send implements ops.Caller.
func (l *limited) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	if strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.") {
		if l.left == 0 {
			return localapi.Reply{}, &problem.Error{
				Code: localapi.CodeRateLimited, Message: "rate limit exceeded: more than 3 writes in a minute, try again in 7 seconds",
				Call: &problem.Call{Action: action, Sent: true, Status: 500},
			}
		}
		l.left--
	}
	return l.worldCaller.Send(ctx, action, args...)
}

// Look implements ops.Caller.
func (l *limited) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return l.Send(ctx, action, args...)
}

// TestAnUndoWaitsWhereRoamTakesNoMoreWrites undoes more writes than Roam takes at once.
func TestAnUndoWaitsWhereRoamTakesNoMoreWrites(t *testing.T) {
	for name, tc := range map[string]struct {
		each      int // writes that Roam takes after a wait
		waits     []time.Duration
		undone    int
		wantsCode problem.Code
	}{
		"and ends": {3, slices.Repeat([]time.Duration{7 * time.Second}, 2), 8, ""},
		"and counts none that Roam refuses for good": {0, slices.Repeat([]time.Duration{7 * time.Second}, 25), 3, localapi.CodeRateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newDryRunWorld(t, "roam")
			before := w.undoable()
			for i := range 8 {
				w.advance()
				if result := w.call("update_block", fields{"uid": "look00001", "string": fmt.Sprint("text ", i)}); result.IsError {
					t.Fatal(result.Content[0])
				}
			}
			caller := &limited{worldCaller{world: w}, 3, tc.each}
			recorder := recording.New(recording.Options{Journal: w.journal(), Now: w.Now})
			defer func() { require.NoError(t, recorder.Close(w.ctx)) }()
			ask := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
				reply, err := caller.Send(ctx, action, args...)
				return reply.Result, err
			}
			var waits []time.Duration
			var last undo.Progress
			u := undo.Undo{
				Graph: ops.New(ops.Options{Now: w.Now}).On(rebuiltGraph, caller), Ask: ask, Now: w.Now,
				Recording: recorder.Call(recording.Call{Graph: rebuiltGraph, Tool: "undo", Args: json.RawMessage(`{}`), Who: history.Who{Agent: "you"}, Keeps: recording.All, Later: caller}),
				Wait: func(_ context.Context, d time.Duration) bool {
					waits = append(waits, d)
					caller.left = caller.each
					return true
				},
				Tell: func(p undo.Progress) {
					if last = p; p.Wait != 0 && !strings.Contains(p.String(), "7 seconds") {
						t.Errorf("it tells %s", p)
					}
				},
			}
			w.closeServers()
			made := w.recorded()
			result, err := u.Run(w.ctx, w.changesOf(made))
			if code := problem.CodeOf(err); code != tc.wantsCode {
				t.Fatal(err)
			}
			if !slices.Equal(waits, tc.waits) || result.Changes != tc.undone || last.Done != tc.undone || last.All != 8 || len(result.Left) > 0 {
				t.Errorf("it waits %v, tells %v and ends with %+v", waits, last, result)
			}
			if tc.wantsCode == "" {
				holds(t, "undo", result.Left, w.undoable(), before)
			}
		})
	}
}
