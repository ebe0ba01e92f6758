package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/internal/problem"
	"roam-mcp/tui/historyview"
)

// purgeOptions are the flags of history purge.
type purgeOptions struct {
	historyview.Purge
	yes bool
}

// historyPurgeCommand forgets what was recorded.
func (a historyCommands) historyPurgeCommand() *cobra.Command {
	var options purgeOptions
	command := &cobra.Command{
		Use:   "purge",
		Short: "Forget what agents have written",
		Long: `Forget what agents have written: of a graph, of what is older than a time, or
all. With --texts the lists stay (who, when, which tool), and all texts of notes go.
Nothing changes in Roam. TIME is as for roam-mcp history, such as 30d.`,
		Example: `roam-mcp history purge --before 30d
roam-mcp history purge --graph Work --texts`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.purge(cmd.Context(), options) },
	}
	flags := command.Flags()
	flags.StringVar(&options.Graph, "graph", "", "only of the graph with this `nickname`")
	flags.StringVar(&options.Before, "before", "", "only what is older than a `time`")
	flags.BoolVar(&options.Texts, "texts", false, "keep who wrote when with which tool, and forget all texts")
	flags.BoolVar(&options.All, "all", false, "forget all")
	flags.BoolVar(&options.yes, "yes", false, "do not ask")
	return command
}

// check refuses flags that say nothing or too much.
func (o purgeOptions) check() error {
	some := o.Graph != "" || o.Before != "" || o.Texts
	switch {
	case o.All && some:
		return usageError(errors.New("--all forgets everything, so no other choice goes with it"))
	case !o.All && !some:
		return usageError(errors.New("purge needs to know what to forget: --graph, --before, --texts or --all"))
	}
	return nil
}

func (a historyCommands) purge(ctx context.Context, o purgeOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	face, end, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	wanted, err := o.Select(face.config, time.Now())
	if err != nil {
		return usageError(err)
	}
	calls, versions, err := face.journal.ToPurge(ctx, wanted)
	if err != nil {
		return err
	}
	count := historyview.CallsAndVersions(calls, versions)
	if count == "" && !o.All { // all is more than calls: damaged files that were moved aside
		if err := knownGraph(o.Graph, face.config); err != nil {
			return err
		}
		a.forgetActivity()
		return a.answer("Nothing is recorded of that.\n")
	}
	if err := a.confirmPurge(ctx, o, count); err != nil {
		return err
	}
	purged, err := face.journal.Purge(ctx, wanted)
	if err != nil {
		return err
	}
	a.forgetActivity()
	if o.All { // what they tell of is gone
		if err := face.journal.DismissNotices(ctx); err != nil {
			return err
		}
	}
	return a.answer("%s\n", strings.Join(o.Done(purged), "\n"))
}

// forgetActivity forgets the calls of all servers, with the titles of their pages. They are a
// view of what goes on, and nothing is lost with them.
func (a historyCommands) forgetActivity() {
	w, err := a.world()
	if err == nil {
		err = w.activity(nil).Forget()
	}
	if err != nil {
		a.tell("The list of calls could not be forgotten: %v.\n", err)
	}
}

// confirmPurge says what goes, and asks.
func (a historyCommands) confirmPurge(ctx context.Context, o purgeOptions, count string) error {
	if o.yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usageError(errors.New("purge asks before it forgets anything, and there is no terminal to ask in; give --yes"))
	}
	a.tell("%s [y/N] ", o.Question(count))
	yes, err := saidYes(ctx, a.in)
	if err != nil {
		return err
	}
	if !yes {
		return failed("Nothing was forgotten.", problem.Hint{})
	}
	return nil
}
