package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

// fakeClaims are claims of pages, of which other servers have some.
type fakeClaims struct {
	mu      sync.Mutex
	others  map[string]string // agents that have a page
	turn    int               // tries after which the others are done; 0: never
	changed bool
	refuse  error
	log     []string
}

func (f *fakeClaims) Claim(_ localapi.Graph, uid string) Claim { return &fakeClaim{f, uid, 0} }

func (f *fakeClaims) said() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.log, ", ")
}

type fakeClaim struct {
	*fakeClaims
	uid   string
	tries int
}

func (c *fakeClaim) Take(ctx context.Context) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tries++
	agent, claimed := c.others[c.uid]
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case c.refuse != nil:
		return false, c.refuse
	case claimed && c.tries != c.turn:
		return false, &ClaimedError{agent}
	}
	c.log = append(c.log, "take "+c.uid)
	return c.changed, nil
}

func (c *fakeClaim) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, "release "+c.uid)
}

// program is one whose calls hold pages.
type program struct {
	*Operations
	*fakeRoam
}

func newProgram(patience time.Duration) *program {
	return &program{New(Options{Now: noon, HoldPatience: patience}), newFakeRoam(nil)}
}

// call returns the operations of a call of an agent that begins now.
func (p *program) call(agent string, claims Claims) *Graph {
	return p.On(localapi.Graph{Name: "work", Type: localapi.Hosted}, p).HoldingFor(agent, claims)
}

// hold holds a page that nobody holds.
func hold(t *testing.T, g *Graph, uids ...string) (release func(), waited bool) {
	t.Helper()
	release, waited, err := g.hold(t.Context(), uids)
	require.NoError(t, err)
	return release, waited
}

func (p *program) waiting() int {
	p.holds.mu.Lock()
	defer p.holds.mu.Unlock()
	n := 0
	for _, each := range p.holds.queues {
		n += len(each.next)
	}
	return n
}

func TestHold(t *testing.T) {
	t.Run("calls of the program have a page in the order in which they asked", func(t *testing.T) {
		p := newProgram(0)
		release, waited := hold(t, p.call("first", nil), "page")
		if waited {
			t.Error("it waited for nobody")
		}
		order := make(chan string, 5)
		var running sync.WaitGroup
		for n := range cap(order) {
			call := p.call(fmt.Sprint("agent ", n), nil)
			running.Go(func() {
				free, waited, err := call.hold(t.Context(), []string{"page"})
				if err != nil || !waited {
					t.Error(err, waited)
					return
				}
				order <- call.agent
				free()
			})
			await.Condition(t, "the call to wait", func() bool { return p.waiting() == n+1 })
		}
		release()
		release() // does nothing
		running.Wait()
		close(order)
		var got []string
		for agent := range order {
			got = append(got, agent)
		}
		if !slices.IsSorted(got) || len(got) != cap(order) {
			t.Error(got)
		}
		if want := "Waiting: the note is being changed by first."; len(p.waited) != cap(order) || p.waited[0] != want {
			t.Errorf("%q, want %q", p.waited, want)
		}
	})
	t.Run("what another held since the call began may have changed", func(t *testing.T) {
		for _, began := range []string{"before", "after"} {
			p := newProgram(0)
			early := p.call("before", nil)
			release, _ := hold(t, p.call("other", nil), "page")
			release()
			call, want := early, true
			if began == "after" {
				call, want = p.call("after", nil), false
			}
			release, waited := hold(t, call, "page 2")
			release()
			if waited {
				t.Error("of another page")
			}
			release, waited = hold(t, call, "page")
			release()
			if waited != want {
				t.Errorf("a call that began %s: waited %v", began, waited)
			}
		}
	})
	t.Run("what was moved to another page meanwhile is held there", func(t *testing.T) {
		p := newProgram(0)
		call := p.call("early", nil)
		for _, page := range []string{"page", "another"} {
			release, _ := hold(t, p.call("other", nil), page)
			release()
		}
		looks := 0
		release, err := call.Hold(t.Context(), []string{"page"}, func() ([]string, error) { looks++; return []string{"another"}, nil })
		require.NoError(t, err)
		if _, isHeld := p.holds.queues[held{call.graph, "another"}]; !isHeld || len(p.holds.queues) != 1 || looks != 2 {
			t.Errorf("%v are held after %d looks", p.holds.queues, looks)
		}
		release()
		gone := errors.New("gone")
		if _, err := call.Hold(t.Context(), []string{"page"}, func() ([]string, error) { return nil, gone }); err != gone || len(p.holds.queues) != 0 {
			t.Errorf("%v; %v are held", err, p.holds.queues)
		}
		release, err = p.call("late", nil).Hold(t.Context(), []string{"page"}, func() ([]string, error) { return nil, gone })
		require.NoError(t, err)
		release()
	})
	t.Run("more pages than are known any more may have changed", func(t *testing.T) {
		p := newProgram(0)
		early := p.call("early", nil)
		for n := range mostEnded + 1 {
			release, _ := hold(t, p.call("other", nil), fmt.Sprint(n))
			release()
		}
		if _, waited := hold(t, early, "page"); !waited || len(p.holds.ended) > mostEnded {
			t.Error(waited, len(p.holds.ended))
		}
		if _, waited := hold(t, p.call("late", nil), "another page"); waited {
			t.Error("nothing was held since it began")
		}
	})
	t.Run("calls that want the same pages in any order all get them", func(t *testing.T) {
		p := newProgram(0)
		var running sync.WaitGroup
		for n := range 20 {
			uids := []string{"a", "b", "a", "c"}
			if n%2 == 0 {
				slices.Reverse(uids)
			}
			running.Go(func() {
				release, _, err := p.call("agent", nil).hold(t.Context(), uids)
				if err != nil {
					t.Error(err)
					return
				}
				release()
			})
		}
		running.Wait()
		if len(p.holds.queues) != 0 {
			t.Errorf("%v are held", p.holds.queues)
		}
	})
	t.Run("a call that is canceled leaves the queue, and the next has its turn", func(t *testing.T) {
		p := newProgram(0)
		release, _ := hold(t, p.call("first", nil), "page")
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { _, _, err := p.call("second", nil).hold(ctx, []string{"page"}); failed <- err }()
		await.Condition(t, "the call to wait", func() bool { return p.waiting() == 1 })
		cancel()
		if err := await.Value(t, "the error", failed); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		release()
		release, _ = hold(t, p.call("third", nil), "page")
		release()
		if len(p.holds.queues) != 0 {
			t.Errorf("%v are held", p.holds.queues)
		}
	})
	t.Run("a call that waited long enough is told for whom", func(t *testing.T) {
		for agent, want := range map[string]string{"planner": "planner", "": "another agent", "unknown": "another agent"} {
			p := newProgram(10 * time.Millisecond)
			release, _ := hold(t, p.call(agent, nil), "page")
			_, _, err := p.call("writer", nil).hold(t.Context(), []string{"another page", "page"})
			if e, ok := problem.As(err); !ok || e.Code != CodeBusy || e.Retry != problem.RetryLater || e.Message != "The note is being changed by "+want+"." {
				t.Error(err)
			}
			release()
			if len(p.holds.queues) != 0 {
				t.Errorf("%v are held", p.holds.queues)
			}
		}
	})
}

func TestHoldAmongServers(t *testing.T) {
	t.Run("pages are claimed in one order, and released", func(t *testing.T) {
		p, claims := newProgram(0), &fakeClaims{}
		release, waited := hold(t, p.call("planner", claims), "b", "a", "b")
		release()
		release()
		if got, want := claims.said(), "take a, take b, release b, release a"; got != want || waited {
			t.Errorf("%s, waited %v; want %s", got, waited, want)
		}
	})
	t.Run("calls of one program claim one after the other", func(t *testing.T) {
		p, claims := newProgram(0), &fakeClaims{}
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				release, _, err := p.call("planner", claims).hold(t.Context(), []string{"a"})
				if err != nil {
					t.Error(err)
					return
				}
				release()
			})
		}
		running.Wait()
		if got, want := claims.said(), strings.Repeat("take a, release a, ", 7)+"take a, release a"; got != want {
			t.Error(got)
		}
	})
	t.Run("a page that another server has is waited for, and the caller told", func(t *testing.T) {
		p, claims := newProgram(0), &fakeClaims{others: map[string]string{"a": "planner"}, turn: 4}
		release, waited := hold(t, p.call("writer", claims), "a")
		release()
		if want := []string{"Waiting: the note is being changed by planner."}; !waited || !slices.Equal(p.waited, want) || claims.said() != "take a, release a" {
			t.Errorf("waited %v, told %q, %s", waited, p.waited, claims.said())
		}
	})
	t.Run("what others changed since the call began is to be read again", func(t *testing.T) {
		release, waited := hold(t, newProgram(0).call("writer", &fakeClaims{changed: true}), "a")
		release()
		if !waited {
			t.Error("it is said to be as it was")
		}
	})
	unwritable := &problem.Error{Code: "HISTORY_UNAVAILABLE", Message: "It can't be written."}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx    context.Context
		claims *fakeClaims
		want   string
	}{
		"the others take too long":         {t.Context(), &fakeClaims{others: map[string]string{"b": "planner"}}, "The note is being changed by planner."},
		"a name that would break the line": {t.Context(), &fakeClaims{others: map[string]string{"b": "a\nb\u200b"}}, "The note is being changed by a b."},
		"it can't be claimed":              {t.Context(), &fakeClaims{refuse: unwritable}, "It can't be written."},
		"the call was canceled":            {canceled, &fakeClaims{}, "context canceled"},
	} {
		t.Run("nothing is left held where "+name, func(t *testing.T) {
			p := newProgram(10 * time.Millisecond)
			release, _, err := p.call("writer", tc.claims).hold(tc.ctx, []string{"a", "b"})
			if err == nil || release != nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v; want %s", err, tc.want)
			}
			said := tc.claims.said()
			for _, uid := range []string{"a", "b"} {
				if strings.Count(said, "take "+uid) > strings.Count(said, "release "+uid) {
					t.Errorf("it is held: %s", said)
				}
			}
			if len(p.holds.queues) != 0 {
				t.Errorf("%v are held", p.holds.queues)
			}
		})
	}
}
