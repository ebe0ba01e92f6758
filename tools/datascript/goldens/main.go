// Command goldens asks the npm package datascript for the answers to package
// difftest's cases and writes their hashes to the testdata of package datalog.
// It needs Node and, for the realistic cases, Roam's help graph:
//
//	npm install --prefix ~/datascript datascript@1.8.1
//	go -C tools run ./datascript/goldens -datascript ~/datascript
//
// With -show N it writes nothing and prints the first N differences instead; with -grow N
// it does so for N queries that grow around the entities of the help graph. What DataScript
// refuses and the engine answers is a difference, too. Queries that take DataScript longer
// than -limit are counted and not compared.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/difftest"
)

//go:embed oracle.mjs
var oracle []byte

type options struct {
	datascript, help, out, views string
	show, width                  int
	grow                         int
	viewsOnly                    bool
	limit                        time.Duration
	seed                         uint64
}

func main() {
	var o options
	flag.StringVar(&o.datascript, "datascript", "", "folder where npm installed datascript@1.8.1")
	flag.StringVar(&o.help, "help-graph", "../../shared/data/roam-help-2021/help.edn", "dump of Roam's help graph")
	flag.StringVar(&o.out, "out", "../graphdb/datalog/testdata/datascript", "folder for the goldens")
	flag.StringVar(&o.views, "views", "../graphdb/logseqview/testdata", "folder of the tests of package logseqview; its goldens are made too")
	flag.BoolVar(&o.viewsOnly, "views-only", false, "only those of package logseqview")
	flag.IntVar(&o.show, "show", 0, "print this many differences and write nothing")
	flag.IntVar(&o.width, "width", 300, "how much of each answer is printed")
	flag.IntVar(&o.grow, "grow", 0, "write nothing, grow this many queries around the entities of the help graph and print the differences")
	flag.DurationVar(&o.limit, "limit", 20*time.Second, "how long DataScript may take for one case")
	flag.Uint64Var(&o.seed, "seed", difftest.Seed, "what -grow begins with")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.grow > 0 {
		help, err := o.helpGraph()
		if err != nil {
			return err
		}
		o.show = max(o.show, 20)
		var sum tally
		for cases := range slices.Chunk(difftest.Grown(o.seed, o.grow, graphdb.RoamSchema(), help), 500) { // whose answers fit the memory
			answers, err := o.ask(ctx, graphdb.RoamSchema(), help, cases)
			if err != nil {
				return err
			}
			if err := o.differences(ctx, graphdb.RoamSchema(), help, cases, answers, &sum); err != nil {
				return err
			}
			fmt.Println(sum)
		}
		return nil
	}
	if o.viewsOnly {
		demo, err := writeDemo(ctx, o.out, false)
		if err != nil {
			return err
		}
		return o.compareViews(ctx, demo)
	}
	roam := graphdb.RoamSchema()
	small := difftest.SmallGraph(difftest.Seed)
	if err := o.compare(ctx, "random", roam, small, difftest.Random(difftest.Seed, difftest.RandomCases, small)); err != nil {
		return err
	}
	demo, err := writeDemo(ctx, o.out, o.show == 0)
	if err != nil {
		return err
	}
	if err := o.compare(ctx, "grown", roam, demo, difftest.Grown(difftest.Seed, difftest.GrownCases, roam, demo)); err != nil {
		return err
	}
	if err := o.compareViews(ctx, demo); err != nil {
		return err
	}
	help, err := o.helpGraph()
	if err != nil {
		return err
	}
	return o.compare(ctx, "help", roam, help, difftest.Realistic(difftest.Seed, help))
}

func (o options) helpGraph() ([]graphdb.Datom, error) {
	f, err := os.Open(o.help)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return difftest.ReadDump(bufio.NewReader(f))
}

// compare writes the goldens of one set, or shows where the engine differs.
func (o options) compare(ctx context.Context, name string, schema *graphdb.Schema, datoms []graphdb.Datom, cases []difftest.Case) error {
	answers, err := o.ask(ctx, schema, datoms, cases)
	if err != nil {
		return err
	}
	if o.show > 0 {
		var sum tally
		err := o.differences(ctx, schema, datoms, cases, answers, &sum)
		fmt.Println(sum)
		return err
	}
	var goldens []difftest.Golden
	failed := 0
	for i, a := range answers {
		if a.Slow {
			return fmt.Errorf("DataScript took more than %v for %s%s: make the generator bound it", o.limit, cases[i].Query, cases[i].Pattern)
		}
		g, err := difftest.GoldenOf(cases[i], a.OK)
		if err != nil {
			return err
		}
		if g.Failed {
			failed++
		}
		goldens = append(goldens, g)
	}
	f, err := os.Create(filepath.Join(o.out, name+".gz"))
	if err != nil {
		return err
	}
	if err := difftest.WriteGoldens(f, goldens); err != nil {
		return err
	}
	fmt.Printf("%s: %d cases, %d of them errors\n", name, len(goldens), failed)
	return f.Close()
}

type answer struct {
	OK    json.RawMessage `json:"ok"`
	Error string          `json:"error"`
	Slow  bool            `json:"slow"`
}

func (o options) ask(ctx context.Context, schema *graphdb.Schema, datoms []graphdb.Datom, cases []difftest.Case) ([]answer, error) {
	dir, err := os.MkdirTemp("", "goldens")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	script, in, out := filepath.Join(dir, "oracle.mjs"), filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(script, oracle, 0o600); err != nil {
		return nil, err
	}
	f, err := os.Create(in)
	if err != nil {
		return nil, err
	}
	if err := difftest.WriteOracleInput(f, schema, datoms, cases); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	node := exec.CommandContext(ctx, "node", script, o.datascript, in, out, fmt.Sprint(o.limit.Seconds()))
	node.Stderr = os.Stderr
	if err := node.Run(); err != nil {
		return nil, fmt.Errorf("node oracle.mjs: %w", err)
	}
	written, err := os.Open(out)
	if err != nil {
		return nil, err
	}
	defer written.Close()
	answers := make([]answer, len(cases))
	d := json.NewDecoder(bufio.NewReader(written))
	for i := range answers {
		if err := d.Decode(&answers[i]); err != nil {
			return nil, fmt.Errorf("answer %d: %w", i, err)
		}
		if answers[i].Error == "" && !answers[i].Slow && len(answers[i].OK) == 0 {
			answers[i].OK = json.RawMessage("null")
		}
	}
	return answers, nil
}

// tally counts what came of cases.
type tally struct {
	cases, found      int
	equal             int
	refused           int // by both
	named             int // answered otherwise, as a Deviation says
	slow              int // for DataScript
	differ            int
	answered, refuses int // of those that differ: refused by DataScript alone, by the engine alone
	deviations        map[string]int
}

func (s tally) String() string {
	return fmt.Sprintf("%d cases: %d equal (%d find something), %d refused by both, %d named deviations %v, %d too slow for DataScript; %d differ (%d answered here alone, %d refused here alone)",
		s.cases, s.equal, s.found, s.refused, s.named, s.deviations, s.slow, s.differ, s.answered, s.refuses)
}

// differences prints where the engine differs, and counts.
func (o options) differences(ctx context.Context, schema *graphdb.Schema, datoms []graphdb.Datom, cases []difftest.Case, answers []answer, sum *tally) error {
	db, err := difftest.Load(ctx, schema, datoms)
	if err != nil {
		return err
	}
	for i, c := range cases {
		sum.cases++
		if answers[i].Slow {
			sum.slow++
			fmt.Printf("too slow for DataScript: %s%s %v\n", c.Query, c.Pattern, c.Entity)
			continue
		}
		got, err := c.Answer(ctx, db)
		refused := answers[i].Error != ""
		if err == nil && !refused {
			want, _ := difftest.Canonical(answers[i].OK)
			if have, _ := difftest.Canonical(got); have == want {
				sum.equal++
				if want != "" && want != "null" {
					sum.found++
				}
				continue
			}
		}
		if err != nil && refused {
			sum.refused++
			continue
		}
		if c.Deviation != "" {
			sum.named++
			if sum.deviations == nil {
				sum.deviations = map[string]int{}
			}
			sum.deviations[c.Deviation]++
			continue
		}
		if refused {
			sum.answered++
		} else if err != nil {
			sum.refuses++
		}
		if sum.differ++; sum.differ <= o.show {
			c.Inputs = shortened(c.Inputs)
			fmt.Printf("%+v\n  datascript: %.*s%s\n  here: %.*s %v\n", c, o.width, answers[i].OK, answers[i].Error, o.width, got, err)
		}
	}
	return nil
}

func shortened(inputs []any) []any {
	var out []any
	for _, in := range inputs {
		if text, ok := in.(string); ok && len(text) > 500 {
			in = "the rules"
		}
		out = append(out, in)
	}
	return out
}
