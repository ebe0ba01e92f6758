package history

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

// BenchmarkPurge measures what takes a while, and how long another process that writes
// meanwhile has to wait for its intent.
func BenchmarkPurge(b *testing.B) {
	origin, ctx := b.TempDir(), context.Background()
	generate(b, origin, *generatedChanges, noon())
	file, err := os.ReadFile(filepath.Join(origin, "journal.db"))
	require.NoError(b, err)
	for _, bench := range []struct {
		name string
		do   func(j *Journal) error
	}{
		{"the first tidying of texts of a month", func(j *Journal) error { return j.Tidy(ctx) }},
		{"a graph of few calls", purging(Purge{Graphs: []Graph{{"Old", "hosted"}}})},
		{"half of the texts", purging(Purge{Graphs: []Graph{{"Work", "hosted"}}, Texts: true})},
		{"half of the calls", purging(Purge{Graphs: []Graph{{"Work", "hosted"}}})},
		{"all", purging(Purge{All: true})},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var longest time.Duration
			for range b.N {
				b.StopTimer()
				folder := b.TempDir()
				require.NoError(b, os.WriteFile(filepath.Join(folder, "journal.db"), file, 0o600))
				j := open(b, folder)
				j.options.Now = func() time.Time { return noon().Add(30 * day) }
				writer := open(b, folder)
				finish(b, writer, intend(b, writer, someIntent("u")), StateDone)
				writing, end := context.WithCancel(ctx)
				waits := make(chan time.Duration)
				go func() { waits <- longestWait(writing, writer) }()
				b.StartTimer()
				require.NoError(b, bench.do(j))
				b.StopTimer()
				end()
				longest = max(longest, <-waits)
				b.StartTimer()
			}
			b.ReportMetric(float64(longest.Milliseconds()), "longest-wait-ms")
		})
	}
}

func purging(purge Purge) func(*Journal) error {
	return func(j *Journal) error {
		_, err := j.Purge(context.Background(), purge)
		return err
	}
}

// longestWait writes until the context ends, and returns how long the slowest intent
// took, an hour where one failed.
func longestWait(ctx context.Context, j *Journal) (longest time.Duration) {
	for ctx.Err() == nil {
		started := time.Now()
		change, err := j.Intend(context.Background(), someIntent("v"))
		if err == nil {
			err = j.Finish(context.Background(), change, Outcome{State: StateDone})
		}
		if err != nil {
			return time.Hour
		}
		longest = max(longest, time.Since(started))
		_ = pause(ctx, 20*time.Millisecond)
	}
	return longest
}
