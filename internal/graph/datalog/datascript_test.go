package datalog_test

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/difftest"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
)

//go:embed testdata/datascript/random.gz
var randomGoldens []byte

//go:embed testdata/datascript/help.gz
var helpGoldens []byte

//go:embed testdata/datascript/grown.gz
var grownGoldens []byte

//go:embed testdata/datascript/demo.edn.gz
var demoGraph []byte

func TestGrownQueriesAnswerAsDataScriptDoes(t *testing.T) {
	unpacked, err := gzip.NewReader(bytes.NewReader(demoGraph))
	require.NoError(t, err)
	demo, err := difftest.ReadDump(unpacked)
	require.NoError(t, err)
	compare(t, demo, difftest.Grown(difftest.Seed, difftest.GrownCases, graphdb.RoamSchema(), demo), grownGoldens, 500)
}

func TestRandomQueriesAnswerAsDataScriptDoes(t *testing.T) {
	small := difftest.SmallGraph(difftest.Seed)
	compare(t, small, difftest.Random(difftest.Seed, difftest.RandomCases, small), randomGoldens, 5000)
}

func TestRealisticQueriesAnswerAsDataScriptDoes(t *testing.T) {
	help, err := difftest.ReadDump(strings.NewReader(helpgraph.Read(t, "help.edn")))
	require.NoError(t, err)
	compare(t, help, difftest.Realistic(difftest.Seed, help), helpGoldens, 500)
}

// compare runs the cases against the goldens. What DataScript refuses must be refused.
func compare(t *testing.T, datoms []graphdb.Datom, cases []difftest.Case, file []byte, least int) {
	goldens, err := difftest.ReadGoldens(bytes.NewReader(file))
	require.NoError(t, err)
	if len(goldens) != len(cases) {
		t.Fatalf("%d cases and %d goldens: run tools/datascript/goldens", len(cases), len(goldens))
	}
	db, err := difftest.Load(t.Context(), graphdb.RoamSchema(), datoms)
	require.NoError(t, err)
	stride := 1 // how many cases there are to one that is tried
	if race.Enabled {
		stride = 8
	}
	var sum tally
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for part := range workersPerSet {
		workers.Go(func() {
			var mine tally
			for i := part * stride; i < len(cases); i += workersPerSet * stride {
				mine.check(t, db, cases[i], goldens[i])
			}
			mutex.Lock()
			defer mutex.Unlock()
			sum.add(mine)
		})
	}
	workers.Wait()
	t.Logf("%d of %d cases tried agree, %d rows in all; %d are refused by both; named deviations: %v", sum.same, len(cases)/stride, sum.rows, sum.refused, sum.deviating)
	if sum.differences > 0 || sum.same < least/stride {
		t.Errorf("%d differences; %d cases agree, at least %d must", sum.differences, sum.same, least/stride)
	}
}

const workersPerSet = 4 // which also shows that readers of one snapshot do not mind each other

type tally struct {
	same, rows, refused, differences int
	deviating                        map[string]int
}

func (s *tally) add(other tally) {
	s.same += other.same
	s.rows += other.rows
	s.refused += other.refused
	s.differences += other.differences
	if s.deviating == nil {
		s.deviating = map[string]int{}
	}
	for name, n := range other.deviating {
		s.deviating[name] += n
	}
}

func (s *tally) check(t *testing.T, db *graphdb.DB, c difftest.Case, want difftest.Golden) {
	if c.Hash() != want.Case {
		if s.differences++; s.differences == 1 {
			t.Error("the goldens were made for other cases: run tools/datascript/goldens")
		}
		return
	}
	answer, err := c.Answer(t.Context(), db)
	if want.Failed && err != nil {
		s.refused++
		return
	}
	if err == nil && !want.Failed {
		if got, err := difftest.GoldenOf(c, answer); err == nil && got == want {
			s.same++
			s.rows += got.Rows
			return
		}
	}
	if c.Deviation != "" {
		s.add(tally{deviating: map[string]int{c.Deviation: 1}})
		return
	}
	if s.differences++; s.differences <= 5 {
		t.Errorf("%s%s %v: %d rows in DataScript, refused %v, here: %.200s %v", c.Query, c.Pattern, c.Entity, want.Rows, want.Failed, answer, err)
	}
}

func TestEveryDeviationThatCasesNameIsListed(t *testing.T) {
	small := difftest.SmallGraph(difftest.Seed)
	for _, c := range slices.Concat(difftest.Random(difftest.Seed, 2000, small), difftest.Grown(difftest.Seed, 2000, graphdb.RoamSchema(), small)) {
		if c.Deviation != "" && !slices.ContainsFunc(difftest.Deviations(), func(d difftest.Deviation) bool { return d.Name == c.Deviation }) {
			t.Fatalf("%q is not listed", c.Deviation)
		}
	}
}

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
		require.NoError(b, err)
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
		require.NoError(b, err)
		result, err := datalog.Run(b.Context(), db, parsed, inputs, datalog.Options{})
		require.NoError(b, err)
		if asJSON {
			_, err := result.JSON(datalog.Qualified)
			require.NoError(b, err)
		}
		rows = len(result.Rows)
	}
	b.ReportMetric(float64(rows), "rows")
}
