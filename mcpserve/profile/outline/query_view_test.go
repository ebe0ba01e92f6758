package outline

import (
	"context"
	"errors"
	"sync"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// A call that has no time to wait leaves the view to the next one, calls at once share
// one, and a graph that has changed gets another.
func TestLogseqViewsAreMadeOnce(t *testing.T) {
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), graphtest.Datoms(graphtest.Options{Blocks: 5_000, Seed: 1}))
	require.NoError(t, err)
	before := conn.DB()
	var v *logseqView
	of := func(ctx context.Context, v *logseqView) (*graphdb.DB, error) {
		v.waiting.Add(1)
		return v.wait(ctx)
	}
	v = v.next(before)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if db, err := of(gone, v); err == nil && db == nil || err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("%v %v", db, err)
	}
	first, err := of(t.Context(), v)
	require.NoError(t, err)

	var page graphdb.EID
	for page = range before.Entities(graphdb.NodeTitle) {
		break
	}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if db, err := of(t.Context(), v); err != nil || db != first {
				t.Errorf("another view, or %v", err)
			}
		})
	}
	calls.Wait()
	calls.Go(func() { // the graph goes on while views of it are made
		for _, title := range []string{"Changed", "Changed again"} {
			_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error { return tx.Set(page, graphdb.NodeTitle, graphdb.StringValue(title)) })
			require.NoError(t, err)
		}
	})
	again, err := of(t.Context(), (*logseqView)(nil).next(before))
	require.NoError(t, err)
	calls.Wait()
	if again.String(page, logseqview.Title) != first.String(page, logseqview.Title) {
		t.Error("a view changed with its graph")
	}
	after, err := of(t.Context(), v.next(conn.DB()))
	require.NoError(t, err)
	if got := after.String(page, logseqview.Name); got != "changed again" {
		t.Errorf("the page is called %q", got)
	}
}
