// Command peers puts the same questions about the same notes to roam-mcp and to other
// programs that serve notes over the Model Context Protocol, and prints how many answers
// are right, how long they take, and how often the program behind is asked for them. The
// notes are a folder of markdown files, which the embedded Roam imports. It is started by
//
//	tools/peers/run
//
// which installs the others. What stands for a command may be left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.notes, "notes", 5000, "how many notes")
	flag.IntVar(&o.each, "each", 20, "how many questions of each kind")
	flag.StringVar(&o.program, "roam-mcp", "", "`path` of roam-mcp")
	flag.StringVar(&o.roux, "roux", "", "`command` that starts Roux, to which a folder is added")
	flag.StringVar(&o.graphthulhu, "graphthulhu", "", "`path` of graphthulhu")
	flag.StringVar(&o.mcpvault, "mcpvault", "", "`command` that starts mcpvault, to which a folder is added")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	notes, each                          int
	program, roux, graphthulhu, mcpvault string
}

// entry is a program under the name that the table has for it.
type entry struct {
	name string
	contender
}

func run(ctx context.Context, out io.Writer, o options) (err error) {
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	notes := makeNotes(o.notes)
	vault := filepath.Join(folder, "vault")
	if err := writeVault(vault, notes); err != nil {
		return err
	}
	roam, err := startRoam(ctx, o.program, vault, folder)
	if err != nil {
		return err
	}
	defer roam.close()
	all := []entry{
		{"roam-mcp, graph", roam.serving("graph", graphTools())},
		{"roam-mcp, notes", roam.serving("notes", notesTools())},
		{"roam-mcp, wiki", roam.serving("wiki", wikiTools())},
	}
	others, end, err := peers(o, notes, folder)
	defer end()
	if err != nil {
		return err
	}
	questions := ask(notes, o.each)
	fmt.Fprintf(out, "%d notes. The first answer counts from the start of the program.\n\n| question | program | right | first, ms | then, ms (median, most) | calls: first, then |\n|---|---|---|---|---|---|\n", len(notes))
	for _, k := range kinds() {
		of := slices.DeleteFunc(slices.Clone(questions), func(q question) bool { return q.kind != k })
		for _, each := range append(slices.Clone(all), others...) {
			line, err := measure(ctx, each.contender, of)
			if err != nil {
				line = fmt.Sprintf("failed: %.120v | | |", err)
			}
			if line != "" {
				fmt.Fprintf(out, "| %s | %s | %s |\n", k, each.name, line)
			}
		}
	}
	return nil
}

// peers returns the other programs that are told of.
func peers(o options, notes []note, folder string) (all []entry, end func(), err error) {
	end = func() {}
	copied := func(name string) (string, error) { // some write to it
		own := filepath.Join(folder, name)
		return own, writeVault(own, notes)
	}
	if o.roux != "" {
		own, err := copied("roux")
		if err != nil {
			return nil, end, err
		}
		if err := os.WriteFile(filepath.Join(own, "roux.yaml"), []byte("providers:\n  store:\n    type: docstore\n"), 0o600); err != nil {
			return nil, end, err
		}
		all = append(all, entry{"Roux", roux(o.roux, own)})
	}
	if o.graphthulhu != "" {
		own, err := copied("graphthulhu")
		if err != nil {
			return nil, end, err
		}
		stub, err := startLogseq(notes)
		if err != nil {
			return nil, end, err
		}
		end = func() { _ = stub.server.Close() }
		behind := graphthulhu([]string{o.graphthulhu, "serve", "--backend", "logseq"})
		behind.env, behind.asked = stub.env(), func() int { return int(stub.counted.Load()) }
		all = append(all, entry{"graphthulhu, Obsidian", graphthulhu(onVault([]string{o.graphthulhu}, own))}, entry{"graphthulhu, Logseq", behind})
	}
	if o.mcpvault != "" {
		own, err := copied("mcpvault")
		if err != nil {
			return nil, end, err
		}
		all = append(all, entry{"mcpvault", mcpvault(strings.Fields(o.mcpvault), own)})
	}
	return append(all, entry{"SQLite, LIKE", &scan{notes: notes}}, entry{"SQLite, FTS5", &scan{notes: notes, indexed: true}}), end, nil
}

// measure puts the questions to a program that starts for them; empty for one that has
// nothing for them.
func measure(ctx context.Context, c contender, questions []question) (string, error) {
	if s, ok := c.(*server); ok {
		if _, ok := s.tools[questions[0].kind]; !ok {
			return "", nil
		}
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	before, began := c.calls(), time.Now()
	defer c.close()
	if err := c.start(ctx); err != nil {
		return "", err
	}
	right, first, callsFirst := 0, time.Duration(0), 0
	var then []time.Duration
	for i, q := range questions {
		if i > 0 {
			began = time.Now()
		}
		got, ok, err := c.answer(ctx, q)
		if err != nil {
			return "", err
		}
		if !ok {
			return "", nil
		}
		if i == 0 {
			first, callsFirst = time.Since(began), c.calls()-before
		} else {
			then = append(then, time.Since(began))
		}
		if slices.Equal(got, q.answer) {
			right++
		}
	}
	line := fmt.Sprintf("%d of %d | %s", right, len(questions), milliseconds(first))
	if len(then) == 0 {
		line += " |"
	} else {
		slices.Sort(then)
		line += fmt.Sprintf(" | %s, %s", milliseconds(then[len(then)/2]), milliseconds(then[len(then)-1]))
	}
	if before < 0 {
		return line + " |", nil
	}
	line += fmt.Sprintf(" | %d", callsFirst)
	if len(then) > 0 {
		line += fmt.Sprintf(", %.1f", float64(c.calls()-before-callsFirst)/float64(len(then)))
	}
	return line, nil
}

// milliseconds shows three digits, or all before the point.
func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', decimals(d), 64)
}

func decimals(d time.Duration) int {
	switch {
	case d < 10*time.Millisecond:
		return 2
	case d < 100*time.Millisecond:
		return 1
	}
	return 0
}
