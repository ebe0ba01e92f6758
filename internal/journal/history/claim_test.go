package history

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

func notesGraph() Graph { return someIntent("").Graph }

// claim takes a page that nobody has.
func claim(t testing.TB, j *Journal, page, agent string) *Claim {
	t.Helper()
	c := j.Claim(notesGraph(), page, agent)
	_, err := c.Take(context.Background())
	require.NoError(t, err)
	return c
}

// refused returns who has the page that a claim is for.
func refused(t testing.TB, c *Claim) string {
	t.Helper()
	_, err := c.Take(context.Background())
	if e, ok := errors.AsType[*ClaimedError](err); ok {
		return e.Agent
	}
	t.Fatalf("%v; want that another has it", err)
	return ""
}

func claimsLeft(t testing.TB, j *Journal) string {
	t.Helper()
	return ask(t, j, "SELECT count(*) FROM claim")
}

// claimAndWait takes a page, and waits to be killed.
func claimAndWait(folder string) {
	_, err := childJournal(folder).Claim(notesGraph(), "page", "killed").Take(context.Background())
	must(err)
	say("has it")
	waitForTheEnd()
}

// claimInVain gets into the line for a page, and waits to be killed.
func claimInVain(folder string) {
	_, err := childJournal(folder).Claim(notesGraph(), "page", "waiting").Take(context.Background())
	say("%v", err)
	waitForTheEnd()
}

func TestClaims(t *testing.T) {
	ctx := context.Background()
	t.Run("one of two servers has a page, and the other hears who", func(t *testing.T) {
		folder := newFolder(t)
		a, b := open(t, folder), open(t, folder)
		first, second := claim(t, a, "page", "planner"), b.Claim(notesGraph(), "page", "writer")
		if got := refused(t, second); got != "planner" {
			t.Errorf("%q has it", got)
		}
		claim(t, b, "other page", "writer").Release()
		other := b.Claim(Graph{notesGraph().Name, "offline"}, "page", "writer")
		_, err := other.Take(ctx)
		require.NoError(t, err)
		other.Release()
		first.Release()
		_, err = second.Take(ctx)
		require.NoError(t, err)
		second.Release()
		if got := claimsLeft(t, a); got != "0" {
			t.Errorf("%s are left", got)
		}
	})
	t.Run("calls have it in the order in which they asked", func(t *testing.T) {
		folder := newFolder(t)
		a, b, c := open(t, folder), open(t, folder), open(t, folder)
		first := claim(t, a, "page", "a")
		second, third := b.Claim(notesGraph(), "page", "b"), c.Claim(notesGraph(), "page", "c")
		refused(t, second)
		refused(t, third)
		first.Release()
		again := a.Claim(notesGraph(), "page", "a")
		for _, one := range []*Claim{again, third} {
			if got := refused(t, one); got != "b" {
				t.Errorf("%q is first, want b", got)
			}
		}
		second.Release() // without having had it
		if got := refused(t, again); got != "c" {
			t.Errorf("%q is first, want c", got)
		}
		_, err := third.Take(ctx)
		require.NoError(t, err)
		third.Release()
		again.Release()
		if got := claimsLeft(t, a); got != "0" {
			t.Errorf("%s are left", got)
		}
	})
	t.Run("that of a killed process is taken over at once, and a person is told", func(t *testing.T) {
		folder := newFolder(t)
		killed := start(t, "claim", folder)
		killed.line(t)
		waits := start(t, "claim in vain", folder)
		if got := waits.line(t); got != "killed is changing the page" {
			t.Error(got)
		}
		j := open(t, folder)
		mine := j.Claim(notesGraph(), "page", "planner")
		if got := refused(t, mine); got != "killed" {
			t.Errorf("%q has it", got)
		}
		killed.kill()
		if got := refused(t, mine); got != "waiting" {
			t.Errorf("%q has it", got)
		}
		waits.kill()
		_, err := mine.Take(ctx)
		require.NoError(t, err)
		const want = "HISTORY_TAKEN_OVER: A server ended while killed was changing the page page of the graph my-notes, so the page may have a part of that change. Another agent went on with the page. > See what was done: roam-mcp history"
		if got := notices(t, j); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		mine.Release()
		require.NoError(t, j.DismissNotices(ctx))
		if got := notices(t, j) + claimsLeft(t, j); got != "0" {
			t.Error(got)
		}
	})
	t.Run("one whose end could not be recorded keeps nobody out for longer than that", func(t *testing.T) {
		t.Parallel() // waits for a lock
		folder := newFolder(t)
		j, other := open(t, folder), open(t, folder)
		mine := claim(t, j, "page", "planner")
		holds := start(t, "hold", folder)
		holds.line(t)
		mine.Release()
		require.NoError(t, holds.input.Close())
		require.NoError(t, holds.Wait())
		claim(t, j, "page", "planner").Release() // in this process it counts no more
		await.Condition(t, "the claim to be removed", func() bool { return claimsLeft(t, other) == "0" })
	})
	t.Run("one that is canceled leaves nothing", func(t *testing.T) {
		folder := newFolder(t)
		a, b := open(t, folder), open(t, folder)
		first, second := claim(t, a, "page", "a"), b.Claim(notesGraph(), "page", "b")
		refused(t, second)
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := second.Take(canceled); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		second.Release()
		second.Release()
		first.Release()
		if got := claimsLeft(t, a); got != "0" {
			t.Errorf("%s are left", got)
		}
	})
	t.Run("a purge and tidying remove those of servers that do not live, and no others", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		for _, remove := range []func() error{
			func() error { return j.Tidy(ctx) },
			func() error { _, err := j.Purge(ctx, Purge{Graphs: []Graph{notesGraph()}}); return err },
			func() error { _, err := j.Purge(ctx, Purge{All: true}); return err },
		} {
			killed := start(t, "claim", folder)
			killed.line(t)
			killed.kill()
			mine := claim(t, j, "other page", "planner")
			require.NoError(t, remove())
			if got := ask(t, j, "SELECT group_concat(agent) FROM claim"); got != "planner" {
				t.Errorf("%q are left", got)
			}
			mine.Release()
			if got := claimsLeft(t, j); got != "0" {
				t.Errorf("%s are left", got)
			}
		}
	})
	t.Run("a purge forgets who was taken over", func(t *testing.T) {
		folder := newFolder(t)
		killed := start(t, "claim", folder)
		killed.line(t)
		killed.kill()
		j := open(t, folder)
		claim(t, j, "page", "planner").Release()
		_, err := j.Purge(ctx, Purge{Before: noon()})
		if got := notices(t, j); got != "" || err != nil {
			t.Error(got, err)
		}
	})
	t.Run("they are no reason for a journal that can't be written to be written", func(t *testing.T) {
		folder := newFolder(t)
		withHistory(t, folder)
		edit(t, filepath.Join(folder, "journal.db"), "PRAGMA user_version = 9")
		j := open(t, folder)
		c := j.Claim(notesGraph(), "page", "planner")
		_, err := c.Take(ctx)
		if got := told(err, folder); !strings.HasPrefix(got, string(CodeTooNew)) {
			t.Error(got)
		}
		c.Release()
	})
}

// Whoever takes a page hears whether others may have changed it since it was read.
func TestAClaimTellsOfChanges(t *testing.T) {
	ctx := context.Background()
	folder := newFolder(t)
	j, other := open(t, folder), open(t, folder)
	earlier := intend(t, other, someIntent("earlier"))
	finish(t, other, earlier, StateDone)
	on := func(page string) Intent {
		in := someIntent("block of " + page)
		in.Touches[0].Page = page
		return in
	}
	change := func(in Intent, state State) func(*testing.T) {
		return func(t *testing.T) {
			c := intend(t, other, in)
			if state != StateOpen {
				finish(t, other, c, state)
			}
		}
	}
	elsewhere := on("page")
	elsewhere.Graph.Name = "work"
	for _, tc := range []struct {
		name string
		do   func(*testing.T)
		want bool
	}{
		{"nothing", func(*testing.T) {}, false},
		{"a change of the page", change(on("page"), StateDone), true},
		{"one that was refused", change(on("page"), StateRefused), false},
		{"one of another page", change(on("other"), StateDone), false},
		{"one whose page nobody knows", change(on(""), StateDone), true},
		{"one of another graph", change(elsewhere, StateDone), false},
		{"one that is open since before", nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.do == nil {
				intend(t, other, on("page"))
				tc.do = func(*testing.T) {}
			}
			c := j.Claim(notesGraph(), "page", "planner")
			defer c.Release()
			var err error
			c.Mark, err = j.Mark(ctx)
			require.NoError(t, err)
			before := c.Mark
			tc.do(t)
			changed, err := c.Take(ctx)
			require.NoError(t, err)
			if newer, err := j.Mark(ctx); err != nil || changed != tc.want || changed && c.Mark != newer || !changed && c.Mark != before {
				t.Errorf("changed %v, mark %d after %d, now %d, %v", changed, c.Mark, before, newer, err)
			}
		})
	}
	t.Run("an own change", func(t *testing.T) {
		c := j.Claim(notesGraph(), "own page", "planner")
		defer c.Release()
		var err error
		c.Mark, err = j.Mark(ctx)
		require.NoError(t, err)
		c.Call = intend(t, j, on("own page")).Call
		if changed, err := c.Take(ctx); err != nil || changed {
			t.Error(changed, err)
		}
	})
	t.Run("without a mark", func(t *testing.T) {
		c := j.Claim(notesGraph(), "a page", "planner")
		defer c.Release()
		if changed, err := c.Take(ctx); err != nil || !changed {
			t.Error(changed, err)
		}
	})
}

// Servers that take one page again and again have it one at a time, and none for much
// longer than the others.
func TestServersClaimAPageInTurn(t *testing.T) {
	folder := newFolder(t)
	const servers, times = 4, 25
	var holding sync.Mutex
	var running sync.WaitGroup
	failed := make(chan error, servers)
	for n := range servers {
		j := open(t, folder)
		running.Go(func() {
			for range times {
				c := j.Claim(notesGraph(), "page", fmt.Sprint("agent ", n))
				for {
					_, err := c.Take(context.Background())
					if err == nil {
						break
					}
					if _, ok := errors.AsType[*ClaimedError](err); !ok {
						failed <- err
						return
					}
					time.Sleep(time.Millisecond) // as a call polls
				}
				if !holding.TryLock() {
					failed <- errors.New("two have it")
					return
				}
				holding.Unlock()
				c.Release()
			}
		})
	}
	running.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	if got := claimsLeft(t, open(t, folder)); got != "0" {
		t.Errorf("%s are left", got)
	}
}

// A claim needs no flush of the disk, and no file of its own.
func BenchmarkClaim(b *testing.B) {
	for _, others := range []int{0, 1000} {
		b.Run(fmt.Sprintf("%d changes before", others), func(b *testing.B) {
			j, ctx := open(b, newFolder(b)), context.Background()
			for n := range 1 + others {
				c := intend(b, j, benchmarkIntent(n))
				finish(b, j, c, StateDone)
			}
			var took []time.Duration
			for b.Loop() {
				mark, err := j.Mark(ctx)
				require.NoError(b, err)
				started := time.Now()
				c := j.Claim(notesGraph(), "page00001", "planner")
				c.Mark = mark
				_, err = c.Take(ctx)
				c.Release()
				took = append(took, time.Since(started))
				require.NoError(b, err)
			}
			report(b, "claim", took)
		})
	}
}
