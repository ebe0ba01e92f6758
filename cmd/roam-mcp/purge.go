package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"roam-mcp/history"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// purgeOptions are the flags of history purge.
type purgeOptions struct {
	graph, before   string
	texts, all, yes bool
}

// historyPurgeCommand forgets what was recorded.
func (a *app) historyPurgeCommand() *cobra.Command {
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
	flags.StringVar(&options.graph, "graph", "", "only of the graph with this `nickname`")
	flags.StringVar(&options.before, "before", "", "only what is older than a `time`")
	flags.BoolVar(&options.texts, "texts", false, "keep who wrote when with which tool, and forget all texts")
	flags.BoolVar(&options.all, "all", false, "forget all")
	flags.BoolVar(&options.yes, "yes", false, "do not ask")
	return command
}

// check refuses flags that say nothing or too much.
func (o purgeOptions) check() error {
	some := o.graph != "" || o.before != "" || o.texts
	switch {
	case o.all && some:
		return usageError(errors.New("--all forgets everything, so no other choice goes with it"))
	case !o.all && !some:
		return usageError(errors.New("purge needs to know what to forget: --graph, --before, --texts or --all"))
	}
	return nil
}

func (a *app) purge(ctx context.Context, o purgeOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	face, end, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	wanted, filter := history.Purge{Texts: o.texts, All: o.all}, history.Filter{Limit: mostCounted}
	if o.graph != "" {
		wanted.Graphs = graphsNamed(o.graph, face.config)
		filter.Graphs = wanted.Graphs
	}
	if o.before != "" {
		m, err := parseMoment(o.before, time.Now())
		if err == nil && m.number > 0 {
			err = errors.New("a number of a change is no time here")
		}
		if err != nil {
			return usageError(fmt.Errorf("--before: %w", err))
		}
		wanted.Before, filter.Until = m.from, m.from
	}
	count, err := face.count(ctx, filter, wanted)
	if err != nil {
		return err
	}
	if count == "" && !o.all { // all is more than calls: damaged files that were moved aside
		if err := knownGraph(o.graph, face.config); err != nil {
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
	if o.all { // what they tell of is gone
		if err := face.journal.DismissNotices(ctx); err != nil {
			return err
		}
	}
	return a.answerPurged(o, purged)
}

// forgetActivity forgets the calls of all servers, with the titles of their pages. They are a
// view of what goes on, and nothing is lost with them.
func (a *app) forgetActivity() {
	w, err := a.world()
	if err == nil {
		err = w.activity(nil).Forget()
	}
	if err != nil {
		a.tell("The list of calls could not be forgotten: %v.\n", err)
	}
}

// mostCounted bounds the calls that are counted before they are forgotten.
const mostCounted = 10_000

// count says how many calls a filter chooses, and how many versions a purge; "" for none.
func (f *historyFace) count(ctx context.Context, filter history.Filter, purge history.Purge) (string, error) {
	page, err := f.journal.Calls(ctx, filter)
	if err != nil {
		return "", err
	}
	versions, err := f.journal.VersionsToPurge(ctx, purge)
	said := callsAndVersions(len(page.Calls), versions)
	if page.More {
		said = "more than " + said
	}
	return said, err
}

// callsAndVersions says how many there are; "" for none.
func callsAndVersions(calls, versions int) string {
	var said []string
	if calls > 0 {
		said = append(said, kit.Plural(calls, "call"))
	}
	if versions > 0 {
		said = append(said, kit.Plural(versions, "version")+" of notes")
	}
	return strings.Join(said, " and ")
}

// confirmPurge says what goes, and asks.
func (a *app) confirmPurge(ctx context.Context, o purgeOptions, count string) error {
	if o.yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usageError(errors.New("purge asks before it forgets anything, and there is no terminal to ask in; give --yes"))
	}
	a.tell("%s [y/N] ", o.question(count))
	yes, err := saidYes(ctx, a.in)
	if err != nil {
		return err
	}
	if !yes {
		return failed("Nothing was forgotten.", problem.Hint{})
	}
	return nil
}

// question asks whether so many calls are to be forgotten.
func (o purgeOptions) question(count string) string {
	if o.all {
		return fmt.Sprintf("Forget all that is recorded, %s? This can't be taken back.", cmp.Or(count, "in files that can't be read"))
	}
	what := "Forget " + count
	if o.texts {
		what = "Forget the texts of " + count
	}
	if o.graph != "" {
		what += " in " + o.graph
	}
	if o.before != "" {
		what += ", older than " + o.before
	}
	return kit.Sanitize(what) + "? This can't be taken back."
}

// answerPurged says what is forgotten, and what is beyond that.
func (a *app) answerPurged(o purgeOptions, p history.Purged) error {
	said := []string{"Nothing was forgotten."}
	if p.Calls > 0 || p.Versions > 0 || p.Bytes > 0 {
		what := cmp.Or(callsAndVersions(p.Calls, p.Versions), kit.Plural(0, "call"))
		if o.texts {
			what = "the texts of " + what
		}
		said = []string{"Forgotten: " + what + "."}
	}
	if p.Bytes > 0 {
		said = append(said, fmt.Sprintf("The files are %s smaller.", humanize.Bytes(uint64(p.Bytes))))
	}
	if p.UnderWay > 0 {
		said = append(said, fmt.Sprintf("Still under way, and left: %s.", kit.Plural(p.UnderWay, "call")))
	}
	if p.Waiting {
		said = append(said, "Another program is reading the journal, so that bytes of the texts stay in its files until that has ended and this is run again.")
	}
	for _, path := range p.Damaged {
		said = append(said, fmt.Sprintf("%s is damaged and may hold texts still; --all removes it.", path))
	}
	said = append(said, "Backups and snapshots of the disk are beyond this: what they hold stays there.")
	return a.answer("%s\n", strings.Join(said, "\n"))
}
