package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"roam-mcp/graphdb/outline"
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

// BenchmarkRefresh asks for links after an edit by another client, and without one, at
// 50,000 pages.
func BenchmarkRefresh(b *testing.B) {
	r := newMemory(b, graphtest.Options{Blocks: 200_000, Seed: 1})
	k := New(Options{Now: still})
	defer k.Close()
	r.view(k, Links).Links()
	for name, edits := range map[string]bool{"nothing has changed": false, "a link is new": true} {
		b.Run(name, func(b *testing.B) {
			var inRoam time.Duration
			source := r.source()
			source.Ask = func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
				start := time.Now()
				defer func() { inRoam += time.Since(start) }()
				return r.ask(ctx, action, args...)
			}
			n := 0
			for b.Loop() {
				if n++; edits {
					b.StopTimer()
					text := fmt.Sprintf("see [[%s]]", graphtest.Title(n))
					r.edit(still().Add(time.Duration(n)*time.Second), func(w *outline.Writer) error {
						return w.UpdateBlock(graphtest.BlockUID(n), outline.BlockUpdate{String: &text})
					})
					b.StartTimer()
				}
				v, err := k.View(b.Context(), source, Links)
				if err != nil {
					b.Fatal(err)
				}
				v.Links().Path(0, int32(v.Links().Len()-1))
			}
			b.ReportMetric(float64(inRoam.Microseconds())/1000/float64(n), "ms-in-Roam/op")
		})
	}
}

// BenchmarkScan compares the structure of graphs of which nothing has changed.
func BenchmarkScan(b *testing.B) {
	for _, blocks := range []int{15_000, 100_000} {
		b.Run(fmt.Sprintf("%d blocks", blocks), func(b *testing.B) {
			r := newMemory(b, graphtest.Options{Blocks: blocks, Seed: 1})
			clock := newClock()
			k := New(Options{Now: clock.Now, small: -1})
			defer k.Close()
			r.view(k, Texts)
			var inRoam time.Duration
			received := 0
			source := r.source()
			source.Ask = func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
				start := time.Now()
				reply, err := r.ask(ctx, action, args...)
				inRoam, received = inRoam+time.Since(start), received+len(reply)
				return reply, err
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				k.Wrote(source.Graph, true) // it is compared though it is not due
				if _, err := k.View(b.Context(), source, Texts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(inRoam.Microseconds())/1000/float64(n), "ms-in-Roam/op")
			b.ReportMetric(float64(received)/float64(n), "bytes-received/op")
		})
	}
}
