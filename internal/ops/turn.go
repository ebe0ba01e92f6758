package ops

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Roam takes 1,500 writes to a graph in 60 seconds, and counts some calls that
// are no writes among them (LOCAL_API.md 1.7). These are at most 1,400.
const (
	writesAtOnce    = 200 // after a rest
	writesPerSecond = 20
	// turnPatience is how long a write waits for its turn: clients give up on a call
	// after 60 s.
	turnPatience = 10 * time.Second
)

// writeLimiter says when the next write to a graph may be sent.
type writeLimiter struct {
	mu      sync.Mutex
	byGraph map[localapi.Graph]*rate.Limiter
}

func newWriteLimiter() *writeLimiter {
	return &writeLimiter{byGraph: map[localapi.Graph]*rate.Limiter{}}
}

func (t *writeLimiter) of(graph localapi.Graph) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	limiter := t.byGraph[graph]
	if limiter == nil {
		limiter = rate.NewLimiter(writesPerSecond, writesAtOnce)
		t.byGraph[graph] = limiter
	}
	return limiter
}

// awaitTurn waits until a write may be sent. A batch is one write, as it is to
// Roam. Where that is too long it is RATE_LIMITED at once; where ctx ends first,
// it gives its turn back.
func (g sender) awaitTurn(ctx context.Context) error {
	now := g.operations.options.Now
	turn := g.operations.turns.of(g.graph).ReserveN(now(), 1)
	delay := turn.DelayFrom(now())
	switch {
	case delay <= 0:
		return nil
	case delay > turnPatience:
		turn.CancelAt(now())
		return tooManyWrites(delay)
	}
	stop := g.caller.Waiting(ctx, "Waiting for a turn: Roam takes 1,500 writes a minute.")
	defer stop()
	if !Wait(ctx, delay) {
		turn.CancelAt(now())
		return ctx.Err()
	}
	return nil
}

func tooManyWrites(delay time.Duration) *problem.Error {
	seconds := int(math.Ceil(delay.Seconds()))
	return &problem.Error{
		Code:    localapi.CodeRateLimited,
		Message: fmt.Sprintf("Nothing was written: Roam takes 1,500 writes a minute, and those before this one need %d seconds.", seconds),
		Hint:    problem.Say("Try again in %d seconds. Writing several blocks at once counts as one write.", seconds),
		Retry:   problem.RetryLater,
		Details: []problem.Detail{{Name: DetailRetryAfter, Value: seconds}},
	}
}
