// Command speed measures what a call costs: roam-mcp serve and, beside it, other servers of
// the same tools, over an echo that repeats what Roam has answered; the sandbox by itself;
// and both together.
//
//	go -C tools run ./speed [-official COMMAND] [-before PROGRAM] [-blocks N] [-only TEXT]
//
// COMMAND starts the official server (0.5.1 is what docs/benchmarks.md compares with), such
// as "node /path/to/packages/mcp/dist/index.js"; PROGRAM is another build of roam-mcp, such
// as the last release. Servers take turns in blocks of 60 calls, when each has been warmed by
// 300; what is printed is the median of the blocks, and of ratios with the quartiles, since
// the machine's own speed changes within a run. CPU is user and system time of the server's
// process, without those who ask it and answer it. It needs Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.official, "official", "", "`command` that starts the official server")
	flag.StringVar(&o.before, "before", "", "another `program` to run beside")
	flag.IntVar(&o.blocks, "blocks", 9, "blocks of 60 calls for each row and server")
	flag.StringVar(&o.only, "only", "", "measure only rows that have this `text` in their name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

type options struct {
	official, before, only string
	blocks                 int
}

// wants reports whether a row is to be measured.
func (o options) wants(name string) bool { return strings.Contains(name, o.only) }

func run(ctx context.Context, out io.Writer, o options) (err error) {
	folder, err := os.MkdirTemp("", "speed")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	program := filepath.Join(folder, "roam-mcp")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/roam-mcp")
	build.Dir = ".." // from the folder tools
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w: %s", err, text)
	}
	w, err := startWorld(ctx, program, folder)
	if err != nil {
		return err
	}
	defer w.close()
	programs := []contender{{name: "now", command: []string{program, "serve"}}}
	if o.official != "" {
		programs = append(programs, contender{name: "official", command: strings.Fields(o.official)})
	}
	if o.before != "" {
		programs = append(programs, contender{name: "before", command: []string{o.before, "serve"}})
	}
	m := measurement{options: o, world: w, contenders: programs, out: out}
	return errors.Join(m.reads(ctx), m.together(ctx), m.inFlight(ctx), m.afterPause(ctx), m.writes(ctx))
}
