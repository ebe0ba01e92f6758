package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// counts are what is counted of a call.
type counts struct{ functions, files, packages, frames int }

// String returns the cells of a table.
func (c counts) String() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d", c.functions, c.files, c.packages, c.frames)
}

// above reports whether one of the figures is above that of a record.
func (c counts) above(record counts) bool {
	return c.functions > record.functions || c.files > record.files || c.packages > record.packages || c.frames > record.frames
}

// coverage is how often the blocks of each function have run, together; a function is "file
// function".
type coverage map[string]int

var (
	// functionLine is a line of go tool covdata func: file, line, function and share.
	functionLine = regexp.MustCompile(`^(\S+\.go):(\d+):\s+(\S+)\s+[\d.]+%$`)
	// blockLine is a line of a coverage profile: file, line, and how often the block has run.
	blockLine = regexp.MustCompile(`^(\S+\.go):(\d+)\..* (\d+)$`)
)

// covered returns what runs in a connection with some calls, one after the other.
func (m measurement) covered(ctx context.Context, f flow, calls ...map[string]any) (ran coverage, err error) {
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
	for _, args := range calls {
		err = errors.Join(err, f.call(ctx, session, args))
	}
	if err = errors.Join(err, session.Close()); err != nil {
		return nil, err
	}
	return readCounters(ctx, counters)
}

// readCounters reads the counters of a program that has ended.
func readCounters(ctx context.Context, folder string) (coverage, error) {
	functions, err := exec.CommandContext(ctx, "go", "tool", "covdata", "func", "-i="+folder).Output()
	if err != nil {
		return nil, fmt.Errorf("read the counters: %w", err)
	}
	profile := filepath.Join(folder, "profile")
	if err := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+folder, "-o="+profile).Run(); err != nil {
		return nil, fmt.Errorf("read the counters: %w", err)
	}
	blocks, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	in := map[string]string{} // the function that begins in a line, "file:line"
	for line := range strings.Lines(string(functions)) {
		if at := functionLine.FindStringSubmatch(strings.TrimSpace(line)); at != nil {
			in[at[1]+":"+at[2]] = at[1] + " " + at[3]
		}
	}
	ran := coverage{}
	for line := range strings.Lines(string(blocks)) {
		at := blockLine.FindStringSubmatch(strings.TrimSpace(line))
		if at == nil {
			continue
		}
		number, _ := strconv.Atoi(at[2])
		for ; number > 0; number-- {
			if function, begins := in[fmt.Sprintf("%s:%d", at[1], number)]; begins {
				times, _ := strconv.Atoi(at[3])
				ran[function] += times
				break
			}
		}
	}
	return ran, nil
}

// beyond lists what has run more often than in another coverage, and not at all in a third one.
func (c coverage) beyond(other, idle coverage) []string {
	more := maps.Clone(c)
	maps.DeleteFunc(more, func(function string, times int) bool { return times <= other[function] || idle[function] > 0 })
	return slices.Sorted(maps.Keys(more))
}

// countOf counts functions, the files and packages that they are in, and frames.
func countOf(functions, frames []string) counts {
	files, packages := map[string]bool{}, map[string]bool{}
	for _, function := range functions {
		file, _, _ := strings.Cut(function, " ")
		files[file], packages[path.Dir(file)] = true, true
	}
	return counts{functions: len(functions), files: len(files), packages: len(packages), frames: len(frames)}
}
