package tui

import (
	"context"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// exchangeScreen runs a token exchange until its token is saved.
type exchangeScreen struct {
	env           *env
	id            int
	authorization manage.Authorization
	ctx           context.Context
	cancel        context.CancelFunc
	session       manage.Exchange
	machine       exchange.Machine // its State is zero until the exchange starts
	// storeErr is why the token could not be saved, so that nobody was asked.
	storeErr error
	save     saving
	// stays is set if a saved token leads to no other screen.
	stays bool
	// details has what a helper would ask for shown, of a failure.
	details bool
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
		session manage.Exchange
		err     error
	}
	exchangeUpdateMsg struct {
		id      int
		machine exchange.Machine
		open    bool
	}
	// unblockedMsg reports that the sandbox was told to ask about a graph again.
	unblockedMsg struct {
		id  int
		err error
	}
	// exchangeClosedMsg reports the end of an exchange that was left.
	exchangeClosedMsg struct {
		screen  *exchangeScreen
		machine exchange.Machine
	}
)

func newExchangeScreen(e *env, authorization manage.Authorization) *exchangeScreen {
	ctx, cancel := context.WithCancel(e.ctx)
	return &exchangeScreen{
		env: e, id: e.nextID(), authorization: authorization, ctx: ctx, cancel: cancel,
		leaveUnsaved: func() (action, tea.Cmd) { return home{}, nil },
	}
}

// unsaved implements tokenHolder.
func (s *exchangeScreen) unsaved() bool { return s.save.unsaved() }

// finish implements tokenHolder.
func (s *exchangeScreen) finish(ctx context.Context) error {
	if s.session != nil && s.machine.State != exchange.Granted {
		s.machine = s.session.Close()
	}
	if s.machine.State != exchange.Granted || s.save.kept != nil && !s.save.unsaved() {
		return nil
	}
	// A save that is under way may not come to its end: once more is no harm.
	kept := s.env.ports.Graphs.Keep(ctx, s.authorization, s.machine.Grant)
	s.save = saving{kept: &kept}
	return kept.Err
}

// start checks that a token could be saved, then asks for one.
func (s *exchangeScreen) start() tea.Cmd {
	s.storeErr = nil
	id, ctx, graphs, request := s.id, s.ctx, s.env.ports.Graphs, s.authorization.Request
	return func() tea.Msg {
		if err := graphs.CheckWritable(ctx); err != nil {
			return exchangeStartedMsg{id: id, err: err}
		}
		return exchangeStartedMsg{id: id, session: graphs.Exchange(ctx, request)}
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
	if !s.authorization.Entry.Token.IsZero() {
		return "Re-authorize " + s.env.Glyphs.Cut(s.authorization.Entry.Nickname, 30)
	}
	return "Connect " + s.env.Glyphs.Cut(s.authorization.Entry.Name, 36)
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
	case unblockedMsg:
		switch {
		case msg.id != s.id:
		case msg.err != nil:
			return s.env.complain(msg.err), nil
		default:
			return nil, s.send(exchange.AskAgain{AccessLevel: s.machine.Request.AccessLevel})
		}
		return nil, nil
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	saved := s.save.saved()
	s.save.update(msg)
	switch {
	case saved || !s.save.saved():
	case s.stays:
		return nil, s.env.roam.askAboutTexts(s.save.kept.Entry)
	default:
		return replace{newConnectedScreen(s)}, nil
	}
	return nil, nil
}

// setMachine takes the newest state, and saves the token once it is granted.
func (s *exchangeScreen) setMachine(machine exchange.Machine) tea.Cmd {
	granted := machine.State == exchange.Granted && s.machine.State != exchange.Granted
	s.machine = machine
	if !granted {
		return nil
	}
	return s.save.begin(s.env, func(ctx context.Context, graphs *manage.Manager) manage.Kept {
		return graphs.Keep(ctx, s.authorization, machine.Grant)
	})
}

func (s *exchangeScreen) key(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := s.env.keys
	if key.Matches(press, k.esc) {
		return s.leave()
	}
	if s.storeErr != nil {
		if key.Matches(press, k.retry) {
			return nil, s.start()
		}
		return nil, nil
	}
	switch {
	case s.machine.State == exchange.Granted:
		// The only key that is offered besides esc.
		if slices.ContainsFunc(s.save.keys(s.env), func(b key.Binding) bool { return key.Matches(press, b) }) {
			return nil, s.save.retry(s.env)
		}
	case s.unblocks() && key.Matches(press, k.unblock):
		return nil, s.unblock()
	case s.machine.State == exchange.Failed && key.Matches(press, k.about):
		s.details = !s.details
		return nil, nil
	case s.machine.State == exchange.Failed && key.Matches(press, k.copy):
		return nil, s.env.copy("the details", strings.Join(s.status().Details, "\n"))
	}
	for _, event := range s.offers() {
		if !key.Matches(press, s.binding(event)) {
			continue
		}
		if _, byHand := event.(exchange.UseToken); !byHand {
			return nil, s.send(event)
		}
		return open{newTokenForm(s.env, s.authorization.Entry.Name, func(t localapi.Token) tea.Cmd { return s.send(exchange.UseToken{Token: t}) })}, nil
	}
	return nil, nil
}

// unblocks reports whether the graph is blocked by the sandbox that this program hosts.
func (s *exchangeScreen) unblocks() bool {
	return s.machine.State == exchange.Blocked && s.env.ports.Desk != nil
}

func (s *exchangeScreen) unblock() tea.Cmd {
	id, desk, graph := s.id, s.env.ports.Desk, s.machine.Request.Graph
	return func() tea.Msg { return unblockedMsg{id, desk.Unblock(graph)} }
}

// offers returns what a person can send by a key of its own.
func (s *exchangeScreen) offers() []exchange.Event {
	return slices.DeleteFunc(s.machine.Offers(), func(event exchange.Event) bool {
		_, opens := event.(exchange.OpenRoam)
		return event == exchange.Cancel{} || opens && (s.env.ports.OpenRoam == nil || s.env.options.Sandbox)
	})
}

// binding returns the key that sends an event.
func (s *exchangeScreen) binding(event exchange.Event) key.Binding {
	k := s.env.keys
	switch event := event.(type) {
	case exchange.OpenRoam:
		switch s.machine.State {
		case exchange.Waiting:
			return kit.Relabel(k.open, "bring Roam to the front")
		case exchange.Blocked:
			return kit.Relabel(k.open, "open it in Roam")
		case exchange.Locating, exchange.Unreachable, exchange.Disabled, exchange.Busy, exchange.Verifying, exchange.Granted,
			exchange.Rejected, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
		}
		return kit.Relabel(k.open, "open Roam")
	case exchange.AskAgain:
		if event.AccessLevel != s.machine.Request.AccessLevel {
			return kit.Relabel(k.askForLess, "ask for less ("+event.AccessLevel.Words()+")")
		}
		return kit.Relabel(k.askAgain, "ask again")
	case exchange.UseToken:
		return k.enterToken
	}
	return k.retry
}

// leave handles esc. It cancels an open request, which stays on the screen; otherwise
// it goes back, and asks first if a token would be lost.
func (s *exchangeScreen) leave() (action, tea.Cmd) {
	switch {
	case s.save.unsaved():
		return open{newQuestion(s.env, question{
			title: "The token is not saved",
			text:  "Leave without saving the token of " + s.authorization.Entry.Name + "?\nRoam shows a token only once: this one would be lost, and would stay valid in Roam until you revoke it there.",
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
	if s.machine.State == exchange.Granted {
		return s.save.keys(s.env)
	}
	var out []key.Binding
	if s.unblocks() {
		out = append(out, k.unblock)
	}
	for _, event := range s.offers() {
		out = append(out, s.binding(event))
	}
	switch s.machine.State {
	case exchange.Failed:
		about := k.about
		if s.details {
			about = kit.Relabel(about, "hide the details")
		}
		out = append(out, about, kit.Relabel(k.copy, "copy details"))
	case exchange.Locating, exchange.Waiting, exchange.Busy, exchange.Verifying:
		return append(out, kit.Relabel(k.esc, "cancel"))
	case exchange.Unreachable, exchange.Disabled, exchange.Granted, exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Cancelled:
	}
	return append(out, k.esc)
}
