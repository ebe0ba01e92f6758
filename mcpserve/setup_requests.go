package mcpserve

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

const (
	// maxTokenRequests bounds the dialogs that agents can have open in Roam.
	maxTokenRequests = 8
	// outcomeKept is how long the outcome of a request waits for the call that
	// comes back for it.
	outcomeKept = 10 * time.Minute
)

// tokenRequest is one request for a token: from the call that began it until a
// call was told how it ended. It may outlive the call, since a person may take
// longer than a client waits.
type tokenRequest struct {
	authorization manage.Authorization
	stop          context.CancelFunc
	done          chan struct{} // closed once all is over, a save included

	mu      sync.Mutex
	machine exchange.Machine
	states  []exchange.Machine // the first machine of each state, in order
	changed chan struct{}      // closed and renewed at every step
	calls   int                // calls that wait here
	closing bool               // since no call does any more
	kept    manage.Kept
	ended   time.Time
}

// requestState is a tokenRequest at one moment.
type requestState struct {
	machine exchange.Machine
	states  []exchange.Machine
	kept    manage.Kept
	over    bool
	closing bool
	changed <-chan struct{}
}

func (r *tokenRequest) state() requestState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return requestState{r.machine, r.states, r.kept, !r.ended.IsZero(), r.closing, r.changed}
}

// step notes the next state.
func (r *tokenRequest) step(machine exchange.Machine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(machine)
}

// finish notes the end.
func (r *tokenRequest) finish(machine exchange.Machine, kept manage.Kept) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept, r.ended = kept, time.Now()
	r.note(machine)
}

// note needs mu held.
func (r *tokenRequest) note(machine exchange.Machine) {
	if r.machine.State != machine.State {
		r.states = append(r.states, machine)
	}
	r.machine = machine
	close(r.changed)
	r.changed = make(chan struct{})
}

// tokenRequests are the requests that are open, or not reported yet, by graph name:
// of two graphs of one name only one can be connected.
type tokenRequests struct {
	roam   exchange.Roam
	policy exchange.Policy
	keep   func(context.Context, manage.Authorization, localapi.TokenGrant) manage.Kept
	log    *slog.Logger

	mu     sync.Mutex
	byName map[string]*tokenRequest
	ended  bool
}

// find returns the request for a graph, where there is one to go on with.
func (l *tokenRequests) find(name string) (*tokenRequest, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	r, ok := l.byName[name]
	return r, ok
}

// begin asks Roam, unless it is asked already: then it joins. It runs until it
// has ended or alive has.
func (l *tokenRequests) begin(alive context.Context, a manage.Authorization) (*tokenRequest, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	if r, ok := l.byName[a.Request.Graph.Name]; ok {
		return r, nil
	}
	if len(l.byName) >= maxTokenRequests || l.ended {
		return nil, &problem.Error{
			Code:    localapi.CodeRequestInProgress,
			Message: "Too many requests for tokens are open.",
			Hint:    problem.Say("Ask the user to answer those in Roam first."),
			Retry:   problem.RetryLater,
		}
	}
	ctx, stop := context.WithCancel(alive)
	r := &tokenRequest{authorization: a, stop: stop, done: make(chan struct{}), changed: make(chan struct{})}
	l.byName[a.Request.Graph.Name] = r
	go l.run(ctx, r)
	return r, nil
}

// prune drops outcomes that nobody came back for; mu is held.
func (l *tokenRequests) prune() {
	for name, r := range l.byName {
		r.mu.Lock()
		if !r.ended.IsZero() && time.Since(r.ended) > outcomeKept {
			delete(l.byName, name)
		}
		r.mu.Unlock()
	}
}

// run drives the exchange. A token is saved before anybody hears of it.
func (l *tokenRequests) run(ctx context.Context, r *tokenRequest) {
	defer close(r.done)
	defer r.stop()
	machine := exchange.Run(ctx, l.roam, r.authorization.Request, l.policy, func(m exchange.Machine) {
		if !m.Ended() {
			r.step(m)
		}
	})
	var kept manage.Kept
	if machine.State == exchange.Granted {
		kept = l.keep(ctx, r.authorization, machine.Grant)
	}
	l.log.Info("token request ended", "graph", r.authorization.Request.Graph.Name, "state", machine.State.String(), "saved", machine.State == exchange.Granted && kept.Err == nil)
	r.finish(machine, kept)
}

// join counts a call that waits for a request. One that is being closed, since
// nobody waited, is let end first; false where it came to nothing, so that Roam
// can be asked anew.
func (l *tokenRequests) join(r *tokenRequest) bool {
	if r.enter() {
		return true
	}
	<-r.done
	l.forget(r)
	return r.state().machine.State != exchange.Cancelled
}

// wait follows a request that was joined until it is over or ctx has ended; see
// gets every state from the first on. Where ctx was cancelled, or ran out while
// somebody else's dialog is in the way, and no other call waits, the request is
// closed, so that Roam drops its dialog.
func (l *tokenRequests) wait(ctx context.Context, r *tokenRequest, see func(exchange.Machine)) requestState {
	seen := 0
	for {
		timeIsUp := ctx.Err()
		now := r.state()
		for ; seen < len(now.states); seen++ {
			see(now.states[seen])
		}
		switch {
		case now.over:
			r.leave(false)
			l.forget(r)
			return now
		case timeIsUp != nil:
			busy := now.machine.State == exchange.Busy
			if r.leave(busy || !errors.Is(timeIsUp, context.DeadlineExceeded)) {
				return l.end(r, now)
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
func (r *tokenRequest) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing {
		return false
	}
	r.calls++
	return true
}

// leave counts a call that waits no more. Where it was the last, and gives up,
// it has to close the request: true.
func (r *tokenRequest) leave(givesUp bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls--
	if givesUp && r.calls == 0 {
		r.closing = true
		return true
	}
	return false
}

// end closes a request that nobody waits for. before is where it was.
func (l *tokenRequests) end(r *tokenRequest, before requestState) requestState {
	r.stop()
	<-r.done
	l.forget(r)
	now := r.state()
	if before.machine.State == exchange.Busy && now.machine.State == exchange.Cancelled {
		now.machine = before.machine // why it came to nothing
	}
	return now
}

func (l *tokenRequests) forget(r *tokenRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byName[r.authorization.Request.Graph.Name] == r {
		delete(l.byName, r.authorization.Request.Graph.Name)
	}
}

// close ends all requests and waits until what was granted is saved.
func (l *tokenRequests) close() {
	l.mu.Lock()
	l.ended = true
	var open []*tokenRequest
	for _, r := range l.byName {
		open = append(open, r)
	}
	l.mu.Unlock()
	for _, r := range open {
		r.stop()
		<-r.done
	}
}
