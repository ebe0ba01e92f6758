package plain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// job is something that the program can do. Its error ends the program; what
// only goes wrong within the job is told.
type job struct {
	option
	run func(*session, context.Context) error // nil: quit
}

// jobs lists what can be done; the further words are the keys that the setup
// program has for it.
func (s *session) jobs() []job {
	all := []job{
		{option{word: "graphs", about: "list your graphs and how they stand", also: []string{"list"}}, (*session).listGraphs},
		{option{word: "connect", about: "connect a graph", also: []string{"c"}}, (*session).connect},
		{option{word: "rename", about: "give a graph another nickname", also: []string{"e"}}, (*session).rename},
		{option{word: "enable", about: "let agents use a graph again"}, (*session).enable},
		{option{word: "disable", about: "keep a graph, but let no agent use it"}, (*session).disable},
		{option{word: "re-authorize", about: "ask Roam for a new token", also: []string{"reauthorize", "reauth", "r"}}, (*session).reauthorize},
		{option{word: "remove", about: "forget a graph and its token"}, (*session).remove},
		{option{word: "put back", about: "undo the last removal", also: []string{"u", "undo"}}, (*session).putBack},
		{option{word: "import", about: "take over the graphs of the official tools", also: []string{"i"}}, (*session).importOfficial},
		{option{word: "test", about: "make a real call, as an agent would", also: []string{"t"}}, (*session).test},
		{option{word: "clients", about: "what to tell an MCP client", also: []string{"m"}}, (*session).clients},
		{option{word: "guidelines", about: "what a graph tells agents"}, (*session).guidelines},
		{option{word: "files", about: "which files are used, and where they are"}, (*session).files},
	}
	if s.ports.Serve != nil {
		all = append(all, job{option{word: "serve", about: "serve agents over HTTP until you stop it", also: []string{"s"}}, (*session).serve})
	}
	if s.readableByOthers() {
		all = append(all, job{option{word: "close", about: "make the configuration readable by you only", also: []string{"f"}}, (*session).fixMode})
	}
	if s.ports.Desk != nil {
		all = append(all, job{option{word: "answer", about: "answer a request in place of Roam (sandbox)"}, (*session).answerRequest})
	}
	return append(all,
		job{option{word: "help", about: "list these again", also: []string{"?"}}, (*session).help},
		job{option{word: "quit", also: []string{"q", "exit"}}, nil},
	)
}

func (s *session) tellJobs() {
	s.tell("What can be done:")
	for i, job := range s.jobs() {
		text := job.word
		if job.about != "" {
			text += ": " + job.about
		}
		s.tell(fmt.Sprintf("%d. %s", i+1, text))
	}
}

func (s *session) chooseJob(ctx context.Context) (job, error) {
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

func (s *session) help(context.Context) error {
	s.tellJobs()
	s.tell("At each question type a number or a word and press Enter.",
		"Ctrl+C ends the program and drops a request that is open in Roam.")
	return nil
}

func (s *session) listGraphs(ctx context.Context) error {
	s.look(ctx)
	s.tell(s.words.Roam())
	s.tellProblems()
	s.tellGraphs()
	return nil
}

func (s *session) tellProblems() {
	s.tell(s.words.Problems()...)
}

// tellGraphs tells of each graph in a line, with what is to be known of its
// token in the next.
func (s *session) tellGraphs() {
	all := s.words.Graphs()
	_, unreadable := s.words.Config()
	if unreadable == nil && (len(all) == 0 || !all[0].Configured) {
		s.tell("No graph is connected yet.")
	}
	for _, g := range all {
		if !g.Configured {
			how := notConnected(g)
			if unreadable != nil {
				how = g.State // whether it is connected is not known
			}
			s.tell(fmt.Sprintf("%s, %s: %s.", g.Graph.Name, g.Graph.Type, how))
			continue
		}
		s.tell(fmt.Sprintf("%s, graph %s, %s: %s.", g.Entry.Nickname, g.Graph.Name, g.Graph.Type, g.State))
		s.tellIn("  ", g.Facts...)
	}
}

func notConnected(g tui.Listed) string {
	if g.State == "open now" {
		return "not connected, open now"
	}
	return g.State
}

// chooseGraph has one of the configured graphs chosen that fit. The last option
// goes back, and is what Enter gives where several fit; ok is false then.
func (s *session) chooseGraph(ctx context.Context, question string, fits func(tui.Listed) bool) (entry configstore.Entry, ok bool, err error) {
	s.look(ctx)
	if _, err := s.words.Config(); err != nil {
		s.fail(err)
		return configstore.Entry{}, false, nil
	}
	var options []option
	var entries []configstore.Entry
	for _, g := range s.words.Graphs() {
		if g.Configured && fits(g) {
			options = append(options, option{word: g.Entry.Nickname, about: g.State, also: []string{g.Entry.Name}})
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

// readableByOthers reports whether other users can read the configuration.
func (s *session) readableByOthers() bool {
	config, _ := s.words.Config()
	return slices.ContainsFunc(config.Problems, func(p configstore.Problem) bool { return p.Code == configstore.CodeConfigModeOpen })
}

func (s *session) fixMode(ctx context.Context) error {
	s.done(s.ports.Store.FixMode(ctx), s.words.ConfigPath()+" is now yours alone to read.")
	s.look(ctx)
	return nil
}

func anyGraph(tui.Listed) bool      { return true }
func disabled(g tui.Listed) bool    { return g.Entry.Disabled }
func notDisabled(g tui.Listed) bool { return !g.Entry.Disabled }

func (s *session) rename(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Which graph to rename", anyGraph)
	if err != nil || !ok {
		return err
	}
	nickname, err := s.question(ctx, s.words.Nickname(entry.Graph()), entry.Nickname)
	if err != nil {
		return err
	}
	normal, err := configstore.NormalizeNickname(nickname)
	if err != nil || normal == entry.Nickname {
		s.tell("It keeps its nickname.")
		return nil
	}
	s.done(s.ports.Store.Rename(ctx, entry.Nickname, normal),
		entry.Nickname+" is now "+normal+". Saved in "+s.words.ConfigPath()+".")
	return nil
}

// done tells what a change of the configuration has done, or why not.
func (s *session) done(err error, text string) {
	if err != nil {
		s.fail(err)
		return
	}
	s.tell(text)
}

func (s *session) enable(ctx context.Context) error {
	return s.setDisabled(ctx, "Which graph to enable", disabled, false)
}

func (s *session) disable(ctx context.Context) error {
	return s.setDisabled(ctx, "Which graph to disable", notDisabled, true)
}

func (s *session) setDisabled(ctx context.Context, question string, fits func(tui.Listed) bool, off bool) error {
	entry, ok, err := s.chooseGraph(ctx, question, fits)
	if err != nil || !ok {
		return err
	}
	s.done(s.ports.Store.SetDisabled(ctx, entry.Nickname, off), tui.Toggled(entry.Nickname, off))
	return nil
}

func (s *session) remove(ctx context.Context) error {
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
	removed, err := s.ports.Store.Remove(ctx, entry.Nickname)
	if err == nil {
		s.removed = append(s.removed, removed)
	}
	s.done(err, "Removed "+entry.Nickname+". u puts it back.")
	return nil
}

// putBack undoes the newest removal that is not undone.
func (s *session) putBack(ctx context.Context) error {
	last := len(s.removed) - 1
	if last < 0 {
		s.tell("Nothing was removed since the program started.")
		return nil
	}
	removed := s.removed[last]
	err := s.ports.Store.PutBack(ctx, removed)
	s.done(err, removed.Entry.Nickname+" is back.")
	// A graph that was connected anew since can't come back any more.
	if err == nil || problem.CodeOf(err) == configstore.CodeGraphConfigured {
		s.removed = s.removed[:last]
	}
	return nil
}

func (s *session) importOfficial(ctx context.Context) error {
	if s.ports.Official == nil {
		s.tell("There is nothing to import here.")
		return nil
	}
	s.look(ctx)
	entries, problems, err := s.ports.Official()
	lines, fresh := s.words.Offer(entries, problems, err)
	s.tell(lines...)
	if err != nil || fresh == 0 {
		return nil
	}
	i, err := s.choose(ctx, fmt.Sprintf("Import what is new, %d of them", fresh), []option{
		{word: "import", about: "their file stays as it is", also: []string{"yes", "y"}},
		{word: "back", also: []string{"no", "n"}},
	}, 1)
	if err != nil || i == 1 {
		return err
	}
	report, err := s.ports.Store.Import(ctx, entries)
	if err != nil {
		s.fail(err)
		return nil
	}
	s.tell(s.words.Imported(report)...)
	return nil
}

func (s *session) test(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Which graph to call", notDisabled)
	if err != nil || !ok {
		return err
	}
	s.tell("Starting the server and calling it on " + entry.Nickname + ".")
	proof, err := s.ports.Prove(ctx, entry.Nickname)
	s.tell(s.words.Proof(entry.Nickname, proof, err))
	return ctx.Err()
}

// clients prints what clients are told as it is: it is there to be copied, so
// its lines are not broken.
func (s *session) clients(context.Context) error {
	s.tell(tui.ClientsAbout)
	for _, snippet := range s.ports.Snippets {
		head := snippet.Client
		if snippet.Where != "" {
			head += ", in " + snippet.Where
		}
		s.say("")
		s.tell(head + ":")
		for _, text := range strings.Split(snippet.Text, "\n") {
			s.say(text)
		}
	}
	return nil
}

func (s *session) files(context.Context) error {
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
		s.say("  " + s.words.Line(s.words.Short(file.Path)))
	}
	return nil
}

// maxGuidelines bounds what is shown of guidelines, in bytes.
const maxGuidelines = 32 << 10

func (s *session) guidelines(ctx context.Context) error {
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
