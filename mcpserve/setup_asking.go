package mcpserve

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const (
	// maxAskings bounds the dialogs that agents can have open in Roam.
	maxAskings = 8
	// outcomeKept is how long the outcome of a request waits for the call that
	// comes back for it.
	outcomeKept = 10 * time.Minute
)

// asking is one request for a token: from the call that began it until a call
// has heard how it ended. It may outlive the call, since a person may take
// longer than a client waits.
type asking struct {
	request exchange.Request
	entry   configstore.Entry // what will be saved, without the token
	renews  bool              // see setupPlan
	stop    context.CancelFunc
	done    chan struct{} // closed once all is over, a save included

	mu      sync.Mutex
	machine exchange.Machine
	states  []exchange.Machine // the first machine of each state, in order
	changed chan struct{}      // closed and renewed at every step
	calls   int                // calls that wait here
	closing bool               // since no call does any more
	saved   configstore.Entry
	err     error // of saving
	ended   time.Time
}

// standing is where an asking is at one moment.
type standing struct {
	machine exchange.Machine
	states  []exchange.Machine
	saved   configstore.Entry
	err     error
	over    bool
	closing bool
	changed <-chan struct{}
}

func (a *asking) standing() standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	return standing{a.machine, a.states, a.saved, a.err, !a.ended.IsZero(), a.closing, a.changed}
}

// step notes the next state.
func (a *asking) step(machine exchange.Machine) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.note(machine)
}

// finish notes the end.
func (a *asking) finish(machine exchange.Machine, saved configstore.Entry, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.saved, a.err, a.ended = saved, err, time.Now()
	a.note(machine)
}

// note needs mu held.
func (a *asking) note(machine exchange.Machine) {
	if a.machine.State != machine.State {
		a.states = append(a.states, machine)
	}
	a.machine = machine
	close(a.changed)
	a.changed = make(chan struct{})
}

// askings are the requests that are open, or not reported yet, by graph name:
// of two graphs of one name only one can be connected.
type askings struct {
	roam   exchange.Roam
	policy exchange.Policy
	keep   func(ctx context.Context, entry configstore.Entry, renews bool) (configstore.Entry, error)
	log    *slog.Logger

	mu     sync.Mutex
	byName map[string]*asking
	ended  bool
}

// find gives the request for a graph, where there is one to go on with.
func (l *askings) find(name string) (*asking, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	a, ok := l.byName[name]
	return a, ok
}

// begin asks Roam, unless it is asked already: then it joins. It runs until it
// has ended or alive has.
func (l *askings) begin(alive context.Context, plan setupPlan) (*asking, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	if a, ok := l.byName[plan.request.Graph.Name]; ok {
		return a, nil
	}
	if len(l.byName) >= maxAskings || l.ended {
		return nil, &problem.Error{
			Code:    localapi.CodeRequestInProgress,
			Message: "Too many requests for tokens are open.",
			Hint:    problem.Say("Ask the user to answer those in Roam first."),
			Retry:   problem.RetryLater,
		}
	}
	ctx, stop := context.WithCancel(alive)
	a := &asking{request: plan.request, entry: plan.entry, renews: plan.renews, stop: stop, done: make(chan struct{}), changed: make(chan struct{})}
	l.byName[plan.request.Graph.Name] = a
	go l.run(ctx, a)
	return a, nil
}

// prune drops outcomes that nobody came back for; mu is held.
func (l *askings) prune() {
	for name, a := range l.byName {
		a.mu.Lock()
		if !a.ended.IsZero() && time.Since(a.ended) > outcomeKept {
			delete(l.byName, name)
		}
		a.mu.Unlock()
	}
}

// run drives the exchange. A token is saved before anybody hears of it.
func (l *askings) run(ctx context.Context, a *asking) {
	defer close(a.done)
	defer a.stop()
	machine := exchange.Run(ctx, l.roam, a.request, l.policy, func(m exchange.Machine) {
		if !m.Ended() {
			a.step(m)
		}
	})
	var saved configstore.Entry
	var err error
	if machine.State == exchange.Granted {
		entry := a.entry
		entry.Name, entry.Type = machine.Grant.Graph.Name, machine.Grant.Graph.Type
		entry.Token, entry.AccessLevel = machine.Grant.Token, machine.Grant.AccessLevel
		entry.LastKnownTokenStatus = localapi.TokenActive
		saved, err = l.keep(ctx, entry, a.renews)
	}
	l.log.Info("token request ended", "graph", a.request.Graph.Name, "state", machine.State.String(), "saved", machine.State == exchange.Granted && err == nil)
	a.finish(machine, saved, err)
}

// join counts a call that waits for a request. One that is being closed, since
// nobody waited, is let end first; false where it came to nothing, so that Roam
// can be asked anew.
func (l *askings) join(a *asking) bool {
	if a.enter() {
		return true
	}
	<-a.done
	l.forget(a)
	return a.standing().machine.State != exchange.Cancelled
}

// wait follows an asking that was joined until it is over or ctx has ended; see
// gets every state from the first on. Where ctx was cancelled, or ran out while
// somebody else's dialog is in the way, and no other call waits, the request is
// closed, so that Roam drops its dialog.
func (l *askings) wait(ctx context.Context, a *asking, see func(exchange.Machine)) standing {
	seen := 0
	for {
		timeIsUp := ctx.Err()
		now := a.standing()
		for ; seen < len(now.states); seen++ {
			see(now.states[seen])
		}
		switch {
		case now.over:
			a.leave(false)
			l.forget(a)
			return now
		case timeIsUp != nil:
			busy := now.machine.State == exchange.Busy
			if a.leave(busy || !errors.Is(timeIsUp, context.DeadlineExceeded)) {
				return l.end(a, now)
			}
			return now
		}
		select {
		case <-now.changed:
		case <-ctx.Done():
		}
	}
}

// enter counts a call that waits; false where the request is being closed.
func (a *asking) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing {
		return false
	}
	a.calls++
	return true
}

// leave counts a call that waits no more. Where it was the last, and gives up,
// it has to close the request: true.
func (a *asking) leave(givesUp bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls--
	if givesUp && a.calls == 0 {
		a.closing = true
		return true
	}
	return false
}

// end closes a request that nobody waits for. before is where it was.
func (l *askings) end(a *asking, before standing) standing {
	a.stop()
	<-a.done
	l.forget(a)
	now := a.standing()
	if before.machine.State == exchange.Busy && now.machine.State == exchange.Cancelled {
		now.machine = before.machine // why it came to nothing
	}
	return now
}

func (l *askings) forget(a *asking) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byName[a.request.Graph.Name] == a {
		delete(l.byName, a.request.Graph.Name)
	}
}

// close ends all requests and waits until what was granted is saved.
func (l *askings) close() {
	l.mu.Lock()
	l.ended = true
	var open []*asking
	for _, a := range l.byName {
		open = append(open, a)
	}
	l.mu.Unlock()
	for _, a := range open {
		a.stop()
		<-a.done
	}
}
