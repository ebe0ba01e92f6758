package logseqview_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

var million = flag.Bool("million", false, "run the benchmarks on a graph of a million blocks too")

// BenchmarkBuild measures the view of a graph, and what it takes besides the graph.
func BenchmarkBuild(b *testing.B) {
	for _, db := range graphs(b) {
		b.Run(fmt.Sprint(db.Count(graphdb.BlockString)), func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				made, err := logseqview.Build(b.Context(), db)
				require.NoError(b, err)
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB")
				runtime.KeepAlive(made)
			}
		})
	}
}

// BenchmarkQueries measures queries over the view, from their text to the rows.
func BenchmarkQueries(b *testing.B) {
	for _, db := range graphs(b) {
		popular := strings.ToLower(graphtest.Title(graphtest.BigPage))
		made, err := logseqview.Build(b.Context(), db)
		require.NoError(b, err)
		for name, query := range map[string]string{
			"page":      fmt.Sprintf(`[:find (pull ?b [*]) :where (page ?b %q)]`, popular),
			"page-ref":  fmt.Sprintf(`[:find ?b :where (page-ref ?b %q)]`, popular),
			"task":      `[:find ?b :where (task ?b #{"TODO"})]`,
			"between":   `{:query [:find ?b :in $ ?a ?z :where (between ?b ?a ?z)] :inputs [20200101 20200108]}`,
			"content":   `[:find ?b :where (block-content ?b "zebra")]`,
			"property":  `[:find ?b :where (property ?b :type "book")]`,
			"every one": `[:find (count ?b) . :where [?b :block/content] (not [?b :block/marker])]`,
		} {
			b.Run(fmt.Sprintf("%d/%s", db.Count(graphdb.BlockString), name), func(b *testing.B) {
				rows := 0
				for b.Loop() {
					q, err := logseqview.Parse(query, nil)
					require.NoError(b, err)
					text, inputs, err := q.Datalog(now)
					require.NoError(b, err)
					parsed, err := datalog.Parse(text)
					require.NoError(b, err)
					result, err := datalog.Run(b.Context(), made, parsed, inputs, datalog.Options{})
					require.NoError(b, err)
					rows = len(result.Rows)
				}
				b.ReportMetric(float64(rows), "rows")
			})
		}
	}
}

func graphs(b *testing.B) (all []*graphdb.DB) {
	sizes := []int{10_000, 100_000}
	if *million {
		sizes = append(sizes, 1_000_000)
	}
	for _, blocks := range sizes {
		conn, err := graphdb.Load(b.Context(), graphdb.RoamSchema(), graphtest.Datoms(graphtest.Options{Blocks: blocks, Seed: 1}))
		require.NoError(b, err)
		all = append(all, conn.DB())
	}
	return all
}
