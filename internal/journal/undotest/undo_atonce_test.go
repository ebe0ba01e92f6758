package undotest

import (
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/tui/historyview"
)

// TestAnUndoWaitsUntilItIsKnownWhatAWriteLeft undoes writes while their server still reads what they
// left, from a Roam that takes its time.
func TestAnUndoWaitsUntilItIsKnownWhatAWriteLeft(t *testing.T) {
	w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}, switches: []string{"latency=300ms"}})
	t.Cleanup(w.close)
	t.Cleanup(w.closeServers)
	before := w.undoable()
	if result := w.call("create_block", fields{"parentUid": "beta00001", "markdown": "- one [[New]]\n  - below\n- two"}); result.IsError {
		t.Fatal(result.Content[0])
	}
	view := historyview.New(historyview.Options{Journal: w.journal(), Store: w.store, Roam: w.roamClient()})
	t.Cleanup(view.Close)
	plans, err := view.PlanUndo(w.ctx, historyview.Undo{})
	require.NoError(t, err)
	if len(plans) != 1 {
		t.Fatalf("%d plans", len(plans))
	}
	require.NoError(t, plans[0].Possible())
	result, err := view.RunUndo(w.ctx, plans[0], nil)
	require.NoError(t, err)
	holds(t, "undo", result.Left, w.undoable(), before)
}
