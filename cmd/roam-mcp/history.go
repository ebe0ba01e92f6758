package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/tui/historyview"
	"roam-mcp/tui/kit"
)

// historyCommands are the commands about what agents have written.
type historyCommands struct{ *app }

// historyFlags choose calls of the journal.
type historyFlags struct{ historyview.Query }

// historyCommand lists what agents wrote. The commands that change what is kept are
// below it.
func (a historyCommands) historyCommand() *cobra.Command {
	var flags historyFlags
	var asJSON bool
	command := &cobra.Command{
		Use:   "history",
		Short: "List what agents have written",
		Long: `List what agents have written, the newest first: number, time, agent, graph,
tool, what changed, and what came of it. What one of them changed is told by
roam-mcp diff NUMBER.

TIME is today, yesterday, a time such as 14:05, a date such as 2026-11-21, so long
ago as 30m, 2h or 7d, a time of RFC 3339, or the number of a change.`,
		Example: `roam-mcp history --since today
roam-mcp history --graph Work --page "Plan Q4" --limit 10`,
		SuggestFor: []string{"journal", "log"},
		Args:       arguments(0, 0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.history(cmd.Context(), flags, asJSON) },
	}
	flags.register(command)
	command.Flags().BoolVar(&flags.Gone, "gone", false, "only what deleted, renamed or merged something")
	command.Flags().IntVar(&flags.Limit, "limit", 50, "list so many at the most, a `number`")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.AddCommand(
		a.historyPurgeCommand(), a.historyExportCommand(),
		a.historySwitchCommand(configstore.On, "Keep the texts of what agents write and replace"),
		a.historySwitchCommand(configstore.Off, "Keep no texts of what agents write and replace"),
	)
	return command
}

// register gives a command the flags that choose calls.
func (f *historyFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.Graph, "graph", "", "only of the graph with this `nickname`")
	flags.StringVar(&f.Agent, "agent", "", "only by the agent of this `name`")
	flags.StringVar(&f.Session, "session", "", "only of a `session`, such as s41")
	flags.StringVar(&f.Tool, "tool", "", "only by the tool of this `name`")
	flags.StringVar(&f.Page, "page", "", "only what touched the page with this `title`")
	flags.StringVar(&f.Block, "block", "", "only what touched the block with this `uid`")
	flags.StringVar(&f.Since, "since", "", "only from a `time` on (see above)")
	flags.StringVar(&f.Until, "until", "", "only up to a `time`")
}

// knownGraph refuses a name of which nothing was found, if no graph has it.
func knownGraph(name string, config configstore.Config) error {
	if _, found := config.FindAny(name); found || name == "" {
		return nil
	}
	return manage.NotConfigured(name, config)
}

// historyFace is the history as a command reads it.
type historyFace struct {
	*historyview.View
	journal *history.Journal
	config  configstore.Config
}

// openHistory prepares a command that reads the journal: its world, the sandbox where
// that is meant, and what is to be known about the journal. end is to be called once
// the command is done.
func (a historyCommands) openHistory(ctx context.Context) (face *historyFace, end func(), err error) {
	w, _, config, err := a.load(ctx)
	if err != nil {
		return nil, nil, err
	}
	a.tellProblems(config.Problems)
	log, endRoam, err := a.hosted(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	face = w.history(ctx, history.KindCLI, config, log)
	end = func() {
		face.Close()
		endRoam()
	}
	if err := a.tellNotices(ctx, face); err != nil {
		end()
		return nil, nil, err
	}
	return face, end, nil
}

// tellNotices says what a person should know about the journal. Once it was said in a
// terminal, it is read.
func (a historyCommands) tellNotices(ctx context.Context, face *historyFace) error {
	notices, err := face.Notices(ctx)
	if err != nil {
		return err
	}
	for _, n := range notices {
		if n.Code == history.CodeUnavailable || n.Code == history.CodeTooNew {
			return &problem.Error{Code: n.Code, Message: n.Message, Hint: n.Hint}
		}
		a.tell("%s\n", a.explained(n.Message, n.Hint))
	}
	if len(notices) > 0 && isTerminal(a.out) {
		return face.journal.DismissNotices(ctx)
	}
	return nil
}

func (a historyCommands) history(ctx context.Context, flags historyFlags, asJSON bool) error {
	face, end, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	now := time.Now()
	filter, err := flags.Filter(face.config, now)
	if err != nil {
		return usageError(err)
	}
	face.Settle(ctx)
	page, err := face.journal.Calls(ctx, filter)
	if err != nil {
		return err
	}
	if len(page.Calls) == 0 {
		if err := knownGraph(flags.Graph, face.config); err != nil {
			return err
		}
	}
	sessions, err := face.SessionsOf(ctx, page.Calls, mostSessions)
	if err != nil {
		return err
	}
	if asJSON {
		return a.answerJSON(face.ListJSON(page, sessions))
	}
	if len(page.Calls) == 0 {
		a.tell("%s\n", nothingRecorded(flags))
		return nil
	}
	glyphs := kit.GlyphsFor(os.Environ())
	if err := a.tellSums(ctx, face, glyphs, page); err != nil {
		return err
	}
	for _, line := range historyview.CallLines(glyphs, review.Lines(page.Calls, face.Name, now)) {
		if err := a.answer("  %s\n", line); err != nil {
			return err
		}
	}
	if err := a.answer("  %s\n", historyview.SessionLine(glyphs, sessions, now)); err != nil {
		return err
	}
	if page.More {
		a.tell("There are older ones: add --until %d.\n", page.Calls[len(page.Calls)-1].ID-1)
	}
	return nil
}

// tellSums says what the calls of a list did together.
func (a historyCommands) tellSums(ctx context.Context, face *historyFace, glyphs kit.Glyphs, page history.Page) error {
	calls := make([]int64, len(page.Calls))
	for i, call := range page.Calls {
		calls[i] = call.ID
	}
	sums, err := face.journal.Sums(ctx, calls)
	for _, line := range historyview.SumLines(glyphs, sums) {
		a.tell("%s\n", line)
	}
	return err
}

// mostSessions is how many sessions are named below a list.
const mostSessions = 4

const nothingMatches = "Nothing that agents wrote matches."

// nothingRecorded says that the list is empty.
func nothingRecorded(flags historyFlags) string {
	if flags.Query == (historyview.Query{Limit: flags.Limit}) {
		return "No agent has written anything yet."
	}
	return nothingMatches
}
