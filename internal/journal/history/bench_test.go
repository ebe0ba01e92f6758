package history

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

// facts are about as long as those of a typical change.
func facts(n int) []byte {
	return fmt.Appendf(nil, `{"things":{"uid%06d":{"uid":"uid%06d","text":"A sentence of some words, as people write them in their notes, number %d.","page":"page00001","parent":"parent001","order":3,"left":"left00001","right":"right0001","created":1763800000000,"edited":1763800000000,"editor":"user00001","editorName":"Ada"}}}`, n, n, n)
}

func benchmarkIntent(n int) Intent {
	in := someIntent(fmt.Sprintf("uid%06d", n))
	in.Before = facts(n)
	return in
}

// BenchmarkIntentAndOutcome reports what a write waits for (JOURNAL.md, Size and time).
func BenchmarkIntentAndOutcome(b *testing.B) {
	j, ctx := open(b, newFolder(b)), context.Background()
	intend(b, j, benchmarkIntent(0))
	var intents, outcomes, both []time.Duration
	for n := 0; b.Loop(); n++ {
		in := benchmarkIntent(n)
		started := time.Now()
		c, err := j.Intend(ctx, in)
		intended := time.Since(started)
		require.NoError(b, err)
		require.NoError(b, j.Finish(ctx, c, Outcome{State: StateDone, Summary: "1 block"}))
		all := time.Since(started)
		require.NoError(b, j.After(ctx, c, Aftermath{Facts: facts(n + 1), By: BySoon}))
		intents, outcomes, both = append(intents, intended), append(outcomes, all-intended), append(both, all)
	}
	report(b, "intent", intents)
	report(b, "outcome", outcomes)
	report(b, "both", both)
}

func report(b *testing.B, name string, took []time.Duration) {
	slices.Sort(took)
	for percent, unit := range map[int]string{50: "p50", 95: "p95", 99: "p99"} {
		b.ReportMetric(float64(took[len(took)*percent/100].Microseconds()), name+"-"+unit+"-µs")
	}
}
