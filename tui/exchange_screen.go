package tui

import (
	"context"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

// exchangeScreen runs a token exchange until its token is saved.
type exchangeScreen struct {
	env     *env
	id      int
	request exchange.Request
	// target is the configured entry that gets a new token; for a new graph, one with
	// name, type and nickname alone.
	target  configstore.Entry
	ctx     context.Context
	cancel  context.CancelFunc
	session Exchange
	machine exchange.Machine // its State is zero until the exchange starts
	// storeErr is why the token could not be saved, so that nobody was asked.
	storeErr error
	save     saving
	// leaveUnsaved leaves with a granted token unsaved, as the person has confirmed.
	leaveUnsaved func() (action, tea.Cmd)
}

var (
	_ screen      = (*exchangeScreen)(nil)
	_ starter     = (*exchangeScreen)(nil)
	_ closer      = (*exchangeScreen)(nil)
	_ tokenHolder = (*exchangeScreen)(nil)
)

// Messages of an exchange. Those with the id of another one are late, and dropped.
type (
	exchangeStartedMsg struct {
		id      int
		session Exchange
		err     error
	}
	exchangeUpdateMsg struct {
		id      int
		machine exchange.Machine
		open    bool
	}
	// exchangeClosedMsg reports the end of an exchange that was left.
	exchangeClosedMsg struct {
		screen  *exchangeScreen
		machine exchange.Machine
	}
)

func newExchangeScreen(e *env, request exchange.Request, target configstore.Entry) *exchangeScreen {
	ctx, cancel := context.WithCancel(e.ctx)
	return &exchangeScreen{
		env: e, id: e.nextID(), request: request, target: target, ctx: ctx, cancel: cancel,
		leaveUnsaved: func() (action, tea.Cmd) { return home{}, nil },
	}
}

// unsaved implements tokenHolder.
func (s *exchangeScreen) unsaved() (configstore.Entry, bool) { return s.save.entry, s.save.unsaved() }

// endExchange implements tokenHolder.
func (s *exchangeScreen) endExchange() {
	if s.session != nil {
		s.setMachine(s.session.Close()) // not saved: there is no time left
	}
}

// start checks that a token could be saved, then asks for one.
func (s *exchangeScreen) start() tea.Cmd {
	s.storeErr = nil
	id, ctx, ports, request := s.id, s.ctx, s.env.ports, s.request
	return func() tea.Msg {
		if err := ports.Store.CheckWritable(ctx); err != nil {
			return exchangeStartedMsg{id: id, err: err}
		}
		return exchangeStartedMsg{id: id, session: ports.Exchange(ctx, request)}
	}
}

// close ends the exchange. Roam drops a request that is open.
func (s *exchangeScreen) close() tea.Cmd {
	s.cancel()
	session := s.session
	if session == nil {
		return nil
	}
	return s.env.trackWrite(func() tea.Msg { return exchangeClosedMsg{s, session.Close()} })
}

func (s *exchangeScreen) nextUpdate() tea.Cmd {
	id, updates := s.id, s.session.Updates()
	return func() tea.Msg {
		machine, open := <-updates
		return exchangeUpdateMsg{id, machine, open}
	}
}

func (s *exchangeScreen) send(event exchange.Event) tea.Cmd {
	session := s.session
	if session == nil {
		return nil
	}
	return func() tea.Msg {
		session.Send(event)
		return nil
	}
}

func (s *exchangeScreen) title() string {
	if !s.target.Token.IsZero() {
		return "Re-authorize " + s.env.Glyphs.Cut(s.target.Nickname, 30)
	}
	return "Connect " + s.env.Glyphs.Cut(s.target.Name, 36)
}

func (s *exchangeScreen) mode() mode {
	m := mode{allowsPanelKeys: true}
	switch {
	case s.save.unsaved():
		m.quitWarning = "The token is not saved yet, and Roam shows it only once."
	case s.machine.State == exchange.Waiting, s.machine.State == exchange.Busy:
		m.quitWarning = "Roam is being asked; quitting drops that."
	}
	return m
}

func (s *exchangeScreen) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case exchangeStartedMsg:
		if msg.id != s.id {
			return nil, nil
		}
		if msg.err != nil {
			s.storeErr = msg.err
			return nil, nil
		}
		s.session = msg.session
		return nil, s.nextUpdate()
	case exchangeUpdateMsg:
		if msg.id != s.id || !msg.open {
			return nil, nil
		}
		return nil, tea.Batch(s.nextUpdate(), s.setMachine(msg.machine))
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	return nil, s.save.update(msg)
}

// setMachine takes the newest state, and saves the token once it is granted.
func (s *exchangeScreen) setMachine(machine exchange.Machine) tea.Cmd {
	granted := machine.State == exchange.Granted && s.machine.State != exchange.Granted
	s.machine = machine
	if !granted {
		return nil
	}
	return s.save.begin(s.env, s.grantedEntry())
}

// grantedEntry returns the entry to save, with the level that Roam granted. A graph
// that is configured keeps its nickname, and whether it is disabled.
func (s *exchangeScreen) grantedEntry() configstore.Entry {
	entry, grant := s.target, s.machine.Grant
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

// lowerLevel returns the level below the one asked for, or "".
func (s *exchangeScreen) lowerLevel() localapi.AccessLevel {
	levels := localapi.RequestableLevels()
	if i := slices.Index(levels, s.machine.Request.AccessLevel); i >= 0 && i+1 < len(levels) {
		return levels[i+1]
	}
	return ""
}

func (s *exchangeScreen) key(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := s.env.keys
	if key.Matches(press, k.esc) {
		return s.leave()
	}
	if !key.Matches(press, s.keys()...) {
		return nil, nil // not offered
	}
	if s.storeErr != nil {
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
	case exchange.Locating, exchange.Verifying, exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
	}
	switch {
	case key.Matches(press, k.askAgain):
		return nil, s.send(exchange.AskAgain{AccessLevel: s.machine.Request.AccessLevel})
	case key.Matches(press, k.askForLess):
		return nil, s.send(exchange.AskAgain{AccessLevel: s.lowerLevel()})
	case key.Matches(press, k.enterToken):
		return open{newTokenForm(s.env, s.target.Name, func(t localapi.Token) tea.Cmd { return s.send(exchange.UseToken{Token: t}) })}, nil
	case key.Matches(press, k.copy):
		return nil, s.env.copy("the details", s.details())
	}
	return nil, nil
}

// leave handles esc. It cancels an open request, which stays on the screen; otherwise
// it goes back, and asks first if a token would be lost.
func (s *exchangeScreen) leave() (action, tea.Cmd) {
	switch {
	case s.save.unsaved():
		return open{newQuestion(s.env, question{
			title: "The token is not saved",
			text:  "Leave without saving the token of " + s.target.Name + "?\nRoam shows a token only once: this one would be lost, and would stay valid in Roam until you revoke it there.",
			safe:  "Stay", other: "Leave and lose it",
			confirm: s.leaveUnsaved,
		})}, nil
	case s.machine.State == exchange.Waiting, s.machine.State == exchange.Busy, s.machine.State == exchange.Verifying:
		return nil, s.send(exchange.Cancel{})
	}
	return back{}, nil
}

// keys returns the bindings of the present state.
func (s *exchangeScreen) keys() []key.Binding {
	k := s.env.keys
	if s.storeErr != nil {
		return []key.Binding{kit.Relabel(k.retry, "try again"), k.esc}
	}
	openRoam := kit.Relabel(k.open, "open Roam")
	if s.machine.State == exchange.Waiting {
		openRoam = kit.Relabel(k.open, "bring Roam to the front")
	}
	var out []key.Binding
	canOpen := s.env.ports.OpenRoam != nil && !s.env.options.Sandbox
	again := func(words string) key.Binding { return kit.Relabel(k.askAgain, words) }
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
		if lower := s.lowerLevel(); lower != "" {
			out = append(out, kit.Relabel(k.askForLess, "ask for less ("+lower.Words()+")"))
		}
		out = append(out, k.enterToken)
	case exchange.Blocked, exchange.TimedOut, exchange.Cancelled:
		out = append(out, again("ask again"), k.enterToken)
	case exchange.Failed:
		out = append(out, again("ask again"), k.enterToken, kit.Relabel(k.copy, "copy details"))
	case exchange.Locating, exchange.Verifying:
	}
	if s.machine.State == exchange.Locating || s.machine.State == exchange.Verifying || s.machine.State == exchange.Busy {
		return append(out, kit.Relabel(k.esc, "cancel"))
	}
	return append(out, k.esc)
}
