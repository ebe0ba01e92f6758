package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/tui/kit"
)

// clientsScreen lists the MCP clients of this machine. Those that a person chooses are
// given roam-mcp, and proven, with the steps below their rows.
type clientsScreen struct {
	env    *env
	ctx    context.Context // of proofs; ends with the screen
	cancel context.CancelFunc

	all     []install.Status // as they were last looked at
	known   bool
	looking int // id of the look under way, or 0
	absent  bool
	list    kit.List[string]  // of IDs
	chosen  kit.Marks[string] // likewise
	jobs    map[string]*clientJob
	calls   map[string]firstCall // of all, by their IDs
	queue   []string             // IDs of the clients to prove, one after another
	choice  clients.Choice
	profile int // index of the chosen profile
}

// firstCall is what a screen has seen of the calls of a client.
type firstCall struct {
	none bool      // there was none when the screen was opened
	at   time.Time // the first one since then
}

// clientJob is what was done with a client since the screen was opened. Its lines stay.
type clientJob struct {
	written string // what was done, a sentence; empty: nothing was
	entry   string // name of the entry that is proven; empty: the usual one
	agreed  bool   // to start what is not this program alone
	err     error  // why it could not be written
	queued  bool
	proving proving
}

var (
	_ screen  = (*clientsScreen)(nil)
	_ starter = (*clientsScreen)(nil)
	_ closer  = (*clientsScreen)(nil)
)

// clientListMsg has how the clients stand.
type clientListMsg struct {
	id  int
	all []install.Status
}

func newClientsScreen(e *env) *clientsScreen {
	s := &clientsScreen{env: e, jobs: make(map[string]*clientJob), calls: make(map[string]firstCall)}
	s.ctx, s.cancel = context.WithCancel(e.ctx)
	s.list = kit.NewList(configstore.MaxNicknameLength, func() (int, func(int) string) {
		rows := s.rows()
		return len(rows), func(i int) string { return rows[i].Client.ID }
	})
	return s
}

func (s *clientsScreen) start() tea.Cmd { return s.look() }

// pause does nothing: without ticks it does not look.
func (s *clientsScreen) pause() {}

func (s *clientsScreen) resume() tea.Cmd { return s.look() }

func (s *clientsScreen) close() tea.Cmd {
	s.cancel()
	return nil
}

// look returns a command that finds out how the clients stand.
func (s *clientsScreen) look() tea.Cmd {
	if s.env.ports.Clients == nil {
		return nil
	}
	s.looking = s.env.nextID()
	id, ctx, port := s.looking, s.ctx, s.env.ports.Clients
	return func() tea.Msg { return clientListMsg{id, port.Look(ctx)} }
}

func (s *clientsScreen) title() string { return "Clients" }

func (s *clientsScreen) mode() mode {
	typing := s.list.Filter.Typing
	return mode{inView: true, typing: typing, allowsPanelKeys: !typing, polls: true}
}

// rows returns the clients that are listed and fit the filter.
func (s *clientsScreen) rows() []install.Status {
	filter := configstore.FoldNickname(s.list.Filter.Text)
	return slices.DeleteFunc(s.listed(), func(c install.Status) bool {
		return !strings.Contains(configstore.FoldNickname(c.Client.Name), filter)
	})
}

// listed returns the clients that are listed: those on this machine, then the others if they
// are asked for.
func (s *clientsScreen) listed() []install.Status {
	var here, others []install.Status
	for _, status := range s.all {
		if status.State == clients.Absent {
			others = append(others, status)
		} else {
			here = append(here, status)
		}
	}
	if s.absent {
		return append(here, others...)
	}
	return here
}

// selected returns the selected row.
func (s *clientsScreen) selected() (install.Status, bool) {
	if at := s.list.Selected(); at >= 0 {
		return s.rows()[at], true
	}
	return install.Status{}, false
}

// wanted returns the chosen clients, whether the filter shows them or not, or else the
// selected one.
func (s *clientsScreen) wanted() []install.Status {
	chosen := slices.DeleteFunc(s.listed(), func(c install.Status) bool { return !slices.Contains(s.chosen, c.Client.ID) })
	if selected, ok := s.selected(); ok && len(chosen) == 0 {
		chosen = append(chosen, selected)
	}
	return chosen
}

func (s *clientsScreen) update(msg tea.Msg) (action, tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return s.key(press)
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		s.list.Paste(msg.Content)
	case clientListMsg:
		if msg.id == s.looking {
			s.all, s.known, s.looking = msg.all, true, 0
			s.noteCalls()
		}
	case tickMsg:
		if s.known && s.looking == 0 && s.env.now.Unix()%3 == 0 {
			return nil, s.look()
		}
	case clientsWrittenMsg:
		return nil, s.wrote(msg)
	case placedMsg:
		return s.placed(msg)
	case clientTextMsg:
		if msg.err != nil && msg.text == "" {
			return s.env.complain(msg.err), nil
		}
		return nil, s.env.copy("the text for "+msg.name, msg.text)
	}
	return nil, s.advance(msg)
}

// noteCalls notes which clients have called for the first time.
func (s *clientsScreen) noteCalls() {
	for _, status := range s.all {
		seen, known := s.calls[status.Client.ID]
		if !known {
			seen.none = status.Called.IsZero()
		} else if seen.none && seen.at.IsZero() {
			seen.at = status.Called
		}
		s.calls[status.Client.ID] = seen
	}
}

// called says when a client last called, "" where it has not. first reports that it has
// called once, since the screen was opened.
func (s *clientsScreen) called(status install.Status) (words string, first bool) {
	seen := s.calls[status.Client.ID]
	if seen.none && !seen.at.IsZero() && seen.at.Equal(status.Called) {
		return FirstCallText(status.Client, status.Called, s.env.now), true
	}
	return LastCallText(status.Client, status.Called, s.env.now), false
}

// state says how a client stands, as far as its proof on this screen has not shown that it
// fails.
func (s *clientsScreen) state(status install.Status) Line {
	if job := s.jobs[status.Client.ID]; job != nil && status.State == clients.Configured {
		if _, failed := job.proving.failed(); failed {
			return ProofFailedLine()
		}
	}
	return ClientLine(status.Status, status.Proven, s.env.now)
}

// advance hands a message to the proofs, and goes on with the next client.
func (s *clientsScreen) advance(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for id, job := range s.jobs {
		if job.proving.mended(msg) {
			cmds = append(cmds, s.enqueue(id, job.entry))
		}
		cmd, done := job.proving.update(msg)
		cmds = append(cmds, cmd)
		if done {
			cmds = append(cmds, s.look(), s.proveNext())
		}
	}
	return tea.Batch(cmds...)
}

// enqueue has a client proven once those before it are.
func (s *clientsScreen) enqueue(id, entry string) tea.Cmd {
	job := s.job(id)
	job.entry, job.queued = entry, true
	if job.proving.stage != provingRuns {
		job.proving = proving{}
	}
	if !slices.Contains(s.queue, id) {
		s.queue = append(s.queue, id)
	}
	return s.proveNext()
}

func (s *clientsScreen) job(id string) *clientJob {
	if s.jobs[id] == nil {
		s.jobs[id] = &clientJob{}
	}
	return s.jobs[id]
}

// proveNext proves the next client of the queue, unless one is being proven.
func (s *clientsScreen) proveNext() tea.Cmd {
	for _, job := range s.jobs {
		if job.proving.stage == provingRuns {
			return nil
		}
	}
	if len(s.queue) == 0 {
		return nil
	}
	id := s.queue[0]
	s.queue = s.queue[1:]
	job, port := s.job(id), s.env.ports.Clients
	job.queued = false
	entry, agreed := job.entry, job.agreed
	return job.proving.begin(s.ctx, s.env, func(ctx context.Context, report func(install.ProofStep)) (install.Proof, error) {
		return port.Prove(ctx, id, entry, agreed, report)
	})
}

func (s *clientsScreen) key(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := s.env.keys
	switch {
	case s.list.HandleKey(k.list(), press):
		return nil, nil
	case key.Matches(press, k.esc):
		return back{}, nil
	case key.Matches(press, k.absent) && s.known:
		s.absent = !s.absent
		return nil, nil
	case key.Matches(press, k.options):
		return open{newClientOptions(s)}, nil
	case key.Matches(press, k.serve) && s.servesHere():
		return s.serve()
	}
	selected, ok := s.selected()
	if !ok {
		return nil, nil
	}
	switch {
	case key.Matches(press, k.mark):
		return s.toggle(selected)
	case key.Matches(press, k.enter):
		return s.preview(s.wanted(), false)
	case key.Matches(press, k.takeOut):
		return s.preview(s.wanted(), true)
	case key.Matches(press, k.copy):
		return nil, s.copyText(selected)
	case key.Matches(press, k.test):
		return s.proveWanted()
	case key.Matches(press, k.fix):
		return s.mend()
	}
	return nil, nil
}

// servesHere reports whether this program can serve over HTTP what was chosen. The usual
// profile is served from the list of graphs.
func (s *clientsScreen) servesHere() bool { return s.choice.Profile != "" && s.env.ports.Serve != nil }

func (s *clientsScreen) serve() (action, tea.Cmd) {
	graph := ""
	if len(s.choice.Graphs) > 0 {
		graph = s.choice.Graphs[0]
	}
	return s.env.serving.serveAndShow(s.choice.Profile, graph)
}

// toggle chooses a client, or no longer, and selects the next row.
func (s *clientsScreen) toggle(status install.Status) (action, tea.Cmd) {
	if status.State == clients.Absent {
		return inform(status.Client.Name + " is not on this machine. y copies what it would be told."), nil
	}
	s.chosen.Toggle(status.Client.ID)
	s.list.Next()
	return nil, nil
}

// proveWanted proves what stands in the files of the chosen clients.
func (s *clientsScreen) proveWanted() (action, tea.Cmd) {
	var cmds []tea.Cmd
	for _, status := range s.wanted() {
		if len(status.Ours()) == 0 {
			return inform(status.Client.Name + " is not configured yet, so there is nothing to prove. enter shows what would change."), nil
		}
		s.job(status.Client.ID).written, s.job(status.Client.ID).agreed = "", false
		cmds = append(cmds, s.enqueue(status.Client.ID, ""))
	}
	return nil, tea.Batch(cmds...)
}

// failing returns the client whose failure, or silent graph, the fix key is for: the
// selected one, or else the first that has any.
func (s *clientsScreen) failing() (status install.Status, step install.ProofStep, ok bool) {
	candidates := s.listed()
	if selected, ok := s.selected(); ok {
		candidates = append([]install.Status{selected}, candidates...)
	}
	for _, status := range candidates {
		if job := s.jobs[status.Client.ID]; job != nil {
			if step, ok := job.proving.toMend(); ok && MendLabel(step) != "" {
				return status, step, true
			}
		}
	}
	return install.Status{}, install.ProofStep{}, false
}

func (s *clientsScreen) mend() (action, tea.Cmd) {
	status, step, ok := s.failing()
	switch {
	case !ok:
		return inform("Nothing here has failed that a key could mend."), nil
	case step.Mend == install.MendWriteAnew:
		return s.preview([]install.Status{status}, false)
	case step.Mend == install.MendAgree:
		return open{s.newStartQuestion(status.Client, step)}, nil
	}
	return s.env.mendStep(step)
}

// newStartQuestion asks whether to start what is not this program alone.
func (s *clientsScreen) newStartQuestion(client clients.Client, step install.ProofStep) screen {
	return newQuestion(s.env, question{
		title: "Start it", text: s.env.words.Error(step.Err), safe: "Leave it", other: "Start it",
		confirm: func() (action, tea.Cmd) {
			job := s.job(client.ID)
			job.agreed = true
			return back{}, s.enqueue(client.ID, job.entry)
		},
	})
}

func (s *clientsScreen) keys() []key.Binding {
	k := s.env.keys
	if s.list.Filter.Typing {
		return k.filtering(s.list.Len())
	}
	var out []key.Binding
	selected, ok := s.selected()
	_, step, failing := s.failing()
	if failing {
		out = append(out, kit.Relabel(k.fix, MendLabel(step)))
	}
	if ok {
		ours := len(selected.Ours()) > 0
		if selected.State != clients.Absent {
			enter := kit.Relabel(k.enter, "show changes")
			out = append(out, enter, k.mark)
		}
		if ours {
			out = append(out, kit.Relabel(k.test, "prove"), k.takeOut)
		}
		out = append(out, k.options, kit.Relabel(k.copy, "copy the text"))
	} else {
		out = append(out, k.options)
	}
	if len(s.listed()) > 1 || s.list.Filter.Text != "" {
		out = append(out, k.filter)
	}
	if s.known && s.absent {
		out = append(out, kit.Relabel(k.absent, "those on this machine"))
	} else if s.known {
		out = append(out, k.absent)
	}
	if s.servesHere() {
		out = append(out, kit.Relabel(k.serve, "serve it here"))
	}
	if s.list.Filter.Text != "" {
		return append(out, kit.Relabel(k.esc, "show all"))
	}
	return append(out, k.esc)
}

// parts returns what the menu is told of the clients.
func (s *clientsScreen) parts() menuParts {
	k := s.env.keys
	prove := kit.Relabel(k.test, "prove")
	p := menuParts{
		ofRow: []key.Binding{k.enter, k.mark, k.test, k.takeOut, k.copy},
		later: because("nothing has failed that a key could mend", k.fix),
		moves: true,
	}
	if s.env.ports.Serve != nil {
		p.later = append(p.later, because("the usual profile is served from your graphs", kit.Relabel(k.serve, "serve it here"))...)
	}
	selected, ok := s.selected()
	if !ok {
		reason := "no client is on this machine"
		switch {
		case s.list.Filter.Text != "":
			reason = "no client is listed under this filter"
		case !s.known:
			reason = "they are still looked for"
		}
		p.later = append(p.later, because(reason, kit.Relabel(k.enter, "show changes"), prove, k.takeOut, kit.Relabel(k.copy, "copy the text"))...)
		return p
	}
	p.row = selected.Client.Name
	if selected.State == clients.Absent {
		p.later = append(p.later, because("it is not on this machine", kit.Relabel(k.enter, "show changes"), k.mark)...)
	}
	reason := "it has no roam-mcp yet"
	if !slices.ContainsFunc(s.all, func(c install.Status) bool { return len(c.Ours()) > 0 }) {
		reason = "no client has roam-mcp yet"
	}
	p.later = append(p.later, because(reason, prove, k.takeOut)...)
	return p
}
