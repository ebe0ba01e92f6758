package tui

import (
	"context"
	"slices"
	"strings"
	"time"

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
