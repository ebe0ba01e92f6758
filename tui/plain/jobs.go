package plain

import (
	"context"
	"fmt"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/tui/wording"
)

// job is something that the program can do. Its error ends the program; what
// only goes wrong within the job is told.
type job struct {
	option
	run func(*prompter, context.Context) error // nil: quit
}

// jobs lists what can be done; the further words are the keys that the setup
// program has for it.
func (s *prompter) jobs() []job {
	all := []job{
		{option{word: "graphs", about: "list your graphs and how they stand", also: []string{"list"}}, (*prompter).listGraphs},
		{option{word: "connect", about: "connect a graph", also: []string{"c"}}, (*prompter).connect},
		{option{word: "rename", about: "give a graph another nickname", also: []string{"e"}}, (*prompter).rename},
		{option{word: "enable", about: "let agents use a graph again"}, (*prompter).enable},
		{option{word: "disable", about: "keep a graph, but let no agent use it"}, (*prompter).disable},
		{option{word: "re-authorize", about: "ask Roam for a new token", also: []string{"reauthorize", "reauth", "r"}}, (*prompter).reauthorize},
		{option{word: "remove", about: "forget a graph and its token"}, (*prompter).remove},
		{option{word: "put back", about: "undo the last removal", also: []string{"u", "undo"}}, (*prompter).putBack},
		{option{word: "texts", about: "keep texts of a graph in the history, or none", also: []string{"K"}}, (*prompter).texts},
		{option{word: "import", about: "take over the graphs of the official tools", also: []string{"i"}}, (*prompter).importOfficial},
		{option{word: "test", about: "make a real call, as an agent would", also: []string{"t"}}, (*prompter).test},
		{option{word: "clients", about: "give your graphs to an MCP client, and prove that it works", also: []string{"m"}}, (*prompter).clients},
		{option{word: "guidelines", about: "what a graph tells agents"}, (*prompter).guidelines},
		{option{word: "history", about: "what agents have written, and what it changed", also: []string{"h"}}, (*prompter).history},
		{option{word: "files", about: "which files are used, and where they are"}, (*prompter).files},
	}
	if len(s.ports.Profiles) > 1 {
		all = append(all, job{option{word: "profile", about: "choose the tools that clients are given"}, (*prompter).chooseProfile})
	}
	if s.ports.Serve != nil {
		all = append(all, job{option{word: "serve", about: "serve agents over HTTP until you stop it", also: []string{"s"}}, (*prompter).serve})
	}
	if s.roster.OthersCanRead() {
		all = append(all, job{option{word: "close", about: "make the configuration readable by you only", also: []string{"f"}}, (*prompter).fixMode})
	}
	if s.ports.Desk != nil {
		all = append(all, job{option{word: "answer", about: "answer a request in place of Roam (sandbox)"}, (*prompter).answerRequest})
	}
	return append(all,
		job{option{word: "help", about: "list these again", also: []string{"?"}}, (*prompter).help},
		job{option{word: "quit", also: []string{"q", "exit"}}, nil},
	)
}

func (s *prompter) tellJobs() {
	s.tell("What can be done:")
	for i, job := range s.jobs() {
		text := job.word
		if job.about != "" {
			text += ": " + job.about
		}
		s.tell(fmt.Sprintf("%d. %s", i+1, text))
	}
}

func (s *prompter) chooseJob(ctx context.Context) (job, error) {
	jobs := s.jobs()
	options := make([]option, len(jobs))
	for i, job := range jobs {
		options[i] = job.option
	}
	s.say("")
	i, err := s.pick(ctx, "What to do", options, len(jobs)-2)
	if err != nil {
		return job{}, err
	}
	return jobs[i], nil
}

func (s *prompter) help(context.Context) error {
	s.tellJobs()
	s.tell("At each question type a number or a word and press Enter.",
		"Ctrl+C ends the program and drops a request that is open in Roam.")
	return nil
}

func (s *prompter) listGraphs(ctx context.Context) error {
	s.look(ctx)
	s.tell(s.words.RoamStatus(s.roster.Roam))
	s.tellProblems()
	s.tellGraphs()
	return nil
}

func (s *prompter) tellProblems() {
	s.tell(s.words.Problems(s.roster)...)
}

// tellGraphs tells of each graph in a line, with what is to be known of its
// token in the next.
func (s *prompter) tellGraphs() {
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
func (s *prompter) notConnected(g manage.Graph) string {
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
func (s *prompter) chooseGraph(ctx context.Context, question string, fits func(configstore.Entry) bool) (entry configstore.Entry, ok bool, err error) {
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

func (s *prompter) fixMode(ctx context.Context) error {
	s.done(s.graphs.FixMode(ctx), s.words.ModeFixed())
	s.look(ctx)
	return nil
}

func anyGraph(configstore.Entry) bool      { return true }
func disabled(e configstore.Entry) bool    { return e.Disabled }
func notDisabled(e configstore.Entry) bool { return !e.Disabled }

func (s *prompter) rename(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Which graph to rename", anyGraph)
	if err != nil || !ok {
		return err
	}
	nickname, err := s.field(ctx, s.words.Nickname(s.roster, entry.Graph()), entry.Nickname)
	if err != nil {
		return err
	}
	normal, err := configstore.NormalizeNickname(nickname)
	if err != nil || normal == entry.Nickname {
		s.tell("It keeps its nickname.")
		return nil
	}
	err = s.graphs.Rename(ctx, entry.Nickname, normal)
	s.done(err, s.words.Renamed(entry.Nickname, normal))
	if err != nil || s.ports.Clients == nil {
		return nil
	}
	return s.follow(ctx, entry.Nickname, normal)
}

// follow has the entries of clients that name a graph follow its rename, after asking.
func (s *prompter) follow(ctx context.Context, from, to string) error {
	plans, err := s.ports.Clients.PlanRename(ctx, from, to)
	if err != nil {
		s.fail(err)
	}
	for _, plan := range plans {
		s.tell(plan.Client.Name + " names it in its entry " + plan.Server.Name + ".")
		agreed, err := s.agree(ctx, plan, nil)
		if err != nil {
			return err
		}
		if agreed {
			s.done(s.ports.Clients.Apply(ctx, plan), "Written.")
		}
	}
	return nil
}

// tellWithout says which clients name a graph that agents can't reach any more.
func (s *prompter) tellWithout(ctx context.Context, nickname string) {
	if s.ports.Clients != nil {
		s.tell(s.ports.Clients.Without(ctx, nickname)...)
	}
}

// done tells what a change of the configuration has done, or why not.
func (s *prompter) done(err error, text string) {
	if err != nil {
		s.fail(err)
		return
	}
	s.tell(text)
}

func (s *prompter) enable(ctx context.Context) error {
	return s.setDisabled(ctx, "Which graph to enable", disabled, false)
}

func (s *prompter) disable(ctx context.Context) error {
	return s.setDisabled(ctx, "Which graph to disable", notDisabled, true)
}

func (s *prompter) setDisabled(ctx context.Context, question string, fits func(configstore.Entry) bool, off bool) error {
	entry, ok, err := s.chooseGraph(ctx, question, fits)
	if err != nil || !ok {
		return err
	}
	err = s.graphs.SetDisabled(ctx, entry.Nickname, off)
	s.done(err, wording.Disabled(entry.Nickname, off))
	if off && err == nil {
		s.tellWithout(ctx, entry.Nickname)
	}
	return nil
}

func (s *prompter) remove(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Which graph to remove", anyGraph)
	if err != nil || !ok {
		return err
	}
	s.tell(s.words.Removal(entry)...)
	i, err := s.choose(ctx, "Remove it", []option{
		{word: "keep", about: "keep it", also: []string{"no", "n"}},
		{word: "remove", about: "remove it", also: []string{"yes", "y"}},
	}, 0)
	if err != nil {
		return err
	}
	if i == 0 {
		s.tell("Nothing was removed.")
		return nil
	}
	removed, err := s.graphs.Remove(ctx, entry.Nickname)
	if err == nil {
		s.removed.Add(removed)
	}
	s.done(err, wording.Removed(entry.Nickname))
	if err == nil {
		s.tellWithout(ctx, entry.Nickname)
	}
	return nil
}

// putBack undoes the newest removal that is not undone.
func (s *prompter) putBack(ctx context.Context) error {
	removed, ok := s.removed.Take()
	if !ok {
		s.tell(wording.NothingRemoved)
		return nil
	}
	err := s.graphs.PutBack(ctx, removed)
	s.removed.Return(removed, err)
	s.done(err, wording.PutBack(removed.Entry.Nickname))
	return nil
}

func (s *prompter) importOfficial(ctx context.Context) error {
	if s.graphs.Official == nil {
		s.tell("There is nothing to import here.")
		return nil
	}
	s.look(ctx)
	entries, problems, err := s.graphs.Official()
	offer := s.words.Offer(s.roster.Config, entries, problems, err, s.checkOf(ctx))
	s.tellOffer(offer)
	if offer.Fresh == 0 {
		return nil
	}
	i, err := s.choose(ctx, fmt.Sprintf("Import what is new, %d of them", offer.Fresh), []option{
		{word: "import", about: "their file stays as it is", also: []string{"yes", "y"}},
		{word: "back", also: []string{"no", "n"}},
	}, 1)
	if err != nil || i == 1 {
		return err
	}
	s.tellOffer(s.words.Imported(s.graphs.Import(ctx, entries)))
	return nil
}

// checkOf returns a function that asks Roam about the token of an entry to import, unless
// Roam is away.
func (s *prompter) checkOf(ctx context.Context) func(configstore.Entry) (manage.Check, bool) {
	return func(entry configstore.Entry) (manage.Check, bool) {
		if !s.roster.Roam.Answers() {
			return manage.Check{}, false
		}
		return s.graphs.AskAboutToken(ctx, entry), true
	}
}

// tellOffer tells of the graphs that are new, and below a heading of the others.
func (s *prompter) tellOffer(o wording.Offer) {
	for _, line := range o.New {
		s.tell(line.Text)
	}
	if len(o.Present) > 0 {
		s.tell(wording.PresentHeading + ":")
	}
	for _, line := range o.Present {
		s.tellIn("  ", line.Text)
	}
	for _, line := range o.Notes {
		s.tell(line.Text)
	}
}

func (s *prompter) test(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Which graph to call", notDisabled)
	if err != nil || !ok {
		return err
	}
	result, err := s.ports.Prove(ctx, entry.Nickname, s.tellStep)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.failProof(result, err)
	default:
		s.tell("An agent can work with this graph.")
	}
	return ctx.Err()
}

func (s *prompter) files(context.Context) error {
	if s.ports.Files == nil {
		s.tell("No file is named here.")
		return nil
	}
	for _, file := range s.ports.Files() {
		there := ""
		if !file.There {
			there = " It is not there now."
		}
		s.tell(file.Name + ": " + file.Note + there)
		s.say("  " + s.line(s.words.Path(file.Path)))
	}
	return nil
}

// maxGuidelines bounds what is shown of guidelines, in bytes.
const maxGuidelines = 32 << 10

func (s *prompter) guidelines(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Whose guidelines", anyGraph)
	if err != nil || !ok {
		return err
	}
	text, _, err := s.ports.Guidelines(ctx, entry.Nickname)
	switch {
	case err != nil:
		s.fail(err)
	case strings.TrimSpace(text) == "":
		s.tell(entry.Nickname+" has no guidelines.",
			"Write them in Roam, on the page [[roam/agent guidelines]]: what is where, and what agents should leave alone. Agents read them first.")
	default:
		cut := len(text) > maxGuidelines
		if cut {
			text = strings.ToValidUTF8(text[:maxGuidelines], "")
		}
		for _, text := range strings.Split(text, "\n") {
			rest := strings.TrimLeft(text, " ")
			s.tellIn(strings.Repeat(" ", min(len(text)-len(rest), lineWidth/2)), rest)
		}
		if cut {
			s.tell("They go on; this is the first part.")
		}
	}
	return ctx.Err()
}
