package mirror

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// mirror is one graph of a Keeper.
type mirror struct {
	keeper  *Cache
	options Options
	graph   localapi.Graph
	key     string
	idle    *time.Timer
	ctx     context.Context // ends when the graph is forgotten
	forget  context.CancelCauseFunc

	mu      sync.Mutex
	live    *store    // nil: nothing yet; belongs to the flight that refreshes it
	current *View     // of live, as the last flight left it
	fresh   int64     // the flight that began last of those that live holds all of
	kept    *kept     // nil: no View was made
	half    [2]*store // loads that are not complete, by level
	flights map[string]*refresh
	begun   int64 // number of flights
	used    time.Time
	size    int64 // bytes of live and half, about, without those of kept
	large   bool  // the texts are more than the Keeper may hold

	wrote     bool // since the last refresh
	structure bool // something was deleted or moved since, or may have been
	notices   map[string][]string
	quickest  time.Duration // of all calls, wayToRoam at most
	manyPull  bool          // this build takes no list of entities with a pull
	scanned   time.Time     // when the structure was compared last
	scanCost  time.Duration
	wholeCost time.Duration // of reading the graph as a whole; 0: unknown
	scrubbed  time.Time
}

// errForgotten is the cause of the end of a forgotten graph's flights.
var errForgotten = &problem.Error{
	Code: localapi.CodeCancelled, Retry: problem.RetryLater,
	Message: "The graph was disabled, removed or re-authorized while it was read.",
}

// wayToRoam is how long a call takes at most on which Roam spends no time (LOCAL_API.md 1.7).
const wayToRoam = 35 * time.Millisecond

// cost returns what of the time of a call Roam has spent on it.
func (m *mirror) cost(took time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.quickest = min(m.quickest, took)
	return took - m.quickest
}

// view returns what is needed, as it is in Roam now.
func (m *mirror) view(ctx context.Context, source Source, need Need) (*View, error) {
	m.mu.Lock()
	asked := m.begun
	m.mu.Unlock()
	for tries := 0; ; tries++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m.ctx.Err() != nil {
			return nil, context.Cause(m.ctx)
		}
		f, w, view, err := m.next(ctx, source, need, asked)
		if err != nil || view != nil {
			return view, err
		}
		if w == nil { // of before this call, or over
			m.keeper.behind.Add(1)
			err := wait(ctx, f.done)
			m.keeper.behind.Add(-1)
			if err != nil {
				return nil, err
			}
			continue
		}
		err = wait(ctx, f.done)
		f.leave(w)
		if err != nil {
			return nil, err
		}
		// A flight that others have left may end before this call has a part in it.
		if (errors.Is(f.err, errRenumbered) || errors.Is(f.err, context.Canceled)) && tries < 5 {
			continue
		}
		if f.err != nil {
			return nil, f.err
		}
	}
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next returns the View, if it is there, or the flight to wait for; with a waiter that
// has joined it, unless it began before the call and will not do.
func (m *mirror) next(ctx context.Context, source Source, need Need, asked int64) (*refresh, *waiter, *View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name, work := "refresh", (*refresh).refresh
	switch {
	case m.large && need == Texts && (m.live == nil || m.live.level < need):
		return nil, nil, nil, m.keeper.tooLarge()
	case m.live == nil || m.live.level < need:
		name, work = "links", (*refresh).loadLinks
		if need == Texts {
			name, work = "texts", (*refresh).loadTexts
		}
	case m.fresh > asked:
		return nil, nil, m.current, nil
	}
	if f := m.flights[name]; f != nil {
		w := &waiter{ctx, source}
		if name == "refresh" && f.number <= asked || !f.join(w) {
			return f, nil, nil, nil
		}
		return f, w, nil, nil
	}
	f, w := m.start(ctx, source, name, work)
	return f, w, nil, nil
}

// start starts a flight. The caller holds mu.
func (m *mirror) start(ctx context.Context, source Source, name string, work func(*refresh, context.Context) error) (*refresh, *waiter) {
	m.begun++
	running, cancel := context.WithCancel(m.ctx)
	w := &waiter{ctx, source}
	f := &refresh{mirror: m, number: m.begun, done: make(chan struct{}), cancel: cancel, waiting: []*waiter{w}}
	m.flights[name] = f
	go f.run(running, func(ctx context.Context) error {
		defer func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			delete(m.flights, name)
		}()
		err := work(f, ctx)
		if err != nil && m.ctx.Err() != nil {
			return context.Cause(m.ctx)
		}
		return err
	})
	return f, w
}

// publish makes a store the one that Views are made of. What it was when the flight
// began is fresh, unless it was begun by another.
func (f *refresh) publish(s *store, began time.Time, resumed bool) {
	f.mirror.mu.Lock()
	defer f.mirror.mu.Unlock()
	if f.ctx.Err() != nil {
		return
	}
	if f.live != s && f.live != nil && f.live.level > s.level {
		return // texts have come meanwhile
	}
	f.live = s
	if f.kept == nil {
		f.kept = &kept{mirror: f.mirror}
	}
	f.current = &View{asOf: began, derived: s.derived, db: s.db(), meaning: s.meaning, log: s.log, notices: f.tell, kept: f.kept}
	if !resumed {
		f.fresh = max(f.fresh, f.number)
	}
	f.measure()
}

// measure adds up what the mirror holds. The caller holds mu.
func (m *mirror) measure() {
	m.size = 0
	for _, s := range []*store{m.live, m.half[Links], m.half[Texts]} {
		if s != nil {
			m.size += s.size()
		}
	}
}

// reset drops all that is known. The caller must not hold mu.
func (m *mirror) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live, m.current, m.kept, m.half, m.size, m.wholeCost, m.scanCost = nil, nil, nil, [2]*store{}, 0, 0, 0
}

const (
	maxNoticed = 1000 // pages with notices
	maxNotices = 3    // for one page
)

// notice keeps what a refresh has noticed of pages.
func (m *mirror) notice(renames []renamed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range renames {
		if r.before == r.after || m.notices[r.uid] == nil && len(m.notices) >= maxNoticed {
			continue
		}
		told := append(m.notices[r.uid], fmt.Sprintf("The page was renamed in Roam: %q → %q", r.before, r.after))
		m.notices[r.uid] = slices.Clone(told[max(0, len(told)-maxNotices):])
	}
}

// tell returns the notices of a page, and forgets them.
func (m *mirror) tell(uid string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	told := m.notices[uid]
	delete(m.notices, uid)
	return told
}

// forgets reports whether an error says that the graph may not be read any more.
func forgets(err error) bool {
	failed, ok := problem.As(err)
	if !ok {
		return false
	}
	switch failed.Code {
	case localapi.CodeMissingToken, localapi.CodeInvalidTokenFormat, localapi.CodeWrongGraphType, localapi.CodeTokenNotFound,
		localapi.CodeUnauthorized, localapi.CodeInsufficientScope, localapi.CodeScopeExceedsPermission, localapi.CodeAccessDenied,
		localapi.CodeDisabled, localapi.CodeGraphNotFound, localapi.CodeGraphNotListed, localapi.CodeGraphBlocked,
		localapi.CodeOtherUser, localapi.CodeNotRoam:
		return true
	}
	return false
}

// ids returns the keys of a set.
func ids(set map[graphdb.EID]bool) []graphdb.EID {
	return slices.Sorted(maps.Keys(set))
}
