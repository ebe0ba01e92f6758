package store

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

var million = flag.Bool("million", false, "run the benchmarks on a graph of a million blocks too; it takes minutes to make")

// sizes are the numbers of blocks to measure with.
func sizes() []int {
	if *million {
		return []int{10_000, 100_000, 1_000_000}
	}
	return []int{10_000, 100_000}
}

// generated makes a graph in a folder of its own; both are closed with the test.
func generated(t testing.TB, options graphtest.Options) (*Folder, *Graph) {
	t.Helper()
	folder, err := OpenFolder(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	g, err := folder.CreateFrom(t.Context(), notes, Options{}, "a", graphtest.Datoms(options))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close() })
	return folder, g
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkOpen reads a graph from disk. MB is what the graph holds on to,
// file-MB the size of its file.
func BenchmarkOpen(b *testing.B) {
	for _, blocks := range sizes() {
		b.Run(fmt.Sprintf("%d blocks", blocks), func(b *testing.B) {
			folder, g := generated(b, graphtest.Options{Blocks: blocks, Seed: 1})
			require.NoError(b, g.Close())
			g = nil
			before, held := heap(), uint64(0)
			b.ResetTimer()
			for b.Loop() {
				again, err := folder.Open(b.Context(), notes, Options{})
				require.NoError(b, err)
				b.StopTimer()
				held = heap() - before
				require.NoError(b, again.Close())
				b.StartTimer()
			}
			b.ReportMetric(float64(held)/(1<<20), "MB")
			if info, err := os.Stat(filepath.Join(folder.Path(), fileOfGraph(notes))); err == nil {
				b.ReportMetric(float64(info.Size())/(1<<20), "file-MB")
			}
		})
	}
}

// BenchmarkDurableWriteOfOneBlock adds a block with a reference to a page, and
// returns when it is synced.
func BenchmarkDurableWriteOfOneBlock(b *testing.B) {
	for _, blocks := range sizes() {
		b.Run(fmt.Sprintf("%d blocks", blocks), func(b *testing.B) {
			_, g := generated(b, graphtest.Options{Blocks: blocks, Seed: 1})
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				_, err := g.Transact(b.Context(), "a", func(tx *graphdb.Tx) error {
					w := outline.NewWriter(tx, outline.Author{User: 1}, uids{i})
					at := outline.Location{ParentUID: graphtest.PageUID(i % 500), Order: outline.Last}
					_, err := w.CreateBlocks(at, []outline.Block{{String: "one more about [[" + graphtest.Title(7) + "]]"}})
					return err
				})
				require.NoError(b, err)
			}
		})
	}
}

// uids makes uids from a number.
type uids struct{ n int }

func (u uids) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(u.n >> (6 * i) & 63)
	}
	return len(p), nil
}
