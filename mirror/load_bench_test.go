package mirror

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"roam-mcp/internal/testutil/graphtest"
)

// BenchmarkLoad loads a graph whose replies are there at once.
func BenchmarkLoad(b *testing.B) {
	for name, need := range map[string]Need{"links": Links, "texts": Texts} {
		b.Run(name, func(b *testing.B) {
			r := newMemory(b, graphtest.Options{Blocks: 50_000, Seed: 1})
			replies := map[string]json.RawMessage{}
			ask := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
				key, _ := json.Marshal(args)
				if reply, known := replies[string(key)]; known {
					return reply, nil
				}
				reply, err := r.ask(ctx, action, args...)
				replies[string(key)] = reply
				return reply, err
			}
			source := Source{Graph: testGraph, Ask: ask}
			load := func() {
				k := New(Options{Now: still})
				defer k.Close()
				if _, err := k.View(b.Context(), source, need); err != nil {
					b.Fatal(err)
				}
			}
			load()
			start := time.Now()
			for b.Loop() {
				load()
			}
			b.ReportMetric(float64(time.Since(start).Microseconds())/float64(b.N)/62_500, "µs/entity")
		})
	}
}
