package history

import (
	"context"
	"fmt"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

// BenchmarkEdit measures what an edit waits for in a journal of 500 changes and in one of
// 50,000, in turns, and reports how the two compare. The ratio should not exceed 1.1.
func BenchmarkEdit(b *testing.B) {
	journals := []*Journal{generatedJournal(b, 500), generatedJournal(b, 50_000)}
	took := make([][]time.Duration, len(journals))
	for n := 0; b.Loop(); n++ {
		for i, j := range journals {
			if d := editOnce(b, j, n); n > 0 { // the first one opens the file
				took[i] = append(took[i], d)
			}
		}
	}
	if len(took[0]) == 0 {
		return
	}
	report(b, "of-500", took[0])
	report(b, "of-50000", took[1]) // sorts
	b.ReportMetric(float64(took[1][len(took[1])/2])/float64(took[0][len(took[0])/2]), "ratio")
}

// editOnce records an edit from its look to what it left, and returns how long that took.
func editOnce(tb testing.TB, j *Journal, n int) time.Duration {
	tb.Helper()
	ctx, started := context.Background(), time.Now()
	mark, err := j.Mark(ctx)
	require.NoError(tb, err)
	in := benchmarkIntent(n)
	in.Graph, in.Mark = Graph{"Work", "hosted"}, mark
	c, err := j.Intend(ctx, in)
	require.NoError(tb, err)
	require.NoError(tb, j.Finish(ctx, c, Outcome{State: StateDone, Summary: fmt.Sprint(n)}))
	require.NoError(tb, j.After(ctx, c, Aftermath{Facts: facts(n + 1), By: BySoon}))
	return time.Since(started)
}
