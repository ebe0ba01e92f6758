package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/observed"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/probe"
)

// probeOptions are the flags of probe.
type probeOptions struct {
	graph                         string
	yes, open, json, clean, rates bool
	guided                        bool
	out                           string
	only                          []string
}

func (a checkCommands) probeCommand() *cobra.Command {
	options := probeOptions{}
	command := &cobra.Command{
		Use:   "probe GRAPH",
		Short: "Ask a Roam how it behaves where only Roam can tell",
		Long: `Ask the Roam of a connected graph how it behaves where only Roam can tell, and
compare the answers with what roam-mcp expects. It makes a page whose title begins
with "roam-mcp probe" and up to three beside it, tries things there, and removes
them. Others in a shared graph see the pages meanwhile, and Roam's undo has them
afterwards: an empty local-only graph is the best place.

The table has a line for each question: = as expected, ≠ otherwise, ? not tried.
The file of --json and --out holds no token, no name of the graph and no text of
yours. What a probe that was killed has left is removed by the next one, or by
--clean; what somebody else wrote there stays.`,
		Example: `roam-mcp probe Sandbox
# For a report: the answers as a file
roam-mcp probe Sandbox --out roam.json
# Remove what a probe that was killed has left
roam-mcp probe Sandbox --clean`,
		SuggestFor: []string{"observe", "verify"},
		Args:       arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options.graph = args[0]
			return a.probe(cmd.Context(), options)
		},
	}
	command.ValidArgsFunction = first(a.completeNicknames)
	flags := command.Flags()
	flags.BoolVar(&options.yes, "yes", false, "do not ask")
	flags.BoolVar(&options.open, "open", false, "also a graph that has no window; Roam opens one")
	flags.BoolVar(&options.json, "json", false, "print the answers as JSON instead of the table")
	flags.StringVar(&options.out, "out", "", "write the answers as JSON to a `file`, beside the table")
	flags.StringSliceVar(&options.only, "only", nil, "ask only these: `id`s, with commas between")
	flags.BoolVar(&options.rates, "rate", false, "add 2,000 writes, as fast as Roam takes them; asked for apart")
	flags.BoolVar(&options.guided, "guided", false, "add questions that need your hand in Roam, a step each")
	flags.BoolVar(&options.clean, "clean", false, "only remove what earlier probes have left")
	return command
}

// check refuses flags that do not go together.
func (o probeOptions) check(terminal bool) error {
	switch {
	case o.json && o.out != "":
		return errors.New("--json prints what --out writes: give one of them")
	case o.clean && (o.json || o.out != "" || len(o.only) > 0 || o.rates || o.guided):
		return errors.New("--clean asks nothing, so only --open goes with it")
	case o.guided && !terminal:
		return errors.New("--guided asks you for steps in Roam, and there is no terminal to ask in")
	case !o.clean && !o.yes && !terminal:
		return errors.New("probe asks before it makes anything, and there is no terminal to ask in; give --yes")
	}
	return probe.CheckIDs(o.only)
}

func (a checkCommands) probe(ctx context.Context, o probeOptions) error {
	if err := o.check(isTerminal(a.in)); err != nil {
		return usageError(err)
	}
	w, _, config, err := a.load(ctx)
	if err != nil {
		return err
	}
	entry, found := config.Find(o.graph)
	if !found {
		return manage.NotConfigured(o.graph, config)
	}
	_, end, err := a.hosted(ctx, w)
	if err != nil {
		return err
	}
	defer end()
	client := w.client()
	defer client.CloseIdleConnections()
	ctx = localapi.Expecting(ctx, entry.APIVersion)
	if err := a.readyToProbe(ctx, client, entry, o); err != nil {
		return err
	}
	options := probe.Options{
		Caller: client, Graph: entry.Graph(), Token: entry.Token, Folder: w.probeFolder(), Version: version(),
		Only: o.only, Hidden: probe.HiddenWords(w.home, entry.Name, entry.Nickname), Rate: o.rates,
	}
	if o.guided {
		options.Step = a.step
	}
	if o.clean {
		return a.cleanProbes(ctx, options, entry)
	}
	if err := a.confirmProbe(ctx, entry, o); err != nil {
		return err
	}
	left, _, err := probe.Clean(ctx, options)
	if err != nil {
		return err
	}
	a.tellLeft(left)
	report, err := probe.Run(ctx, options)
	if err != nil && len(report.Left) == 0 {
		return err
	}
	return a.answerProbe(ctx, report, options, entry, o)
}

// readyToProbe refuses what can be known before anything is made: a Roam that is closed, a
// graph without a window, a token that was revoked.
func (a checkCommands) readyToProbe(ctx context.Context, client *localapi.Client, entry configstore.Entry, o probeOptions) error {
	open, err := client.OpenGraphs(ctx)
	if err != nil {
		return err
	}
	if !o.open && !slices.Contains(open, entry.Graph()) {
		return usageError(fmt.Errorf("%s has no window in Roam, and Roam would open one; open it there, or give --open", entry.Nickname))
	}
	level, err := client.VerifyToken(ctx, entry.Graph(), entry.Token)
	if err != nil {
		return err
	}
	if level != "" && !level.CanEdit() {
		a.tell("The token of %s has %s access: what it may not do stays untried.\n", entry.Nickname, level.Words())
	}
	return nil
}

func (a checkCommands) confirmProbe(ctx context.Context, entry configstore.Entry, o probeOptions) error {
	a.tell(`A page "%s…" and up to three beside it are made in %s (%s), tried out, and removed.
Others in a shared graph see them meanwhile, and Roam's undo has them afterwards.
`, probe.TitleStart, entry.Nickname, entry.Type)
	if entry.Type != localapi.Offline {
		a.tell("An empty local-only graph is the best place for it.\n")
	}
	if err := a.agree(ctx, o.yes, "Probe "+entry.Nickname+"? It takes about half a minute."); err != nil || !o.rates {
		return err
	}
	return a.agree(ctx, o.yes, "--rate writes 2,000 times to one block. Go on?")
}

// step asks a person to do something in Roam, and returns when they say that it is done.
func (a checkCommands) step(ctx context.Context, what string) error {
	a.tell("\n%s\nThen press enter. ", what)
	_, err := typed(ctx, a.in, readLine)
	return err
}

// agree asks, unless it was said before.
func (a checkCommands) agree(ctx context.Context, yes bool, question string) error {
	if yes {
		return nil
	}
	a.tell("%s [y/N] ", question)
	said, err := saidYes(ctx, a.in)
	if err == nil && !said {
		return failed("Nothing was made.", problem.Hint{})
	}
	return err
}

func (a checkCommands) cleanProbes(ctx context.Context, options probe.Options, entry configstore.Entry) error {
	left, removed, err := probe.Clean(ctx, options)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		a.tellLeft(left)
		return probe.NotCleaned(left, entry.Nickname)
	}
	if removed == 0 {
		return a.answer("No probe has left anything in %s.\n", entry.Nickname)
	}
	return a.answer("What %d of the earlier probes left in %s is removed.\n", removed, entry.Nickname)
}

// tellLeft says which pages are still there.
func (a checkCommands) tellLeft(left []probe.Left) {
	for _, each := range left {
		why := "it could not be removed."
		if each.Foreign {
			why = "somebody else wrote there, or refers to it."
		}
		a.tell("Still there: %s: %s\n", each.Title, why)
	}
}

// answerProbe prints what was found, keeps it, and returns the error for the exit code.
func (a checkCommands) answerProbe(ctx context.Context, report probe.Report, options probe.Options, entry configstore.Entry, o probeOptions) error {
	if len(o.only) == 0 && !report.Gone && ctx.Err() == nil {
		if err := probe.SaveLast(options.Folder, options.Graph, probe.Last{At: time.Now().UTC().Truncate(time.Second), File: report.File}); err != nil {
			a.tell("The result could not be kept for doctor: %v.\n", err)
		}
	}
	if err := a.printProbe(report, o); err != nil {
		return err
	}
	a.tellLeft(report.Left)
	if len(report.Left) == 0 && ctx.Err() != nil {
		return ctx.Err()
	}
	return report.Problem(entry.Nickname)
}

func (a checkCommands) printProbe(report probe.Report, o probeOptions) error {
	data, err := json.MarshalIndent(report.File, "", "  ")
	if err != nil {
		return err
	}
	if o.json {
		return a.answer("%s\n", visibleJSON(data))
	}
	if o.out != "" {
		path, err := expandHome(o.out)
		if err == nil {
			err = files.ReplaceAtomically(path, append(data, '\n'))
		}
		if err != nil {
			a.tell("%s could not be written: %v\n", o.out, err)
		}
	}
	return a.printAnswers(report)
}

// printAnswers prints the table, and below it what follows from each difference.
func (a checkCommands) printAnswers(report probe.Report) error {
	table := a.table()
	fmt.Fprintln(table, "\tID\tEXPECTED\tFOUND")
	for _, c := range report.File.Checks {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Verdict, c.ID, c.Expected, c.Found)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return a.answer("%s\n%d as expected, %d otherwise, %d not tried\n", report.Notes(),
		report.Count(observed.Same), report.Count(observed.Differ), report.Count(observed.Untold))
}
