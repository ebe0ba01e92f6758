package tui

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/tui/kit"
)

// keptCalls is how many calls of a server are kept here, and how many are listed.
const keptCalls = 500

// serving is the embedded MCP server, which serves over HTTP whatever screen is shown. The
// root tells it of its messages.
type serving struct {
	env     *env
	request ServeRequest // that it was started with
	id      int          // of the run
	cancel  context.CancelFunc
	stage   servingStage
	service Service
	err     error // why the last run ended by itself, or did not start
	since   time.Time

	own      []ownCall // of all runs, the newest last
	clients  []activity.Client
	counters activity.Counters
	dropped  uint64 // starts and ends of calls that were not received
	paused   bool
}

type servingStage uint8

const (
	notServing servingStage = iota
	servingStarts
	servingRuns
)

// ownCall is a call of a server that this program runs or has run, with what was sent and
// what came back.
type ownCall struct {
	server string // ID, as in the log of all servers
	start  activity.Event
	end    activity.Event // end.Ended is false while the call runs
}

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

// serve starts to serve, in place of a server that runs.
func (s *serving) serve(request ServeRequest) tea.Cmd {
	stop := s.stop()
	ctx, cancel := context.WithCancel(s.env.ctx)
	s.request, s.id, s.cancel, s.stage, s.err = request, s.env.nextID(), cancel, servingStarts, nil
	id, serve := s.id, s.env.ports.Serve
	return func() tea.Msg {
		if stop != nil {
			stop() // its port is free then
		}
		service, err := serve(ctx, request)
		return serviceStartedMsg{id, service, err}
	}
}

// stop ends the server. One that is still starting ends with its context. It returns nil
// where there is none.
func (s *serving) stop() tea.Cmd {
	if s.stage == notServing {
		return nil
	}
	service := s.service
	s.end()
	if service == nil {
		return func() tea.Msg { return nil }
	}
	return func() tea.Msg { service.Stop(); return nil }
}

// end forgets the run. The calls that were made in it stay.
func (s *serving) end() {
	s.cancel()
	s.id, s.stage, s.service, s.clients, s.counters, s.dropped, s.paused = 0, notServing, nil, nil, activity.Counters{}, 0, false
}

// pause refuses writes, or lets them through again, at once.
func (s *serving) pause() {
	s.paused = !s.paused
	s.service.PauseWrites(s.paused)
}

// listen returns a command that waits for a call, and reports it with those that have
// come by then.
func (s *serving) listen() tea.Cmd {
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

// count returns a command that reads the counters: a client that leaves makes no call. It
// is nil where nothing is served.
func (s *serving) count() tea.Cmd {
	if s.stage != servingRuns {
		return nil
	}
	id, service := s.id, s.service
	return func() tea.Msg { return serviceNewsMsg{id: id}.counted(service) }
}

// counted returns the message with the server's counters.
func (m serviceNewsMsg) counted(service Service) serviceNewsMsg {
	m.clients, m.counters, m.dropped = service.Clients(), service.Counters(), service.Lost()
	return m
}

// started takes the start of the server, or its failure. It reports whether that is of the
// last run that was asked for.
func (s *serving) started(msg serviceStartedMsg) (current bool, cmd tea.Cmd) {
	switch {
	case msg.id != s.id && msg.service != nil: // stopped meanwhile
		return false, func() tea.Msg { msg.service.Stop(); return nil }
	case msg.id != s.id:
		return false, nil
	case msg.err != nil:
		s.stage, s.err = notServing, msg.err
		return true, nil
	}
	s.stage, s.service, s.since = servingRuns, msg.service, s.env.now
	return true, tea.Batch(s.listen(), s.count())
}

// news takes what the server tells. ended reports whether it has ended by itself.
func (s *serving) news(msg serviceNewsMsg) (ended bool, cmd tea.Cmd) {
	if msg.id != s.id || s.stage != servingRuns {
		return false, nil
	}
	for _, event := range msg.events {
		s.record(event)
	}
	s.clients, s.counters, s.dropped = msg.clients, msg.counters, msg.dropped
	switch {
	case msg.ended:
		err := s.service.Err()
		s.end()
		if s.err = err; err == nil {
			s.err = &problem.Error{Message: "The server has ended."}
		}
		return true, nil
	case msg.fromListen:
		return false, s.listen()
	}
	return false, nil
}

// record takes the start or the end of a call. Where events were dropped, an end may come
// without its start.
func (s *serving) record(event activity.Event) {
	server := s.service.ServerID()
	i := slices.IndexFunc(s.own, func(c ownCall) bool { return c.server == server && c.start.Call == event.Call })
	if i < 0 {
		s.own = append(s.own, ownCall{server: server, start: event})
		i = len(s.own) - 1
		if extra := len(s.own) - keptCalls; extra > 0 {
			s.own = append(s.own[:0], s.own[extra:]...)
			i -= extra
		}
	}
	if event.Ended {
		s.own[i].end = event
	}
}

// shared returns the call as the log of all servers has it.
func (c ownCall) shared() activity.LoggedCall {
	call := activity.LoggedCall{
		Server: c.server, Number: c.start.Call, At: c.start.At, Client: c.start.Client, Graph: c.start.Graph, Tool: c.start.Tool, Writes: c.start.Writes,
		Ended: c.end.Ended, Took: c.end.Took, Outcome: c.end.Outcome, Bytes: c.end.Bytes, Change: c.end.Change, Page: c.end.Page,
	}
	if c.start.Ended { // the start was dropped
		call.At = c.start.At.Add(-c.start.Took)
	}
	if c.end.Ended && c.end.Outcome != activity.OutcomeOK {
		call.Sentence = activity.SentenceOf(c.end.Outcome)
	}
	return call
}

// quitWarning says what quitting would end, where clients are connected.
func (s *serving) quitWarning() string {
	if s.stage != servingRuns || len(s.clients) == 0 {
		return ""
	}
	return "Agents are served here, and quitting ends that."
}

// port returns how the address is written in short: ":3939".
func (s *serving) port() string {
	if at, err := url.Parse(s.service.URL()); err == nil && at.Port() != "" {
		return ":" + at.Port()
	}
	return s.service.URL()
}

// servesNothing reports whether no enabled graph is there for agents.
func (s *serving) servesNothing() bool {
	return s.env.roster.ConfigKnown && s.env.roster.ConfigErr == nil && len(s.env.roster.Config.Enabled()) == 0
}

// needsLook reports whether the server has failed, lets no writes through or has nothing to
// serve.
func (s *serving) needsLook() bool {
	return s.err != nil || s.stage == servingRuns && (s.paused || s.servesNothing())
}

// shortChips are chip in fewer words, and in fewer still.
func (s *serving) shortChips() []string {
	t, g := s.env.Theme, s.env.Glyphs
	switch {
	case s.stage != servingRuns:
		return []string{s.chip()}
	case s.paused:
		return []string{t.Warning.Render(g.Warning + " writes paused")}
	case s.servesNothing():
		return []string{t.Warning.Render(g.Warning) + t.Text.Render(" serving ") + t.Warning.Render("no graph")}
	}
	short := t.Success.Render(g.On) + t.Text.Render(" serving "+s.port())
	return []string{short + t.Muted.Render(" "+g.Dot+" writes on"), short}
}

// chip returns what the header says of the server, such as "serving :3939 · 2 clients ·
// writes on"; "" while there is none.
func (s *serving) chip() string {
	t, g := s.env.Theme, s.env.Glyphs
	dot := t.Muted.Render(" " + g.Dot + " ")
	switch s.stage {
	case notServing:
		return ""
	case servingStarts:
		return t.Accent.Render(s.env.spinner()) + t.Muted.Render(" starting to serve")
	case servingRuns:
	}
	glyph, tail := t.Success.Render(g.On), t.Muted.Render("writes on")
	switch {
	case s.paused:
		glyph, tail = t.Warning.Render(g.Warning), t.Warning.Render("writes paused")
	case s.servesNothing():
		glyph, tail = t.Warning.Render(g.Warning), t.Warning.Render("no graph")
	}
	return glyph + t.Text.Render(" serving "+s.port()) + dot + t.Muted.Render(kit.Plural(len(s.clients), "client")) + dot + tail
}

// stopQuestion is asked before a server with clients ends.
func (s *serving) stopQuestion(confirm func() (action, tea.Cmd)) question {
	return question{
		title: "Stop serving", safe: "Keep serving", other: "Stop serving", confirm: confirm,
		text: fmt.Sprintf("Stop serving?\n%s will find nobody at this address until you serve again.", kit.Plural(len(s.clients), "client")),
	}
}
