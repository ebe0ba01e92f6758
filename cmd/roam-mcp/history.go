package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/history"
	"roam-mcp/history/review"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// historyFlags choose calls of the journal.
type historyFlags struct {
	graph, agent, session, tool, page, block, since, until string
	limit                                                  int
}

// historyCommand lists what agents wrote. The commands that change what is kept are
// below it.
func (a *app) historyCommand() *cobra.Command {
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
	command.Flags().IntVar(&flags.limit, "limit", 50, "list so many at the most, a `number`")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.AddCommand(a.historyPurgeCommand(), a.historyExportCommand())
	command.AddCommand(a.historySwitchCommands()...)
	return command
}

// register gives a command the flags that choose calls.
func (f *historyFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&f.graph, "graph", "", "only of the graph with this `nickname`")
	flags.StringVar(&f.agent, "agent", "", "only by the agent of this `name`")
	flags.StringVar(&f.session, "session", "", "only of a `session`, such as s41")
	flags.StringVar(&f.tool, "tool", "", "only by the tool of this `name`")
	flags.StringVar(&f.page, "page", "", "only what touched the page with this `title`")
	flags.StringVar(&f.block, "block", "", "only what touched the block with this `uid`")
	flags.StringVar(&f.since, "since", "", "only from a `time` on (see above)")
	flags.StringVar(&f.until, "until", "", "only up to a `time`")
}

// filter returns what the flags choose. A graph that is not connected any more is
// chosen by its name in Roam.
func (f historyFlags) filter(config configstore.Config, now time.Time) (history.Filter, error) {
	filter := history.Filter{Agent: f.agent, Tool: f.tool, Page: f.page, Block: bareUID(f.block), Limit: f.limit}
	if f.graph != "" {
		filter.Graphs = graphsNamed(f.graph, config)
	}
	var err error
	if f.session != "" {
		if filter.Session, err = parseSession(f.session); err != nil {
			return history.Filter{}, err
		}
	}
	if f.limit < 0 {
		return history.Filter{}, errors.New("--limit takes a number from 1 on")
	}
	if f.since != "" {
		m, err := parseMoment(f.since, now)
		if err != nil {
			return history.Filter{}, fmt.Errorf("--since: %w", err)
		}
		m.since(&filter)
	}
	if f.until != "" {
		m, err := parseMoment(f.until, now)
		if err != nil {
			return history.Filter{}, fmt.Errorf("--until: %w", err)
		}
		m.until(&filter)
	}
	return filter, nil
}

// graphsNamed returns the graph with a nickname or name, or else those that may have
// had that name.
func graphsNamed(name string, config configstore.Config) []history.Graph {
	if entry, found := config.Find(name); found {
		return []history.Graph{{Name: entry.Name, Type: string(entry.Graph().Type)}}
	}
	if entry, found := config.FindWithoutToken(name); found {
		return []history.Graph{{Name: entry.Name, Type: string(entry.Graph().Type)}}
	}
	return []history.Graph{{Name: name, Type: string(localapi.Hosted)}, {Name: name, Type: string(localapi.Offline)}}
}

// knownGraph refuses a name of which nothing was found, if no graph has it.
func knownGraph(name string, config configstore.Config) error {
	_, found := config.Find(name)
	if !found {
		_, found = config.FindWithoutToken(name)
	}
	if found || name == "" {
		return nil
	}
	return notConfigured(name, config)
}

// bareUID returns a uid without the brackets that Roam writes around it.
func bareUID(uid string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(uid), "(("), "))")
}

func parseSession(text string) (int64, error) {
	number, err := strconv.ParseInt(strings.TrimPrefix(text, "s"), 10, 64)
	if err != nil || number <= 0 {
		return 0, fmt.Errorf("%q is no session: it is s and its number, such as s41", text)
	}
	return number, nil
}

// openHistory prepares a command that reads the journal: its world, the sandbox where
// that is meant, and what is to be known about the journal. end is to be called once
// the command is done.
func (a *app) openHistory(ctx context.Context) (face *historyFace, end func(), err error) {
	w, _, config, err := a.load(ctx)
	if err != nil {
		return nil, nil, err
	}
	a.tellProblems(config.Problems)
	log, endRoam, err := a.hosted(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	face = w.history(ctx, history.KindCLI, log)
	face.config = config
	end = func() {
		face.close()
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
func (a *app) tellNotices(ctx context.Context, face *historyFace) error {
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

func (a *app) history(ctx context.Context, flags historyFlags, asJSON bool) error {
	face, end, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	now := time.Now()
	filter, err := flags.filter(face.config, now)
	if err != nil {
		return usageError(err)
	}
	face.settle(ctx)
	page, err := face.journal.Calls(ctx, filter)
	if err != nil {
		return err
	}
	if len(page.Calls) == 0 {
		if err := knownGraph(flags.graph, face.config); err != nil {
			return err
		}
	}
	sessions, err := face.sessionsOf(ctx, page.Calls)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printHistoryJSON(face, page, sessions)
	}
	if len(page.Calls) == 0 {
		a.tell("%s\n", nothingRecorded(flags))
		return nil
	}
	if err := a.printHistory(review.Lines(page.Calls, face.Name, now), sessions, now); err != nil {
		return err
	}
	if page.More {
		a.tell("There are older ones: add --until %d.\n", page.Calls[len(page.Calls)-1].ID-1)
	}
	return nil
}

const nothingMatches = "Nothing that agents wrote matches."

// nothingRecorded says that the list is empty.
func nothingRecorded(flags historyFlags) string {
	if (flags == historyFlags{limit: flags.limit}) {
		return "No agent has written anything yet."
	}
	return nothingMatches
}

// sessionsOf returns the sessions of calls, the newest first.
func (f *historyFace) sessionsOf(ctx context.Context, calls []history.Call) (sessions []history.Session, err error) {
	seen := map[int64]bool{}
	for _, c := range calls {
		if seen[c.Session] {
			continue
		}
		seen[c.Session] = true
		if len(sessions) == mostSessions {
			break
		}
		found, err := f.journal.Sessions(ctx, history.Filter{Session: c.Session, Limit: 1})
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, found...)
	}
	return sessions, nil
}

// The bounds of what a list shows.
const (
	mostSessions  = 4
	widestSummary = 60
	widestName    = 24
)

// printHistory prints calls in columns, and then their sessions.
func (a *app) printHistory(lines []review.Line, sessions []history.Session, now time.Time) error {
	glyphs := kit.GlyphsFor(os.Environ())
	rows := make([][]string, len(lines))
	for i, line := range lines {
		rows[i] = []string{
			strconv.FormatInt(line.Number, 10), line.Time, glyphs.Cut(line.Agent, widestName), glyphs.Cut(line.Graph, widestName),
			glyphs.Cut(line.Tool, widestName), glyphs.Cut(line.Summary, widestSummary), signOf(glyphs, line.Result.Mark) + " " + line.Result.Words,
		}
	}
	for _, row := range columns(rows) {
		if err := a.answer("  %s\n", row); err != nil {
			return err
		}
	}
	said := make([]string, len(sessions))
	for i, s := range sessions {
		opened := s.Opened.In(now.Location())
		layout := "15:04"
		if opened.Format(time.DateOnly) != now.Format(time.DateOnly) {
			layout = time.DateOnly + " 15:04"
		}
		said[i] = fmt.Sprintf("s%d  %s, since %s, %s", s.ID, glyphs.Cut(kit.Sanitize(s.Agent), widestName), opened.Format(layout), kit.Plural(s.Calls, "change"))
	}
	return a.answer("  %s\n", strings.Join(said, "     "))
}

// columns returns rows as lines whose cells stand below each other. The first cell is
// on the right of its column.
func columns(rows [][]string) []string {
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		for j, cell := range row {
			space := strings.Repeat(" ", widths[j]-ansi.StringWidth(cell))
			switch {
			case j == 0:
				lines[i] += space + cell
			case widths[j] > 0:
				lines[i] += "  " + cell + space
			}
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// signOf returns the sign that stands before the words of a state.
func signOf(glyphs kit.Glyphs, mark review.Mark) string {
	switch mark {
	case review.Done:
		return glyphs.Marked
	case review.Failed:
		return glyphs.Failed
	case review.Running:
		return glyphs.Busy
	case review.Unsure:
		return "~"
	case review.NoMark:
	}
	return glyphs.Dot
}

// notRecorded is the error of a number that no call has.
func notRecorded(number string) error {
	return failed(fmt.Sprintf("No change %s is recorded.", number), problem.Say("%s lists what is.", problem.Run("history")))
}
