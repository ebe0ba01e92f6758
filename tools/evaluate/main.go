// Command evaluate gives the tasks of tools/evaluation to an agent, and prints
// which of them it did, with how many calls and bytes.
//
//	go -C tools run ./evaluate [-tasks NAME,…] [-help-graph FILE] [-timeout D] AGENT [ARGUMENT…]
//
// For each task a sandbox with the task's graph is started, and AGENT is run. Of its
// arguments, {prompt} becomes what the user says, and {config} the path of a file
// {"mcpServers": …} that starts `roam-mcp serve` on standard input and output; without
// {prompt} the prompt is its standard input. What it writes to standard output is its
// answer to the user. For Claude Code:
//
//	go -C tools run ./evaluate claude -p {prompt} --mcp-config {config} --strict-mcp-config --allowedTools mcp__roam
//
// With -official it takes the command of the official server instead of an agent, and
// solves the compared tasks by the scripts of package reference; -record writes the figures
// to a file. Version 0.5.1 is commit 1cc1f6e of github.com/Roam-Research/roam-tools, made
// with npm ci --ignore-scripts and npx tsc --build tsconfig.build.json:
//
//	go -C tools run ./evaluate -official -record evaluation/reference/official.json node …/packages/mcp/dist/index.js
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"roam-mcp/tools/evaluation"
)

type options struct {
	names    []string
	help     string // the help graph's export
	timeout  time.Duration
	official bool
	record   string
	command  []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "evaluate:", err)
		os.Exit(1)
	}
}

func parse(arguments []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("evaluate", flag.ContinueOnError)
	names := flags.String("tasks", "", "only these `names`, with commas")
	flags.StringVar(&o.help, "help-graph", "", "`file`: Roam's help graph as a JSON export")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Minute, "for one task")
	flags.BoolVar(&o.official, "official", false, "the command is the official server")
	flags.StringVar(&o.record, "record", "", "`file` for the figures of the official server")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if *names != "" {
		o.names = strings.Split(*names, ",")
	}
	if o.help == "" {
		o.help = filepath.Join("..", "..", "shared", "data", "roam-help-2021", "help.json") // from the folder tools
	}
	if o.command = flags.Args(); len(o.command) == 0 {
		return o, errors.New("no command is given; see go doc ./evaluate")
	}
	return o, nil
}

// result is how a task ended.
type result struct {
	task         string
	err          error // nil: done
	skipped      bool
	calls, bytes int
	took         time.Duration
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	o, err := parse(arguments)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "roam-mcp-evaluate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	perform, err := o.performer(ctx, folder)
	if err != nil {
		return err
	}
	suite := evaluation.NewSuite(folder, o.help, nil)
	var results []result
	for _, task := range evaluation.Tasks() {
		if len(o.names) > 0 && !slices.Contains(o.names, task.Name) || o.official && !task.Compared {
			continue
		}
		results = append(results, o.try(ctx, suite, task, perform))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := show(out, results); err != nil {
		return err
	}
	if o.record != "" {
		return writeRecord(o.record, results)
	}
	return nil
}

// performer has a task done in a world and returns the answer; the result's calls and bytes
// are set.
type performer func(context.Context, evaluation.Task, *evaluation.World, *result) (answer string, err error)

func (o options) performer(ctx context.Context, folder string) (performer, error) {
	if o.official {
		return o.askOfficial, nil
	}
	program := filepath.Join(folder, "roam-mcp")
	if err := build(ctx, program); err != nil {
		return nil, err
	}
	return func(ctx context.Context, task evaluation.Task, w *evaluation.World, r *result) (string, error) {
		return o.askAgent(ctx, program, task, w, r)
	}, nil
}

// try has one task done.
func (o options) try(ctx context.Context, suite *evaluation.Suite, task evaluation.Task, perform performer) result {
	r := result{task: task.Name}
	if _, err := os.Stat(o.help); err != nil && task.Graph == evaluation.Help {
		r.skipped, r.err = true, errors.New("the help graph is not here, see -help-graph")
		return r
	}
	w, err := suite.Start(ctx, task)
	if err != nil {
		r.err = err
		return r
	}
	started := time.Now()
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	answer, failed := perform(limited, task, w, &r)
	cancel()
	r.took = time.Since(started)
	end, err := w.Finish(context.WithoutCancel(ctx), answer)
	switch {
	case failed != nil || err != nil:
		r.err = errors.Join(failed, err)
	default:
		r.err = task.Judge(end)
	}
	return r
}

// show prints the table.
func show(out io.Writer, results []result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "task\tdone\tcalls\tbytes\tseconds\twhy not")
	done, tried, calls, bytes := 0, 0, 0, 0
	for _, r := range results {
		said, why := "yes", ""
		if r.err != nil {
			said, why = "no", strings.Join(strings.Fields(fmt.Sprintf("%.200v", r.err)), " ")
		}
		if r.skipped {
			said = "skipped"
		} else {
			tried++
		}
		if r.err == nil {
			done++
		}
		calls, bytes = calls+r.calls, bytes+r.bytes
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%.1f\t%s\n", r.task, said, r.calls, r.bytes, r.took.Seconds(), why)
	}
	fmt.Fprintf(table, "all\t%d of %d\t%d\t%d\t\t\n", done, tried, calls, bytes)
	return table.Flush()
}
