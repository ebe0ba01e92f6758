package datalog_test

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
	"roam-mcp/internal/testutil/difftest"
	"roam-mcp/internal/testutil/helpgraph"
)

//go:embed testdata/datascript/random.gz
var randomGoldens []byte

//go:embed testdata/datascript/help.gz
var helpGoldens []byte

func TestRandomQueriesAnswerAsDataScriptDoes(t *testing.T) {
	small := difftest.SmallGraph(difftest.Seed)
	compare(t, small, difftest.Random(difftest.Seed, difftest.RandomCases, small), randomGoldens, 5000)
}

func TestRealisticQueriesAnswerAsDataScriptDoes(t *testing.T) {
	help, err := difftest.ReadDump(strings.NewReader(helpgraph.Read(t, "help.edn")))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, help, difftest.Realistic(difftest.Seed, help), helpGoldens, 500)
}

// compare runs the cases against the goldens. A case that DataScript fails at
// must not crash here, and nothing more.
func compare(t *testing.T, datoms []graphdb.Datom, cases []difftest.Case, file []byte, least int) {
	goldens, err := difftest.ReadGoldens(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if len(goldens) != len(cases) {
		t.Fatalf("%d cases and %d goldens: run tools/datascript/goldens", len(cases), len(goldens))
	}
	db, err := difftest.Load(t.Context(), datoms)
	if err != nil {
		t.Fatal(err)
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
	t.Logf("%d of %d cases tried agree, %d rows in all; named deviations: %v", sum.same, len(cases)/stride, sum.rows, sum.deviating)
	if sum.differences > 0 || sum.same < least/stride {
		t.Errorf("%d differences; %d cases agree, at least %d must", sum.differences, sum.same, least/stride)
	}
}

const workersPerSet = 4 // which also shows that readers of one snapshot do not mind each other

type tally struct {
	same, rows, differences int
	deviating               map[string]int
}

func (s *tally) add(other tally) {
	s.same += other.same
	s.rows += other.rows
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
	if want.Failed {
		return
	}
	if err == nil {
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
		t.Errorf("%s%s %v: %d rows in DataScript, here: %.200s %v", c.Query, c.Pattern, c.Entity, want.Rows, answer, err)
	}
}

func TestEveryDeviationThatCasesNameIsListed(t *testing.T) {
	for _, c := range difftest.Random(difftest.Seed, 2000, difftest.SmallGraph(difftest.Seed)) {
		if c.Deviation != "" && !slices.ContainsFunc(datalog.Deviations(), func(d datalog.Deviation) bool { return d.Name == c.Deviation }) {
			t.Fatalf("%q is not listed", c.Deviation)
		}
	}
}
