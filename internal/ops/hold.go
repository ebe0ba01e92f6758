package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// CodeBusy is the code of a call that has waited too long for a page which others change.
const CodeBusy problem.Code = "BUSY"

const (
	// holdPatience is how long a call waits for the pages that it changes: clients give up
	// on a call after 60 s.
	holdPatience = 20 * time.Second
	// A call asks for its turn among servers again after firstTurn, and later and later up
	// to lastTurn.
	firstTurn = 5 * time.Millisecond
	lastTurn  = 50 * time.Millisecond
)

// Claims keep calls of other servers from a page that a call changes.
type Claims interface {
	// Claim returns a claim of a page that is to be taken.
	Claim(graph localapi.Graph, uid string) Claim
}

// Claim is that of one page, for one call.
type Claim interface {
	// Take takes the page if it is the call's turn among the servers; if not, the error is
	// a *ClaimedError, and Take is to be called again. changed reports whether the page may
	// have been changed by others since the call began. Other errors refuse the call.
	Take(ctx context.Context) (changed bool, err error)
	// Release ends the claim, whatever Take returned.
	Release()
}

// ClaimedError reports that a call of another server has a page.
type ClaimedError struct{ Agent string }

func (e *ClaimedError) Error() string { return "the page is changed by " + e.Agent }

// HoldingFor returns the operations of a call of an agent, whose name others that wait for
// it are told. claims are those among servers; nil: there are none.
func (g *core) HoldingFor(agent string, claims Claims) *Graph {
	holding := *g
	holding.agent, holding.claims = agent, claims
	return holding.asGraph()
}

// Hold waits until no other call, of this program or another server, holds any of some
// pages, and holds them until release is called. Where one did since this call began, what
// was read before may have changed: look is called, which reads it again and returns the
// pages that it is on now. BUSY is the code of the error where others hold them for 20
// seconds. A call that holds something can't hold more.
func (g *core) Hold(ctx context.Context, pages []string, look func() (pages []string, err error)) (release func(), err error) {
	for {
		release, waited, err := g.hold(ctx, pages)
		if err != nil || !waited {
			return release, err
		}
		now, err := look()
		if err != nil {
			release()
			return nil, err
		}
		if !slices.ContainsFunc(now, func(page string) bool { return !slices.Contains(pages, page) }) {
			return release, nil
		}
		release()
		pages = now
	}
}

// hold holds pages, and reports whether another call held one of them since this one began.
func (g *core) hold(ctx context.Context, uids []string) (release func(), waited bool, err error) {
	patience, cancel := context.WithTimeout(ctx, g.operations.options.HoldPatience)
	defer cancel()
	h := &holding{graph: g.asGraph()}
	for _, uid := range slices.Compact(slices.Sorted(slices.Values(uids))) { // in one order, so that no two wait for each other
		if err = h.take(patience, uid); err != nil {
			break
		}
	}
	h.stopTelling()
	if err == nil {
		return sync.OnceFunc(h.release), h.waited, nil
	}
	h.release()
	if errors.Is(patience.Err(), context.DeadlineExceeded) && ctx.Err() == nil && h.other != "" {
		err = busy(h.other)
	}
	return nil, h.waited, err
}

// HoldNote holds the page that a note is, or is on, as Hold does. It returns the note as it
// is then. there reports whether it still is; if not, nothing is held.
func (g *core) HoldNote(ctx context.Context, n note.Node) (now note.Node, there bool, release func(), err error) {
	there = true
	release, err = g.Hold(ctx, []string{n.Page()}, func() ([]string, error) {
		var err error
		if n, there, err = g.reads().ReadNote(ctx, n.UID); !there {
			return nil, err
		}
		return []string{n.Page()}, err
	})
	switch {
	case err != nil:
		return note.Node{}, false, nil, err
	case !there:
		release()
		return note.Node{}, false, nil, nil
	}
	return n, true, release, nil
}

// busy is the error of a call that has waited long enough for one of an agent.
func busy(agent string) *problem.Error {
	return &problem.Error{
		Code: CodeBusy, Retry: problem.RetryLater, Message: fmt.Sprintf("The note is being changed by %s.", agent),
		Hint: problem.Say("Nothing was written by this call. Make it again in a few seconds."),
	}
}

// holding is what one call holds, or waits for.
type holding struct {
	graph    *Graph
	releases []func()
	waited   bool
	other    string // agent that was waited for last; empty: none was
	stop     func() // telling what is waited for; nil: nobody is told
}

// take takes a page: from the calls of this program first, then from other servers.
func (h *holding) take(ctx context.Context, uid string) error {
	g := h.graph
	release, waited, err := g.operations.holds.take(ctx, held{g.graph, uid}, g.agent, g.began, h.wait)
	h.waited = h.waited || waited
	if err != nil {
		return err
	}
	h.releases = append(h.releases, release)
	if g.claims == nil {
		return nil
	}
	claim := g.claims.Claim(g.graph, uid)
	h.releases = append(h.releases, claim.Release)
	for pause := firstTurn; ; pause = min(2*pause, lastTurn) {
		changed, err := claim.Take(ctx)
		var claimed *ClaimedError
		if !errors.As(err, &claimed) {
			h.waited = h.waited || changed
			return err
		}
		h.wait(ctx, claimed.Agent)
		if !g.operations.options.Wait(ctx, pause) {
			return ctx.Err()
		}
	}
}

// wait notes that a call of an agent is waited for, and tells the caller.
func (h *holding) wait(ctx context.Context, agent string) {
	h.waited = true
	h.other = textsafe.Line(agent, 80)
	if agent == "" || agent == unknownAgent {
		h.other = "another agent"
	}
	if h.stop == nil {
		h.stop = h.graph.caller.Waiting(ctx, fmt.Sprintf("Waiting: the note is being changed by %s.", h.other))
	}
}

// unknownAgent is who calls where nobody says who it is.
const unknownAgent = "unknown"

func (h *holding) stopTelling() {
	if h.stop != nil {
		h.stop()
	}
}

// release gives back what is held, in the order in which others can go on with it.
func (h *holding) release() {
	for _, release := range slices.Backward(h.releases) {
		release()
	}
}

// blockLocks are the pages that calls of this program hold, to write what they make of them.
type blockLocks struct {
	mu     sync.Mutex
	queues map[held]*queue
	// ended says when a page was held last, as a number that grows with each end. What is
	// not above forgotten may not be known any more.
	ended            map[held]uint64
	count, forgotten uint64
}

type held struct {
	graph localapi.Graph
	uid   string
}

// queue is who holds a page, and the calls that wait for it.
type queue struct {
	agent string // who holds it
	next  []*queued
}

type queued struct {
	agent string
	turn  chan struct{} // closed when it is the call's turn
}

// mostEnded is how many pages' last holds are known.
const mostEnded = 1000

func newBlockLocks() *blockLocks {
	return &blockLocks{queues: map[held]*queue{}, ended: map[held]uint64{}}
}

// now returns a number for take.
func (h *blockLocks) now() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count
}

// take holds a page for a call of an agent that began when now returned since. Calls get it
// in the order in which they ask. wait is called with who holds it where that is another.
// waited reports whether one did since the call began.
func (h *blockLocks) take(ctx context.Context, page held, agent string, since uint64, wait func(ctx context.Context, agent string)) (release func(), waited bool, err error) {
	h.mu.Lock()
	of, isHeld := h.queues[page]
	if !isHeld {
		h.queues[page] = &queue{agent: agent}
		waited = max(h.ended[page], h.forgotten) > since
		h.mu.Unlock()
		return func() { h.pass(page) }, waited, nil
	}
	mine := &queued{agent, make(chan struct{})}
	of.next = append(of.next, mine)
	other := of.agent
	h.mu.Unlock()
	wait(ctx, other)
	select {
	case <-mine.turn:
		return func() { h.pass(page) }, true, nil
	case <-ctx.Done():
	}
	if other, left := h.leave(page, mine); left {
		wait(ctx, other)
	} else { // its turn came meanwhile
		h.pass(page)
	}
	return nil, true, ctx.Err()
}

// leave takes a call out of the queue for a page, and returns who holds that. It reports
// false where the call holds it by now.
func (h *blockLocks) leave(page held, mine *queued) (agent string, left bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.queues[page]
	at := slices.Index(of.next, mine)
	if at < 0 {
		return "", false
	}
	of.next = slices.Delete(of.next, at, at+1)
	return of.agent, true
}

// pass gives a page to the next call in the queue for it.
func (h *blockLocks) pass(page held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count++
	if len(h.ended) >= mostEnded {
		clear(h.ended)
		h.forgotten = h.count
	}
	h.ended[page] = h.count
	of := h.queues[page]
	if len(of.next) == 0 {
		delete(h.queues, page)
		return
	}
	of.agent = of.next[0].agent
	close(of.next[0].turn)
	of.next = of.next[1:]
}
