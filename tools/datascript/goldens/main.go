// Command goldens asks the npm package datascript for the answers to package
// difftest's cases and writes their hashes to the testdata of package datalog.
// It needs Node and, for the realistic cases, Roam's help graph:
//
//	npm install --prefix ~/datascript datascript@1.8.1
//	go -C tools run ./datascript/goldens -datascript ~/datascript
//
// With -show N it writes nothing and prints the first N differences instead; with -grow N
// it does so for N queries that grow around the entities of the help graph, and prints
// also what DataScript refuses and the engine answers.
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

	"roam-mcp/graphdb"
	"roam-mcp/internal/testutil/difftest"
)

//go:embed oracle.mjs
var oracle []byte

type options struct {
	datascript, help, out string
	show, width           int
	grow                  int
	seed                  uint64
}

func main() {
	var o options
	flag.StringVar(&o.datascript, "datascript", "", "folder where npm installed datascript@1.8.1")
	flag.StringVar(&o.help, "help-graph", "../../shared/data/roam-help-2021/help.edn", "dump of Roam's help graph")
	flag.StringVar(&o.out, "out", "../graphdb/datalog/testdata/datascript", "folder for the goldens")
	flag.IntVar(&o.show, "show", 0, "print this many differences and write nothing")
	flag.IntVar(&o.width, "width", 300, "how much of each answer is printed")
	flag.IntVar(&o.grow, "grow", 0, "write nothing, grow this many queries around the entities of the help graph and print the differences")
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
		for cases := range slices.Chunk(difftest.Grown(o.seed, o.grow, help), 1000) { // whose answers fit the memory
			if err := o.compare(ctx, "grown", help, cases); err != nil {
				return err
			}
		}
		return nil
	}
	small := difftest.SmallGraph(difftest.Seed)
	if err := o.compare(ctx, "random", small, difftest.Random(difftest.Seed, difftest.RandomCases, small)); err != nil {
		return err
	}
	demo, err := writeDemo(ctx, o.out, o.show == 0)
	if err != nil {
		return err
	}
	if err := o.compare(ctx, "grown", demo, difftest.Grown(difftest.Seed, difftest.GrownCases, demo)); err != nil {
		return err
	}
	help, err := o.helpGraph()
	if err != nil {
		return err
	}
	return o.compare(ctx, "help", help, difftest.Realistic(difftest.Seed, help))
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
func (o options) compare(ctx context.Context, name string, datoms []graphdb.Datom, cases []difftest.Case) error {
	answers, err := o.ask(ctx, datoms, cases)
	if err != nil {
		return err
	}
	if o.show > 0 {
		return o.differences(ctx, datoms, cases, answers)
	}
	var goldens []difftest.Golden
	failed := 0
	for i, a := range answers {
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
}

func (o options) ask(ctx context.Context, datoms []graphdb.Datom, cases []difftest.Case) ([]answer, error) {
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
	if err := difftest.WriteOracleInput(f, datoms, cases); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	node := exec.CommandContext(ctx, "node", "--max-old-space-size=4096", script, o.datascript, in, out)
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
		if answers[i].Error == "" && len(answers[i].OK) == 0 {
			answers[i].OK = json.RawMessage("null")
		}
	}
	return answers, nil
}

func (o options) differences(ctx context.Context, datoms []graphdb.Datom, cases []difftest.Case, answers []answer) error {
	db, err := difftest.Load(ctx, datoms)
	if err != nil {
		return err
	}
	shown, failed, answered, named, found := 0, 0, 0, 0, 0
	for i, c := range cases {
		if answers[i].Error != "" {
			failed++
			got, err := c.Answer(ctx, db)
			if o.show > 1000 || o.grow > 0 && err == nil && c.Deviation == "" {
				if err == nil {
					answered++
				}
				fmt.Printf("%+v\n  datascript fails: %s\n  here: %.200s %v\n", c, answers[i].Error, got, err)
			}
			continue
		}
		if text := string(answers[i].OK); text != "[]" && text != "null" {
			found++
		}
		got, err := c.Answer(ctx, db)
		if err == nil {
			want, _ := difftest.Canonical(answers[i].OK)
			if have, _ := difftest.Canonical(got); have == want {
				continue
			}
		}
		if c.Deviation != "" {
			named++
			continue
		}
		if shown++; shown <= o.show {
			c.Inputs = shortened(c.Inputs)
			fmt.Printf("%+v\n  datascript: %.*s\n  here: %.*s %v\n", c, o.width, answers[i].OK, o.width, got, err)
		}
	}
	fmt.Printf("%d cases, %d that find something, %d errors of datascript (%d answered here), %d differences, %d named deviations\n", len(cases), found, failed, answered, shown, named)
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
