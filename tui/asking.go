package tui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

// asking is an exchange as it happens, until its token is saved.
type asking struct {
	env     *env
	id      int
	request exchange.Request
	// former is the entry that is re-authorized; for a new graph it holds name,
	// type and nickname alone.
	former  configstore.Entry
	ctx     context.Context
	cancel  context.CancelFunc
	session Exchange
	machine exchange.Machine // State is zero until the exchange has begun
	// unwritable says why nobody was asked: the token could not be kept.
	unwritable error
	save       saving
	// lose leaves although a granted token is not saved; a person has said so.
	lose func() (action, tea.Cmd)
}

var (
	_ screen      = (*asking)(nil)
	_ starter     = (*asking)(nil)
	_ closer      = (*asking)(nil)
	_ tokenHolder = (*asking)(nil)
)

// The messages of an exchange carry its number: a late answer of one that was
// left is dropped.
type (
	begunMsg struct {
		id      int
		session Exchange
		err     error
	}
	machineMsg struct {
		id      int
		machine exchange.Machine
		open    bool
	}
	// closedMsg is the last word of an exchange that was left.
	closedMsg struct {
		asking  *asking
		machine exchange.Machine
	}
)

func newAsking(e *env, request exchange.Request, former configstore.Entry) *asking {
	ctx, cancel := context.WithCancel(e.ctx)
	return &asking{
		env: e, id: e.nextID(), request: request, former: former, ctx: ctx, cancel: cancel,
		lose: func() (action, tea.Cmd) { return home{}, nil },
	}
}

// unsaved implements tokenHolder.
func (s *asking) unsaved() (configstore.Entry, bool) { return s.save.entry, s.save.unsaved() }

// lastWord implements tokenHolder.
func (s *asking) lastWord() {
	if s.session != nil {
		s.entered(s.session.Close()) // no time is left to save it: it counts as unsaved
	}
}

// start makes sure that a token could be saved, and only then asks for one.
func (s *asking) start() tea.Cmd {
	s.unwritable = nil
	id, ctx, ports, request := s.id, s.ctx, s.env.ports, s.request
	return func() tea.Msg {
		if err := ports.Store.CheckWritable(ctx); err != nil {
			return begunMsg{id: id, err: err}
		}
		return begunMsg{id: id, session: ports.Exchange(ctx, request)}
	}
}

// close ends the exchange: a request that is open in Roam is dropped.
func (s *asking) close() tea.Cmd {
	s.cancel()
	session := s.session
	if session == nil {
		return nil
	}
	return s.env.writes(func() tea.Msg { return closedMsg{s, session.Close()} })
}

func (s *asking) next() tea.Cmd {
	id, updates := s.id, s.session.Updates()
	return func() tea.Msg {
		machine, open := <-updates
		return machineMsg{id, machine, open}
	}
}

func (s *asking) send(event exchange.Event) tea.Cmd {
	session := s.session
	if session == nil {
		return nil
	}
	return func() tea.Msg {
		session.Send(event)
		return nil
	}
}

func (s *asking) title() string {
	if !s.former.Token.IsZero() {
		return "Re-authorize " + s.env.Glyphs.Cut(s.former.Nickname, 30)
	}
	return "Connect " + s.env.Glyphs.Cut(s.former.Name, 36)
}

func (s *asking) mode() mode {
	m := mode{lendsKeys: true}
	switch {
	case s.save.unsaved():
		m.busy = "The token is not saved yet, and Roam shows it only once."
	case s.machine.State == exchange.Waiting, s.machine.State == exchange.Busy:
		m.busy = "Roam is being asked; quitting drops that."
	}
	return m
}

func (s *asking) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case begunMsg:
		if msg.id != s.id {
			return nil, nil
		}
		if msg.err != nil {
			s.unwritable = msg.err
			return nil, nil
		}
		s.session = msg.session
		return nil, s.next()
	case machineMsg:
		if msg.id != s.id || !msg.open {
			return nil, nil
		}
		return nil, tea.Batch(s.next(), s.entered(msg.machine))
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	return nil, s.save.update(msg)
}

// entered takes the newest machine, and saves the token once there is one.
func (s *asking) entered(machine exchange.Machine) tea.Cmd {
	granted := machine.State == exchange.Granted && s.machine.State != exchange.Granted
	s.machine = machine
	if !granted {
		return nil
	}
	return s.save.begin(s.env, s.granted())
}

// granted is the entry to save: what Roam granted, not what was asked. A graph
// that is re-authorized keeps its nickname, and whether it is disabled.
func (s *asking) granted() configstore.Entry {
	entry, grant := s.former, s.machine.Grant
	if current, ok := s.env.config.FindGraph(grant.Graph); ok {
		entry = current
	}
	entry.Name, entry.Type = grant.Graph.Name, grant.Graph.Type
	entry.Token, entry.LastKnownTokenStatus = grant.Token, localapi.TokenActive
	entry.AccessLevel = ""
	if grant.AccessLevel.Known() {
		entry.AccessLevel = grant.AccessLevel
	}
	return entry
}

// lower is the level below the one asked for; empty where there is none.
func (s *asking) lower() localapi.AccessLevel {
	levels := localapi.RequestableLevels()
	for i, level := range levels[:len(levels)-1] {
		if level == s.machine.Request.AccessLevel {
			return levels[i+1]
		}
	}
	return ""
}

func (s *asking) key(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := s.env.keys
	if key.Matches(press, k.esc) {
		return s.leave()
	}
	// What is not offered does nothing.
	offered := false
	for _, b := range s.keys() {
		offered = offered || key.Matches(press, b)
	}
	if !offered {
		return nil, nil
	}
	if s.unwritable != nil {
		return nil, s.start()
	}
	switch s.machine.State {
	case exchange.Granted:
		return s.save.key(s.env, press)
	case exchange.Unreachable, exchange.Disabled, exchange.Waiting, exchange.Busy:
		if key.Matches(press, k.open) {
			return nil, s.send(exchange.OpenRoam{})
		}
		return nil, s.send(exchange.Retry{})
	}
	switch {
	case key.Matches(press, k.again):
		return nil, s.send(exchange.AskAgain{AccessLevel: s.machine.Request.AccessLevel})
	case key.Matches(press, k.less):
		return nil, s.send(exchange.AskAgain{AccessLevel: s.lower()})
	case key.Matches(press, k.byHand):
		return open{newByHand(s.env, s.former.Name, func(t localapi.Token) tea.Cmd { return s.send(exchange.UseToken{Token: t}) })}, nil
	case key.Matches(press, k.copy):
		return nil, s.env.copy("the details", s.details())
	}
	return nil, nil
}

// leave is esc: it drops a request that is open and stays to say so; from
// anything else it goes back, and asks first where a token would be lost.
func (s *asking) leave() (action, tea.Cmd) {
	switch {
	case s.save.unsaved():
		return open{newQuestion(s.env, question{
			title: "The token is not saved",
			text:  "Leave without saving the token of " + s.former.Name + "?\nRoam shows a token only once: this one would be lost, and would stay valid in Roam until you revoke it there.",
			safe:  "Stay", other: "Leave and lose it",
			then: s.lose,
		})}, nil
	case s.machine.State == exchange.Waiting, s.machine.State == exchange.Busy, s.machine.State == exchange.Verifying:
		return nil, s.send(exchange.Cancel{})
	}
	return back{}, nil
}

// keys are the bindings of the present state: a switch over all of them.
func (s *asking) keys() []key.Binding {
	k := s.env.keys
	if s.unwritable != nil {
		return []key.Binding{kit.Relabel(k.retry, "try again"), k.esc}
	}
	openRoam := kit.Relabel(k.open, "open Roam")
	if s.machine.State == exchange.Waiting {
		openRoam = kit.Relabel(k.open, "bring Roam to the front")
	}
	var out []key.Binding
	canOpen := s.env.ports.OpenRoam != nil && !s.env.options.Sandbox
	again := func(words string) key.Binding { return kit.Relabel(k.again, words) }
	switch s.machine.State {
	case exchange.Unreachable, exchange.Disabled, exchange.Busy:
		out = append(out, k.retry)
		if canOpen {
			out = append(out, openRoam)
		}
	case exchange.Waiting:
		if canOpen {
			out = append(out, openRoam)
		}
		return append(out, kit.Relabel(k.esc, "cancel"))
	case exchange.Granted:
		return s.save.keys(s.env)
	case exchange.Rejected:
		out = append(out, again("ask again"))
		if lower := s.lower(); lower != "" {
			out = append(out, kit.Relabel(k.less, "ask for less ("+lower.Words()+")"))
		}
		out = append(out, k.byHand)
	case exchange.Blocked, exchange.TimedOut, exchange.Cancelled:
		out = append(out, again("ask again"), k.byHand)
	case exchange.Failed:
		out = append(out, again("ask again"), k.byHand, kit.Relabel(k.copy, "copy details"))
	}
	if s.machine.State == exchange.Locating || s.machine.State == exchange.Verifying || s.machine.State == exchange.Busy {
		return append(out, kit.Relabel(k.esc, "cancel"))
	}
	return append(out, k.esc)
}
