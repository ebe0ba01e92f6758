package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/internal/problem"
	"roam-mcp/tui/historyview"
	"roam-mcp/tui/kit"
)

// undoOptions are the flags of undo and redo.
type undoOptions struct {
	historyview.Undo
	dryRun, yes, json bool
}

// undoCommand takes back what agents have written.
func (a historyCommands) undoCommand() *cobra.Command {
	var o undoOptions
	command := &cobra.Command{
		Use:   "undo [NUMBER|NUMBER.PART|SESSION|FROM..TO]",
		Short: "Take back what agents have written",
		Long: `Take back what agents have written: the newest call that is neither taken back nor
an undo itself, or an entry of roam-mcp history (412), a part of it (412.2), a session
(s41), a range (405..412), or what --agent, --graph, --since, --until and --block select.
It says first what it would do, and asks. What somebody has changed since is left as it
is, and told (exit code 9); --over shows each such block, and asks whether it is set back
all the same. An undo is recorded as any other write: roam-mcp redo takes it back. TIME
is as for roam-mcp history, such as 2h.`,
		Example: `roam-mcp undo
roam-mcp undo 412 --dry-run
roam-mcp undo --agent claude-code --since 9:00`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.undo(cmd.Context(), o, args) },
	}
	flags := command.Flags()
	flags.StringVar(&o.Query.Graph, "graph", "", "only in the graph with this `nickname`")
	flags.StringVar(&o.Query.Agent, "agent", "", "only what the agent of this `name` wrote")
	flags.StringVar(&o.Query.Since, "since", "", "only from a `time` on (see above)")
	flags.StringVar(&o.Query.Until, "until", "", "only up to a `time`")
	flags.StringVar(&o.Query.Block, "block", "", "only the block or page with this `uid`, and what was below it")
	flags.StringVar(&o.Under, "under", "", "put what has lost its place under the block or page with this `uid`")
	flags.StringVar(&o.Page, "page", "", "put what has lost its place on the page with this `title`")
	flags.BoolVar(&o.Over, "over", false, "ask of each block that somebody has changed since whether it is set back")
	o.register(command)
	return command
}

// redoCommand takes an undo back.
func (a historyCommands) redoCommand() *cobra.Command {
	o := undoOptions{Undo: historyview.Undo{Redo: true}}
	command := &cobra.Command{
		Use:   "redo [NUMBER]",
		Short: "Take an undo back",
		Long: `Take an undo back: the newest one, or the one with a number in roam-mcp history, or
that of the call with the number. It says first what it would do, and asks. What somebody
has changed since is left as it is, and told (exit code 9).`,
		Example: `roam-mcp redo
roam-mcp redo 415`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.undo(cmd.Context(), o, args) },
	}
	o.register(command)
	return command
}

// register gives a command the flags of both.
func (o *undoOptions) register(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&o.dryRun, "dry-run", false, "say what would be done, and do nothing")
	flags.BoolVar(&o.yes, "yes", false, "do not ask")
	flags.BoolVar(&o.json, "json", false, "print JSON")
}

func (a historyCommands) undo(ctx context.Context, o undoOptions, args []string) error {
	if o.Under != "" && o.Page != "" {
		return usageError(errors.New("--under and --page are two names of one place: choose one"))
	}
	if len(args) == 1 {
		wanted, err := historyview.ParseRange(args[0])
		if err != nil {
			return usageError(err)
		}
		o.Range = &wanted
	}
	if o.Over && (o.yes || o.json || !isTerminal(a.in)) {
		return usageError(errors.New("--over asks of each block in a terminal: it goes without --yes and --json"))
	}
	face, end, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	plans, err := face.PlanUndo(ctx, o.Undo)
	if err != nil {
		return err
	}
	if len(plans) == 0 {
		if err := knownGraph(o.Query.Graph, face.config); err != nil {
			return err
		}
		if o.json {
			return a.answerJSON(map[string]any{"undone": []historyview.UndoJSON{}})
		}
		return a.answer("There is nothing to take back.\n")
	}
	for i, p := range plans {
		if o.Over && !o.dryRun {
			if p, err = a.askOver(ctx, face, p); err != nil {
				return err
			}
			plans[i] = p
		}
		if !o.json || !o.dryRun && !o.yes {
			a.tell("%s", p.Text(kit.GlyphsFor(os.Environ()), time.Now()))
		}
		if err := p.Possible(); err != nil && len(plans) == 1 && !o.dryRun {
			return err
		}
	}
	if o.dryRun {
		return a.planned(plans, o.json)
	}
	if err := a.confirmUndo(ctx, o); err != nil {
		return err
	}
	return a.runUndo(ctx, face, plans, o.json)
}

// askOver asks of each thing that a plan leaves since somebody has changed it whether it is set back
// all the same.
func (a historyCommands) askOver(ctx context.Context, face *historyFace, p historyview.UndoPlan) (historyview.UndoPlan, error) {
	return face.Over(ctx, p, func(left historyview.Left) (bool, error) {
		a.tell("%s\nSet it back all the same? [y/N] ", historyview.LeftText(kit.GlyphsFor(os.Environ()), left))
		return saidYes(ctx, a.in)
	})
}

// planned prints the plans as JSON where that is wanted.
func (a historyCommands) planned(plans []historyview.UndoPlan, asJSON bool) error {
	if !asJSON {
		return nil
	}
	all := make([]historyview.UndoJSON, len(plans))
	for i, p := range plans {
		all[i] = p.JSON(p.Result)
	}
	return a.answerJSON(map[string]any{"planned": all})
}

// confirmUndo asks whether to do what was said.
func (a historyCommands) confirmUndo(ctx context.Context, o undoOptions) error {
	if o.yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usageError(errors.New("it asks before it takes anything back, and there is no terminal to ask in; give --yes"))
	}
	a.tell("Go on? [y/N] ")
	yes, err := saidYes(ctx, a.in)
	if err != nil {
		return err
	}
	if !yes {
		return failed("Nothing was taken back.", problem.Hint{})
	}
	return nil
}

// tellUndo returns a function that prints the progress of an undo: when it waits, and every
// few seconds.
func tellUndo(tell func(format string, args ...any)) func(historyview.Progress) {
	last := time.Now()
	return func(p historyview.Progress) {
		if p.Wait > 0 || time.Since(last) >= undoNews {
			last = time.Now()
			tell("%s\n", p)
		}
	}
}

// undoNews is the time between two lines of progress.
const undoNews = 5 * time.Second

// runUndo does what was planned, and says how to take that back.
func (a historyCommands) runUndo(ctx context.Context, face *historyFace, plans []historyview.UndoPlan, asJSON bool) error {
	var all []historyview.UndoJSON
	left := 0
	for _, p := range plans {
		result, err := face.RunUndo(ctx, p, tellUndo(a.tell))
		left += len(result.Left)
		if err != nil {
			a.tell("%d of %d changes are taken back. The same command goes on.\n", result.Changes, max(p.Result.Changes, result.Changes))
			return err
		}
		all = append(all, p.JSON(result))
		if asJSON {
			continue
		}
		if err := a.answer("%s", p.Done(kit.GlyphsFor(os.Environ()), result)); err != nil {
			return err
		}
		if result.Call != 0 {
			a.next(problem.Say("%s takes that back.", problem.Run("undo", strconv.FormatInt(result.Call, 10))))
		}
	}
	if asJSON {
		if err := a.answerJSON(map[string]any{"undone": all}); err != nil {
			return err
		}
	}
	if left > 0 {
		return &problem.Error{Code: historyview.CodeUndoPartly, Message: "It is taken back as far as possible.", Hint: problem.Say("%s shows what is there now.", problem.Run("diff", strconv.FormatInt(plans[0].Records[0].Call.ID, 10)))}
	}
	return nil
}
