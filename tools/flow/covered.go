package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// counts are what is counted of a call.
type counts struct{ functions, files, packages, frames int }

// coverage is the functions that have run, as "file function".
type coverage map[string]bool

// functionLine is a line of go tool covdata func: file, line, function and share.
var functionLine = regexp.MustCompile(`^(\S+\.go):\d+:\s+(\S+)\s+([\d.]+)%$`)

// covered returns what runs in a connection, with the call or without.
func (m measurement) covered(ctx context.Context, f flow, called bool) (ran coverage, err error) {
	w, err := m.world(ctx, f)
	if err != nil {
		return nil, err
	}
	defer func() {
		_, ended := w.Finish(context.WithoutCancel(ctx), "")
		err = errors.Join(err, ended)
	}()
	counters, err := os.MkdirTemp(m.folder, "counters")
	if err != nil {
		return nil, err
	}
	session, err := connect(ctx, m.server(ctx, f, w, counters))
	if err != nil {
		return nil, err
	}
	if called {
		err = f.call(ctx, session)
	}
	if err = errors.Join(err, session.Close()); err != nil {
		return nil, err
	}
	text, err := exec.CommandContext(ctx, "go", "tool", "covdata", "func", "-i="+counters).Output()
	if err != nil {
		return nil, fmt.Errorf("read the counters: %w", err)
	}
	ran = coverage{}
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		if at := functionLine.FindStringSubmatch(lines.Text()); at != nil && at[3] != "0.0" {
			ran[at[1]+" "+at[2]] = true
		}
	}
	return ran, nil
}

// beyond lists what has run and is not in another coverage.
func (c coverage) beyond(other coverage) []string {
	more := maps.Clone(c)
	maps.DeleteFunc(more, func(function string, _ bool) bool { return other[function] })
	return slices.Sorted(maps.Keys(more))
}

// countOf counts functions, and the files and packages that they are in.
func countOf(functions []string) counts {
	files, packages := map[string]bool{}, map[string]bool{}
	for _, function := range functions {
		file, _, _ := strings.Cut(function, " ")
		files[file], packages[path.Dir(file)] = true, true
	}
	return counts{functions: len(functions), files: len(files), packages: len(packages)}
}
