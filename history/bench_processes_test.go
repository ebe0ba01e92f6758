package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

// measure records 500 changes as fast as it can, and says how many microseconds the
// intent and the outcome of each took.
func measure(folder string) {
	j, ctx := childJournal(folder), context.Background()
	must(j.Stopped(ctx, someIntent("x"), "PAUSED"))
	say("ready")
	waitForTheEnd()
	var took []string
	for n := range 500 {
		in := benchmarkIntent(os.Getpid()*1000 + n)
		started := time.Now()
		c, err := j.Intend(ctx, in)
		must(err)
		must(j.Finish(ctx, c, Outcome{State: StateDone, Summary: "1 block"}))
		took = append(took, fmt.Sprint(time.Since(started).Microseconds()))
		must(j.After(ctx, c, Aftermath{Facts: facts(n), By: BySoon}))
	}
	say("%s", strings.Join(took, " "))
}

// BenchmarkFourProcesses reports what a write waits for while four processes write at
// once, without a pause.
func BenchmarkFourProcesses(b *testing.B) {
	var took []time.Duration
	for b.Loop() {
		folder := newFolder(b)
		var running []*child
		for range 4 {
			c := start(b, "measure", folder)
			c.lines.Buffer(nil, 1<<20)
			c.line(b)
			running = append(running, c)
		}
		for _, c := range running {
			require.NoError(b, c.input.Close())
		}
		for _, c := range running {
			for _, one := range strings.Fields(c.line(b)) {
				took = append(took, time.Duration(atoi(one))*time.Microsecond)
			}
			c.kill()
		}
	}
	report(b, "both", took)
}

// BenchmarkFlush reports what the disk takes for what an intent waits for: to write and
// to flush a few pages.
func BenchmarkFlush(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "file"))
	require.NoError(b, err)
	defer file.Close()
	var took []time.Duration
	pages := make([]byte, 8*4096)
	for b.Loop() {
		started := time.Now()
		_, err := file.WriteAt(pages, 0)
		require.NoError(b, err)
		require.NoError(b, file.Sync())
		took = append(took, time.Since(started))
	}
	report(b, "flush", took)
}
