package tui

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/clients"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// keptCalls is how many calls the screen keeps. The log has all.
const keptCalls = 500

// serveScreen runs the embedded MCP server over HTTP while it is open, and shows its
// calls.
type serveScreen struct {
	env     *env
	profile string // what is served; "" for the usual one
	graph   string // nickname of the graph that is served alone; "" for every enabled one
	id      int
	ctx     context.Context // of the server
	cancel  context.CancelFunc
	stage   serveStage
	service Service
	err     error
	since   time.Time

	own      []servedCall // calls of this server, the newest last
	calls    []servedCall // these, and what other servers have recorded since
	chosen   callKey      // the zero value stands for the newest
	others   otherServers
	clients  []activity.Client
	counters activity.Counters
	dropped  uint64 // starts and ends of calls that were not received
	paused   bool
}

type serveStage uint8

const (
	serveStarting serveStage = iota
	serveRunning
	serveFailed // did not start, or ended by itself
)

type (
	serviceStartedMsg struct {
		id      int
		service Service
		err     error
	}
	// serviceNewsMsg reports what a running server does.
	serviceNewsMsg struct {
		id         int
		events     []activity.Event
		ended      bool
		clients    []activity.Client
		counters   activity.Counters
		dropped    uint64
		fromListen bool // sent by listen, which is to be called again
	}
)

var (
	_ screen  = (*serveScreen)(nil)
	_ starter = (*serveScreen)(nil)
	_ closer  = (*serveScreen)(nil)
)

func newServeScreen(e *env, profile, graph string) *serveScreen {
	ctx, cancel := context.WithCancel(e.ctx)
	return &serveScreen{env: e, profile: profile, graph: graph, ctx: ctx, cancel: cancel}
}

// openServeScreen starts to serve a profile, "" for the usual one, and one graph alone, ""
// for every enabled one.
func (e *env) openServeScreen(profile, graph string) action {
	if e.ports.Serve == nil {
		return inform("Serving over HTTP is not possible here. " + e.words.World.Command(problem.Run("serve").With("--http")) + " does it.")
	}
	return open{newServeScreen(e, profile, graph)}
}

func (s *serveScreen) title() string { return "Serve" }

func (s *serveScreen) mode() mode {
	m := mode{allowsPanelKeys: true, polls: true}
	if s.stage == serveRunning {
		m.quitWarning = "Agents are served here, and quitting ends that."
	}
	return m
}

func (s *serveScreen) start() tea.Cmd {
	s.id, s.stage, s.err = s.env.nextID(), serveStarting, nil
	id, ctx, serve := s.id, s.ctx, s.env.ports.Serve
	profile, graph := s.profile, s.graph
	return func() tea.Msg {
		service, err := serve(ctx, profile, graph)
		return serviceStartedMsg{id, service, err}
	}
}

// close ends the server. One that is still starting ends with its context.
func (s *serveScreen) close() tea.Cmd {
	s.id = 0
	s.cancel()
	service := s.service
	if service == nil {
		return nil
	}
	return func() tea.Msg { service.Stop(); return nil }
}

// listen returns a command that waits for a call, and reports it with those that have
// come by then.
func (s *serveScreen) listen() tea.Cmd {
	id, service := s.id, s.service
	return func() tea.Msg {
		msg := serviceNewsMsg{id: id, fromListen: true}
		event, open := <-service.Calls()
		for open && len(msg.events) < keptCalls {
			msg.events = append(msg.events, event)
			select {
			case event, open = <-service.Calls():
				continue
			default:
			}
			break
		}
		msg.ended = !open
		return msg.counted(service)
	}
}

// count returns a command that reads the counters: a client that leaves makes no
// call.
func (s *serveScreen) count() tea.Cmd {
	id, service := s.id, s.service
	return func() tea.Msg {
		return serviceNewsMsg{id: id}.counted(service)
	}
}

// counted returns the message with the server's counters.
func (m serviceNewsMsg) counted(service Service) serviceNewsMsg {
	m.clients, m.counters, m.dropped = service.Clients(), service.Counters(), service.Lost()
	return m
}

func (s *serveScreen) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case serviceStartedMsg:
		return nil, s.handleStart(msg)
	case serviceNewsMsg:
		if msg.id == s.id && s.stage == serveRunning {
			return nil, s.handleNews(msg)
		}
	case historyNewsMsg, othersMsg:
		if s.stage == serveRunning {
			return nil, s.handleOthers(msg)
		}
	case tickMsg:
		if s.stage == serveRunning {
			return nil, s.count()
		}
	case tea.KeyPressMsg:
		return s.handleKey(msg)
	}
	return nil, nil
}

func (s *serveScreen) handleStart(msg serviceStartedMsg) tea.Cmd {
	switch {
	case msg.id != s.id:
		return nil
	case msg.err != nil:
		s.stage, s.err = serveFailed, msg.err
		return nil
	}
	s.stage, s.service, s.since = serveRunning, msg.service, s.env.now
	s.own, s.calls, s.chosen = nil, nil, callKey{} // each server counts from one
	s.service.PauseWrites(s.paused)
	return tea.Batch(s.listen(), s.count(), s.watchOthers())
}

func (s *serveScreen) handleNews(msg serviceNewsMsg) tea.Cmd {
	for _, event := range msg.events {
		s.record(event)
	}
	s.list()
	s.clients, s.counters, s.dropped = msg.clients, msg.counters, msg.dropped
	switch {
	case msg.ended:
		s.stage, s.err, s.service = serveFailed, s.service.Err(), nil
		s.others.close()
	case msg.fromListen:
		return s.listen()
	}
	return nil
}

func (s *serveScreen) handleKey(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := s.env.keys
	running := s.stage == serveRunning
	switch {
	case key.Matches(press, k.esc) && running:
		return open{newQuestion(s.env, s.stopQuestion())}, nil
	case key.Matches(press, k.esc):
		return back{}, nil
	case key.Matches(press, k.retry) && s.stage == serveFailed:
		return nil, s.start()
	case key.Matches(press, k.pause) && running:
		s.paused = !s.paused
		s.service.PauseWrites(s.paused) // at once, so that the screen is right
		return nil, nil
	case key.Matches(press, k.connect) && running:
		return open{newHTTPClientsScreen(s.env, s.service, s.profile)}, nil
	case key.Matches(press, k.copy) && running && len(s.calls) == 0:
		return nil, s.env.copy("the command", s.command().Text)
	case key.Matches(press, k.enter) && s.selected() >= 0:
		return s.openCall(s.calls[s.selected()]), nil
	}
	s.move(press)
	return nil, nil
}

// move chooses a call. The last one stands for the newest, whichever that becomes.
func (s *serveScreen) move(press tea.KeyPressMsg) {
	at, ok := s.env.keys.Move(press, s.selected(), 10, len(s.calls))
	if !ok {
		return
	}
	if s.chosen = (callKey{}); at < len(s.calls)-1 {
		s.chosen = s.calls[max(at, 0)].key()
	}
}

func (s *serveScreen) stopQuestion() question {
	text := "Stop serving?\nNo client is connected."
	if n := len(s.clients); n > 0 {
		text = "Stop serving?\n" + kit.Plural(n, "client") + " will find nobody at this address until you serve again."
	}
	return question{
		title: "Stop serving", text: text, safe: "Keep serving", other: "Stop serving",
		confirm: func() (action, tea.Cmd) { return home{}, nil },
	}
}

// command returns the command for a client on this computer.
func (s *serveScreen) command() clients.Snippet {
	return HTTPSnippets(s.service, s.profile, s.env.words)[0]
}

func (s *serveScreen) keys() []key.Binding {
	k := s.env.keys
	switch s.stage {
	case serveStarting:
		return []key.Binding{k.esc}
	case serveFailed:
		return []key.Binding{kit.Relabel(k.retry, "try again"), k.esc}
	case serveRunning:
	}
	pause := kit.Relabel(k.pause, "pause writes")
	if s.paused {
		pause = kit.Relabel(k.pause, "let writes through")
	}
	out := []key.Binding{pause, kit.Relabel(k.connect, "how to connect")}
	if len(s.calls) > 0 {
		what := "what was sent"
		if s.calls[s.selected()].change() != 0 {
			what = "diff"
		}
		out = append(out, k.chooseRow, kit.Relabel(k.enter, what))
	} else {
		out = append(out, k.copy)
	}
	return append(out, kit.Relabel(k.esc, "stop serving"))
}
