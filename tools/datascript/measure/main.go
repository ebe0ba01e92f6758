// Command measure times the npm package datascript, which Roam's engine is built
// on, with the queries and graphs of package graphtest. Its figures stand beside
// those of BenchmarkQueries in package datalog. It needs Node:
//
//	npm install --prefix ~/datascript datascript@1.8.1
//	go -C tools run ./datascript/measure -packages ~/datascript
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"roam-mcp/internal/testutil/graphtest"
)

//go:embed measure.mjs
var script []byte

func main() {
	packages := flag.String("packages", ".", "`folder` in which datascript was installed")
	blocks := flag.Int("blocks", 100_000, "size of the graph")
	flag.Parse()
	if err := run(*packages, graphtest.Options{Blocks: *blocks, Seed: 1}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(packages string, options graphtest.Options) (err error) {
	folder, err := os.MkdirTemp("", "datascript")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	measure, graph := filepath.Join(folder, "measure.mjs"), filepath.Join(folder, "graph.json")
	if err := os.WriteFile(measure, script, 0o600); err != nil {
		return err
	}
	if err := writeGraph(graph, options); err != nil {
		return err
	}
	absolute, err := filepath.Abs(packages)
	if err != nil {
		return err
	}
	node := exec.Command("node", "--expose-gc", "--max-old-space-size=8000", measure, absolute, graph)
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	return node.Run()
}

// writeGraph writes the queries on one line and each datom on another.
func writeGraph(path string, options graphtest.Options) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	buffered := bufio.NewWriter(file)
	lines := json.NewEncoder(buffered)
	if err := lines.Encode(graphtest.Queries(options)); err != nil {
		return err
	}
	for d, err := range graphtest.Datoms(options) {
		if err != nil {
			return err
		}
		if err := lines.Encode([]any{d.E, d.A[1:], d.V.Any()}); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
