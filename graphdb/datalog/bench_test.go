package datalog_test

import (
	"flag"
	"fmt"
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
	"roam-mcp/internal/testutil/graphtest"
)

var million = flag.Bool("million", false, "run the benchmarks on a graph of a million blocks too")

// BenchmarkQueries measures the engine alone, from the query's text to the
// result as values; tools/datascript/measure does the same for DataScript.
// BenchmarkQueriesAsJSON writes the result as JSON too.
func BenchmarkQueries(b *testing.B)       { measureAll(b, false) }
func BenchmarkQueriesAsJSON(b *testing.B) { measureAll(b, true) }

func measureAll(b *testing.B, asJSON bool) {
	sizes := []int{10_000, 100_000}
	if *million {
		sizes = append(sizes, 1_000_000)
	}
	for _, blocks := range sizes {
		shape := graphtest.Options{Blocks: blocks, Seed: 1}
		conn, err := graphdb.Load(b.Context(), graphdb.RoamSchema(), graphtest.Datoms(shape))
		if err != nil {
			b.Fatal(err)
		}
		for _, q := range graphtest.Queries(shape) {
			b.Run(fmt.Sprintf("%d/%s", blocks, q.Name), func(b *testing.B) { measure(b, conn.DB(), q, asJSON) })
		}
	}
}

func measure(b *testing.B, db *graphdb.DB, q graphtest.Query, asJSON bool) {
	var inputs []any
	if q.Rules != "" {
		inputs = []any{q.Rules}
	}
	rows := 0
	queries := datalog.NewCache(10) // as the sandbox and DataScript have one
	for b.Loop() {
		parsed, err := queries.Parse(q.Text)
		if err != nil {
			b.Fatal(err)
		}
		result, err := datalog.Run(b.Context(), db, parsed, inputs, datalog.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if asJSON {
			result.JSON(datalog.Qualified)
		}
		rows = len(result.Rows)
	}
	b.ReportMetric(float64(rows), "rows")
}
