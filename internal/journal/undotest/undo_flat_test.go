package undotest

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

var flatBlocks = flag.Int("undo.flat", 1_100, "blocks beside each other that one call writes and an undo takes back")

// weighing is a way to the graph that counts the bytes which Roam answers.
type weighing struct {
	worldCaller
	bytes *atomic.Int64
}

// Send implements ops.Caller.
func (c weighing) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	reply, err := c.worldCaller.Send(ctx, action, args...)
	c.bytes.Add(int64(len(reply.Result)))
	return reply, err
}

// Look implements ops.Caller.
func (c weighing) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.Send(ctx, action, args...)
}

// TestUndoOfManyBlocksBesideEachOtherReadsTheirListOnce holds what is read for blocks that one call
// wrote below one parent.
func TestUndoOfManyBlocksBesideEachOtherReadsTheirListOnce(t *testing.T) {
	w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}, concurrent: true}) // its time goes on
	defer w.close()
	before := w.undoable()
	var markdown strings.Builder
	for i := range *flatBlocks {
		fmt.Fprintf(&markdown, "- block %d\n", i)
	}
	began := time.Now()
	if result := w.call("create_block", fields{"parentUid": "beta00001", "markdown": markdown.String()}); result.IsError {
		t.Fatal(result.Content[0])
	}
	wrote := time.Since(began)
	w.closeServers()
	w.planUndo(w.recorded())
	var bytes atomic.Int64
	began = time.Now()
	result, err := w.undoBy(weighing{worldCaller{world: w}, &bytes}, w.recorded(), "undo")
	require.NoError(t, err)
	took := time.Since(began)
	holds(t, "undo", result.Left, w.undoable(), before)
	t.Logf("%d blocks were written in %v and undone in %v, with %d bytes read", *flatBlocks, wrote, took, bytes.Load())
	most := 2_000 + *flatBlocks // bytes for a block: the list of all is read again for each 25 that go
	if bytes.Load() > int64(*flatBlocks*most) {
		t.Errorf("%d bytes are read for %d blocks", bytes.Load(), *flatBlocks)
	}
}
