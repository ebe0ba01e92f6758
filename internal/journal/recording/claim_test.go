package recording_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/require"
)

// server returns the recorder of a server of its own.
func server(t *testing.T, folder string) *recording.Recorder {
	t.Helper()
	r := recording.New(recording.Options{Journal: history.New(history.Options{Folder: folder, Kind: history.KindStdio})})
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	return r
}

func TestClaims(t *testing.T) {
	ctx, graph := context.Background(), localapi.Graph{Name: "work", Type: localapi.Hosted}
	call := func(r *recording.Recorder, agent string, adds bool) *recording.Recording {
		return r.Call(recording.Call{Graph: graph, Tool: "a_tool", Who: history.Who{Agent: agent}, Keeps: recording.NoTexts, Adds: adds})
	}
	t.Run("a page that a call of another server has is claimed by that", func(t *testing.T) {
		folder := journaltest.Folder(t, filepath.Join(t.TempDir(), "history"))
		first := call(server(t, folder), "planner", false)
		second := call(server(t, folder), "writer", false)
		second.Reads(ctx)
		has, waits := first.Claim(graph, "page"), second.Claim(graph, "page")
		_, err := has.Take(ctx)
		require.NoError(t, err)
		var claimed *ops.ClaimedError
		if _, err := waits.Take(ctx); !errors.As(err, &claimed) || claimed.Agent != "planner" {
			t.Error(err)
		}
		has.Release()
		if changed, err := waits.Take(ctx); changed || err != nil {
			t.Errorf("nothing was written, and changed is %v, %v", changed, err)
		}
		waits.Release()
	})
	t.Run("a journal that can't be written", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "history")
		require.NoError(t, os.WriteFile(folder, nil, 0o600))
		r := server(t, folder)
		edits, adds := call(r, "planner", false), call(r, "planner", true)
		c := edits.Claim(graph, "page")
		if _, err := c.Take(ctx); problem.CodeOf(err) != history.CodeUnavailable || edits.Unrecorded() {
			t.Errorf("an edit: %v, unrecorded %v", err, edits.Unrecorded())
		}
		c.Release()
		c = adds.Claim(graph, "page")
		if changed, err := c.Take(ctx); !changed || err != nil || !adds.Unrecorded() {
			t.Errorf("an addition: changed %v, %v, unrecorded %v", changed, err, adds.Unrecorded())
		}
		c.Release()
	})
}
