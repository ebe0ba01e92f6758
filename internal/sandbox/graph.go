package sandbox

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/store"
)

// graph is a graph that the sandbox serves.
type graph struct {
	id     localapi.Graph
	loaded atomic.Pointer[actions.Graph]
	open   atomic.Bool // it has been used, so that Roam would have a window of it
	writes rateLimit

	// calls lets calls run side by side, each with a weight of one, or one alone, with
	// that of all.
	calls    *semaphore.Weighted
	newIDsAt atomic.Int64 // when NewIDs was set for which the graph was loaded anew, in ns; 0: for none
}

// allCalls is the weight of a call that runs alone.
const allCalls = math.MaxInt64

func newGraph(loaded *actions.Graph) *graph {
	g := &graph{id: loaded.ID, calls: semaphore.NewWeighted(allCalls)}
	g.loaded.Store(loaded)
	return g
}

// db returns the newest snapshot.
func (g *graph) db() *graphdb.DB { return g.loaded.Load().Data.DB() }

// enter waits until a call may run, alone if the switches say so, and as long as they
// slow it down. After it the function that is returned must be called.
func (g *graph) enter(ctx context.Context, set *SwitchSet, call actions.Call) (leave func(), err error) {
	weight := int64(1)
	each := set.duration(slowQueries)
	if each > 0 && actions.IsQuery(call.Action) {
		weight = allCalls
	}
	if err := g.calls.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	leave = func() { g.calls.Release(weight) }
	if weight == 1 {
		return leave, nil
	}
	const entities = 100_000
	cost := time.Duration(float64(each) * float64(call.Entities(g.db())) / entities)
	timer := time.NewTimer(cost)
	defer timer.Stop()
	select {
	case <-timer.C:
		return leave, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// reload loads the graph anew, with other entity ids, if the switch NewIDs was set since
// it last did.
func (l *library) reload(ctx context.Context, g *graph, s *SwitchSet) error {
	set, on := s.setAt(newIDs)
	if !on || set.UnixNano() == g.newIDsAt.Load() {
		return nil
	}
	if err := g.calls.Acquire(ctx, allCalls); err != nil {
		return err
	}
	defer g.calls.Release(allCalls)
	if set.UnixNano() <= g.newIDsAt.Load() {
		return nil // another call has done it meanwhile
	}
	// A graph whose file is closed must be opened again, whether or not the caller waits.
	anew, err := actions.Reopen(context.WithoutCancel(ctx), l.folder, g.loaded.Load(), store.Options{Now: l.now})
	if err != nil {
		return fmt.Errorf("load the graph anew: %w", err)
	}
	g.loaded.Store(anew)
	g.newIDsAt.Store(set.UnixNano())
	return nil
}

// writesPerMinute is Roam's own limit (LOCAL_API.md 1.7).
const writesPerMinute = 1500

// rateLimit counts writes by the minute. The zero value is ready.
type rateLimit struct {
	mu    sync.Mutex
	since time.Time
	count int
}

func (l *rateLimit) take(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if passed := now.Sub(l.since); passed >= time.Minute || passed < 0 {
		l.since, l.count = now, 0
	}
	if l.count >= writesPerMinute {
		return fmt.Errorf("rate limit exceeded: more than %d writes in a minute, try again in %d seconds",
			writesPerMinute, int(time.Minute-now.Sub(l.since))/int(time.Second)+1)
	}
	l.count++
	return nil
}
