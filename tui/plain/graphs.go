package plain

import (
	"context"
	"fmt"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/tui"
)

// graphJobs are the jobs on connected graphs.
type graphJobs struct {
	*session
	removed manage.Removals
}

func (g *graphJobs) listGraphs(ctx context.Context) error {
	g.look(ctx)
	g.tell(g.words.RoamStatus(g.roster.Roam))
	g.tellProblems()
	g.tellGraphs()
	return nil
}

func (s *session) tellProblems() {
	s.tell(s.words.Problems(s.roster)...)
}

// tellGraphs tells of each graph in a line, with what is to be known of its
// token in the next.
func (s *session) tellGraphs() {
	all := s.roster.Graphs()
	unreadable := s.roster.ConfigErr != nil
	if !unreadable && (len(all) == 0 || !all[0].Connected) {
		s.tell("No graph is connected yet.")
	}
	for _, g := range all {
		state := s.roster.State(g)
		if !g.Connected {
			how := s.notConnected(g)
			if unreadable {
				how = state.String() // whether it is connected is not known
			}
			name := g.Name
			if g.WithoutToken {
				name = g.Entry.Nickname + ", graph " + g.Name
			}
			s.tell(fmt.Sprintf("%s, %s: %s.", name, g.Type, how))
			continue
		}
		s.tell(fmt.Sprintf("%s, graph %s, %s: %s.", g.Entry.Nickname, g.Name, g.Type, state))
		if !g.Entry.Disabled { // what a disabled one is told to do names a key of the screen
			s.tellIn("  ", s.words.Summary(s.roster, g, s.graphs.Now())...)
		}
	}
}

// notConnected says how a graph stands that is not connected.
func (s *session) notConnected(g manage.Graph) string {
	switch {
	case g.WithoutToken:
		return "not connected: no token in the configuration"
	case g.Open:
		return "not connected, open now"
	}
	return s.roster.State(g).String()
}

// chooseGraph has one of the configured graphs chosen that fit. The last option
// goes back, and is what Enter gives where several fit; ok is false then.
func (s *session) chooseGraph(ctx context.Context, question string, fits func(configstore.Entry) bool) (entry configstore.Entry, ok bool, err error) {
	s.look(ctx)
	if err := s.roster.ConfigErr; err != nil {
		s.fail(err)
		return configstore.Entry{}, false, nil
	}
	var options []option
	var entries []configstore.Entry
	for _, g := range s.roster.Graphs() {
		if g.Connected && fits(g.Entry) {
			options = append(options, option{word: g.Entry.Nickname, about: s.roster.State(g).String(), also: []string{g.Name}})
			entries = append(entries, g.Entry)
		}
	}
	if len(entries) == 0 {
		s.tell("There is no graph that this can be done with.")
		return configstore.Entry{}, false, nil
	}
	i, err := s.choose(ctx, question, append(options, option{word: "back"}), len(options))
	if err != nil || i == len(entries) {
		return configstore.Entry{}, false, err
	}
	return entries[i], true, nil
}

func anyGraph(configstore.Entry) bool      { return true }
func disabled(e configstore.Entry) bool    { return e.Disabled }
func notDisabled(e configstore.Entry) bool { return !e.Disabled }

func (g *graphJobs) rename(ctx context.Context) error {
	entry, ok, err := g.chooseGraph(ctx, "Which graph to rename", anyGraph)
	if err != nil || !ok {
		return err
	}
	nickname, err := g.field(ctx, g.words.Nickname(g.roster, entry.Graph()), entry.Nickname)
	if err != nil {
		return err
	}
	normal, err := configstore.NormalizeNickname(nickname)
	if err != nil || normal == entry.Nickname {
		g.tell("It keeps its nickname.")
		return nil
	}
	err = g.graphs.Rename(ctx, entry.Nickname, normal)
	g.done(err, g.words.Renamed(entry.Nickname, normal))
	if err != nil || g.ports.Clients == nil {
		return nil
	}
	return g.follow(ctx, entry.Nickname, normal)
}

// follow has the entries of clients that name a graph follow its rename, after asking.
func (g *graphJobs) follow(ctx context.Context, from, to string) error {
	plans, err := g.ports.Clients.PlanRename(ctx, from, to)
	if err != nil {
		g.fail(err)
	}
	for _, plan := range plans {
		g.tell(plan.Client.Name + " names it in its entry " + plan.Server.Name + ".")
		agreed, err := g.agree(ctx, plan, nil)
		if err != nil {
			return err
		}
		if agreed {
			g.done(g.ports.Clients.Apply(ctx, plan), "Written.")
		}
	}
	return nil
}

// tellWithout says which clients name a graph that agents can't reach any more.
func (g *graphJobs) tellWithout(ctx context.Context, nickname string) {
	if g.ports.Clients != nil {
		g.tell(g.ports.Clients.Without(ctx, nickname)...)
	}
}

func (g *graphJobs) enable(ctx context.Context) error {
	return g.setDisabled(ctx, "Which graph to enable", disabled, false)
}

func (g *graphJobs) disable(ctx context.Context) error {
	return g.setDisabled(ctx, "Which graph to disable", notDisabled, true)
}

func (g *graphJobs) setDisabled(ctx context.Context, question string, fits func(configstore.Entry) bool, off bool) error {
	entry, ok, err := g.chooseGraph(ctx, question, fits)
	if err != nil || !ok {
		return err
	}
	err = g.graphs.SetDisabled(ctx, entry.Nickname, off)
	g.done(err, tui.DisabledText(entry.Nickname, off))
	if off && err == nil {
		g.tellWithout(ctx, entry.Nickname)
	}
	return nil
}

func (g *graphJobs) remove(ctx context.Context) error {
	entry, ok, err := g.chooseGraph(ctx, "Which graph to remove", anyGraph)
	if err != nil || !ok {
		return err
	}
	g.tell(g.words.Removal(entry)...)
	i, err := g.choose(ctx, "Remove it", []option{
		{word: "keep", about: "keep it", also: []string{"no", "n"}},
		{word: "remove", about: "remove it", also: []string{"yes", "y"}},
	}, 0)
	if err != nil {
		return err
	}
	if i == 0 {
		g.tell("Nothing was removed.")
		return nil
	}
	removed, err := g.graphs.Remove(ctx, entry.Nickname)
	if err == nil {
		g.removed.Add(removed)
	}
	g.done(err, tui.RemovedText(entry.Nickname))
	if err == nil {
		g.tellWithout(ctx, entry.Nickname)
	}
	return nil
}

// putBack undoes the newest removal that is not undone.
func (g *graphJobs) putBack(ctx context.Context) error {
	removed, ok := g.removed.Take()
	if !ok {
		g.tell(tui.NothingRemovedText)
		return nil
	}
	err := g.graphs.PutBack(ctx, removed)
	g.removed.Return(removed, err)
	g.done(err, tui.PutBackText(removed.Entry.Nickname))
	return nil
}

func (g *graphJobs) fixMode(ctx context.Context) error {
	g.done(g.graphs.FixMode(ctx), g.words.ModeFixed())
	g.look(ctx)
	return nil
}

func (g *graphJobs) importOfficial(ctx context.Context) error {
	if g.graphs.Official == nil {
		g.tell("There is nothing to import here.")
		return nil
	}
	g.look(ctx)
	entries, problems, err := g.graphs.Official()
	offer := g.words.Offer(g.roster.Config, entries, problems, err, g.checkOf(ctx))
	g.tellOffer(offer)
	if offer.Fresh == 0 {
		return nil
	}
	i, err := g.choose(ctx, fmt.Sprintf("Import what is new, %d of them", offer.Fresh), []option{
		{word: "import", about: "their file stays as it is", also: []string{"yes", "y"}},
		{word: "back", also: []string{"no", "n"}},
	}, 1)
	if err != nil || i == 1 {
		return err
	}
	g.tellOffer(g.words.Imported(g.graphs.Import(ctx, entries)))
	return nil
}

// checkOf returns a function that asks Roam about the token of an entry to import, unless
// Roam is away.
func (g *graphJobs) checkOf(ctx context.Context) func(configstore.Entry) (manage.Check, bool) {
	return func(entry configstore.Entry) (manage.Check, bool) {
		if !g.roster.Roam.Answers() {
			return manage.Check{}, false
		}
		return g.graphs.AskAboutToken(ctx, entry), true
	}
}

// tellOffer tells of the graphs that are new, and below a heading of the others.
func (g *graphJobs) tellOffer(o tui.Offer) {
	for _, line := range o.New {
		g.tell(line.Text)
	}
	if len(o.Present) > 0 {
		g.tell(tui.PresentHeading + ":")
	}
	for _, line := range o.Present {
		g.tellIn("  ", line.Text)
	}
	for _, line := range o.Notes {
		g.tell(line.Text)
	}
}

func (g *graphJobs) test(ctx context.Context) error {
	entry, ok, err := g.chooseGraph(ctx, "Which graph to call", notDisabled)
	if err != nil || !ok {
		return err
	}
	result, err := g.ports.Prove(ctx, entry.Nickname, g.tellStep)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		g.failProof(result, err)
	default:
		g.tell("An agent can work with this graph.")
	}
	return ctx.Err()
}

// maxGuidelines bounds what is shown of guidelines, in bytes.
const maxGuidelines = 32 << 10

func (g *graphJobs) guidelines(ctx context.Context) error {
	entry, ok, err := g.chooseGraph(ctx, "Whose guidelines", anyGraph)
	if err != nil || !ok {
		return err
	}
	text, _, err := g.ports.Guidelines(ctx, entry.Nickname)
	switch {
	case err != nil:
		g.fail(err)
	case strings.TrimSpace(text) == "":
		g.tell(entry.Nickname+" has no guidelines.",
			"Write them in Roam, on the page [[roam/agent guidelines]]: what is where, and what agents should leave alone. Agents read them first.")
	default:
		cut := len(text) > maxGuidelines
		if cut {
			text = strings.ToValidUTF8(text[:maxGuidelines], "")
		}
		for _, text := range strings.Split(text, "\n") {
			rest := strings.TrimLeft(text, " ")
			g.tellIn(strings.Repeat(" ", min(len(text)-len(rest), lineWidth/2)), rest)
		}
		if cut {
			g.tell("They go on; this is the first part.")
		}
	}
	return ctx.Err()
}
