package exchange

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// probeTimeout limits one look for Roam.
const probeTimeout = 5 * time.Second

// lastWordTime limits how long a request that was closed may take to say so.
const lastWordTime = time.Second

// Roam is the part of the Local API that an exchange needs.
type Roam interface {
	localapi.Lister
	RequestToken(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error)
	VerifyToken(context.Context, localapi.Graph, localapi.Token) (localapi.AccessLevel, error)
}

var _ Roam = (*localapi.Client)(nil)

// Opener opens Roam, or brings a graph's window to the front.
type Opener func(context.Context, localapi.Graph) error

// Session is a running exchange. The caller must close it.
type Session struct {
	roam    Roam
	open    Opener
	cancel  context.CancelFunc
	done    chan struct{}
	events  chan Event
	results chan result
	updates chan Machine // holds the newest machine that nobody has seen yet
	newest  Machine      // of the loop; after it, the one the session ended with
	observe func(Machine)

	abort   context.CancelFunc // stops the effect under way
	effect  int                // number of the effect under way
	pending bool               // its answer has not come yet
}

type result struct {
	effect int
	event  Event
}

// Start begins an exchange. It ends with ctx, or with Close. open may be nil.
func Start(ctx context.Context, roam Roam, open Opener, request Request, policy Policy) *Session {
	return launch(ctx, roam, open, request, policy, func(Machine) {})
}

func launch(ctx context.Context, roam Roam, open Opener, request Request, policy Policy, observe func(Machine)) *Session {
	ctx, cancel := context.WithCancel(ctx)
	s := &Session{
		roam: roam, open: open, cancel: cancel,
		done: make(chan struct{}), events: make(chan Event), results: make(chan result),
		updates: make(chan Machine, 1), observe: observe, abort: func() {},
	}
	go s.loop(ctx, request, policy)
	return s
}

// Updates gives the newest machine after each change; steps between two
// receives may be skipped, the last one never is. It is closed when the session
// has ended.
func (s *Session) Updates() <-chan Machine { return s.updates }

// Send hands a person's event to the session. It does nothing once the session
// has ended.
func (s *Session) Send(event Event) {
	select {
	case s.events <- event:
	case <-s.done:
	}
}

// Close ends the session: a request that is open is aborted. It returns when
// that is done, with the machine that the session ended with: a person may have
// granted the request in that very moment.
func (s *Session) Close() Machine {
	s.cancel()
	<-s.done
	return s.newest
}

func (s *Session) loop(ctx context.Context, request Request, policy Policy) {
	defer close(s.updates)
	defer close(s.done)
	defer func() { s.abort() }()
	machine, effects := Begin(time.Now(), request, policy)
	for {
		s.perform(ctx, machine, effects)
		s.publish(machine)
		event, ok := s.nextEvent(ctx, machine)
		if !ok {
			s.lastWord(machine)
			return
		}
		next, wanted := machine.Next(time.Now(), event)
		if machine.asks() && slices.Contains(wanted, Abort) {
			if granted, ok := s.lastGrant(); ok {
				next, wanted = machine.Next(time.Now(), granted)
			}
		}
		machine, effects = next, wanted
	}
}

// publish replaces the machine that nobody has fetched yet.
func (s *Session) publish(machine Machine) {
	s.observe(machine)
	s.newest = machine
	select {
	case <-s.updates:
	default:
	}
	s.updates <- machine
}

func (s *Session) nextEvent(ctx context.Context, machine Machine) (Event, bool) {
	var wake <-chan time.Time
	if at := machine.WakeAt(); !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		wake = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil, false
		case event := <-s.events:
			return event, true
		case <-wake:
			return TimePassed{}, true
		case r := <-s.results:
			if r.effect == s.effect { // late answers of aborted effects are dropped
				s.pending = false
				return r.event, true
			}
		}
	}
}

// lastWord closes the request that is open at the end. A token that comes all the
// same is not dropped.
func (s *Session) lastWord(machine Machine) {
	s.abort()
	if !machine.asks() {
		return
	}
	if granted, ok := s.lastGrant(); ok {
		machine, _ = machine.Next(time.Now(), granted)
		s.publish(machine)
	}
}

// lastGrant closes the request that is open, and gives the token that has come all
// the same: a person may have granted it in that very moment.
func (s *Session) lastGrant() (granted TokenGranted, ok bool) {
	s.abort()
	limit := time.NewTimer(lastWordTime)
	defer limit.Stop()
	for s.pending {
		select {
		case <-limit.C:
			return granted, false
		case r := <-s.results:
			if r.effect != s.effect {
				continue
			}
			s.pending = false
			granted, ok = r.event.(TokenGranted)
		}
	}
	return granted, ok
}

func (s *Session) perform(ctx context.Context, machine Machine, effects []Effect) {
	for _, effect := range effects {
		switch effect {
		case Abort:
			s.abort()
			s.effect++
			s.pending = false
		case Open:
			if s.open != nil {
				graph := machine.Request.Graph
				go func() { _ = s.open(ctx, graph) }() // best effort: the state shows whether Roam came
			}
		case Locate:
			s.start(ctx, func(ctx context.Context) Event { return locate(ctx, s.roam, machine.Request) })
		case Ask:
			s.start(ctx, func(ctx context.Context) Event { return ask(ctx, s.roam, machine.Request) })
		case Verify:
			s.start(ctx, func(ctx context.Context) Event { return verify(ctx, s.roam, machine.Request) })
		}
	}
}

func (s *Session) start(ctx context.Context, work func(context.Context) Event) {
	s.abort()
	ctx, cancel := context.WithCancel(ctx)
	s.abort = cancel
	s.effect++
	s.pending = true
	number := s.effect
	go func() {
		defer cancel()
		event := work(ctx)
		// How work fails when it is ended is no answer of Roam's.
		if _, granted := event.(TokenGranted); !granted && ctx.Err() != nil {
			event = Cancel{}
		}
		select {
		case s.results <- result{number, event}:
		case <-s.done:
		}
	}()
}

// Run drives an exchange until it has ended, with nobody to decide anything on
// the way; observe, which may be nil, sees every change, in order and before Run
// returns. When ctx ends first the machine is Cancelled and the request is closed.
func Run(ctx context.Context, roam Roam, request Request, policy Policy, observe func(Machine)) Machine {
	if observe == nil {
		observe = func(Machine) {}
	}
	session := launch(ctx, roam, nil, request, policy, observe)
	defer session.Close()
	var last Machine
	for machine := range session.Updates() {
		last = machine
		if machine.Ended() {
			return machine
		}
	}
	last, _ = last.Next(time.Now(), Cancel{})
	return last
}

// Look makes one look for Roam. What accepts a connection and then says nothing
// is as good as absent: look's context ends after a few seconds, and the error is
// then that Roam can't be reached.
func Look(ctx context.Context, look func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := look(limited)
	if err == nil || limited.Err() == nil || ctx.Err() != nil {
		return err
	}
	return &problem.Error{
		Code: localapi.CodeConnectionFailed, Call: &problem.Call{}, Err: err,
		Message: "Something listens where Roam should, but it does not answer.",
		Hint:    problem.Say("Restart %s and try again.", problem.Roam),
	}
}

func locate(ctx context.Context, roam Roam, request Request) Event {
	var event Event
	err := Look(ctx, func(ctx context.Context) (err error) {
		event, err = located(ctx, roam, request)
		return err
	})
	if err != nil {
		return LocateFailed{asError(err)}
	}
	return event
}

func located(ctx context.Context, roam Roam, request Request) (Event, error) {
	graph := request.Graph
	graph.Type = cmp.Or(graph.Type, localapi.Hosted)
	if request.Public {
		_, err := roam.OpenGraphs(ctx)
		return Located{graph}, err
	}
	listing, err := localapi.List(ctx, roam)
	if err != nil {
		return nil, err
	}
	if listed, ok := listing.Find(request.Graph); ok {
		return Located{listed}, nil
	}
	return nil, notListed(request.Graph, listing.Available)
}

func notListed(wanted localapi.Graph, available []localapi.Graph) *problem.Error {
	err := &problem.Error{
		Code: localapi.CodeGraphNotListed, Call: &problem.Call{},
		Message: fmt.Sprintf("Roam lists no graph named %q.", wanted.Name),
		Hint:    problem.Say("Check the name; a public graph of somebody else is never listed and has to be asked for as public."),
	}
	if wanted.Type != "" {
		err.Message = fmt.Sprintf("Roam lists no %s graph named %q.", wanted.Type, wanted.Name)
	}
	if len(available) == 0 {
		err.Message += " It lists none at all."
		err.Hint = problem.Say("Sign in to %s, then try again.", problem.Roam)
	}
	return err
}

func ask(ctx context.Context, roam Roam, request Request) Event {
	grant, err := roam.RequestToken(ctx, localapi.TokenRequest{
		Graph: request.Graph, AccessLevel: request.AccessLevel, Description: request.Description,
	})
	if err != nil {
		return RequestFailed{advised(asError(err), request)}
	}
	return TokenGranted{grant}
}

// advised returns the error of a request with what to do about it here, where nobody is
// connected yet or a token was typed.
func advised(err *problem.Error, request Request) *problem.Error {
	changed := *err
	switch err.Code {
	case localapi.CodeGraphNotFound:
		changed.Hint = problem.Say("Check the name: it is what stands in the graph's address in Roam, after /app/.").Then("If it was renamed, connect it by its new name.")
	case localapi.CodeTokenNotFound, localapi.CodeUnauthorized, localapi.CodeMissingToken:
		if request.Token.IsZero() {
			return err
		}
		changed.Message = "Roam does not know this token for " + request.Graph.Name + ": it was made for another graph, was revoked, or was not copied whole."
		changed.Hint = problem.Say("Open %s in Roam and copy a token from Settings > Graph > Local API Tokens.", request.Graph.Name)
	case localapi.CodeWrongGraphType:
		changed.Message = "The token belongs to the other graph of that name: there is a hosted and an offline one."
		changed.Hint = problem.Say("Connect that one, or copy the token of the %s graph.", request.Graph.Type)
	default:
		return err
	}
	return &changed
}

func verify(ctx context.Context, roam Roam, request Request) Event {
	level, err := roam.VerifyToken(ctx, request.Graph, request.Token)
	if err != nil {
		return RequestFailed{advised(asError(err), request)}
	}
	return TokenGranted{localapi.TokenGrant{Graph: request.Graph, Token: request.Token, AccessLevel: level}}
}

func asError(err error) *problem.Error {
	if e, ok := problem.As(err); ok {
		return e
	}
	return &problem.Error{Code: localapi.CodeInternal, Call: &problem.Call{}, Message: err.Error(), Err: err}
}
