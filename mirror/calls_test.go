package mirror

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// still is a clock that stands still, so that Roam seems to take no time.
func still() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }

func TestCalls(t *testing.T) {
	for _, test := range []struct {
		name       string
		options    Options
		need       Need
		cold, warm int
	}{
		{"links of a small graph", Options{}, Links, 3, 1},
		{"texts of a small graph", Options{}, Texts, 3, 1},
		{"links by queries, some blocks hidden", Options{few: -1, small: -1}, Links, 4, 1},
		{"texts of a large graph", Options{small: -1}, Texts, 3, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, demograph.JSON)
			w.create("grace0001", "newblock1", "written a moment ago")
			k := w.keeper(test.options)
			w.view(k, test.need)
			if n := w.count(); n > test.cold {
				t.Errorf("cold: %d calls, want %d at most", n, test.cold)
			}
			w.view(k, test.need) // what was edited last is seen as known from here on
			w.count()
			w.view(k, test.need)
			if n := w.count(); n != test.warm {
				t.Errorf("warm: %d calls, want %d", n, test.warm)
			}
			w.create("grace0001", "newblock2", "see [[Ada]]")
			v := w.view(k, test.need)
			if n := w.count(); n > test.warm+1 {
				t.Errorf("after an edit: %d calls, want %d at most", n, test.warm+1)
			}
			grace, _ := v.NodeOf("grace0001")
			ada, _ := v.NodeOf("ada000001")
			if path := v.Links().Path(grace, ada); len(path) != 2 {
				t.Errorf("path %v, want one step", path)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	large := graphtest.Options{Blocks: 4_000, Seed: 1}
	options := Options{Now: still, small: -1}
	t.Run("tells how far it is", func(t *testing.T) {
		r := newMemory(t, large)
		s := r.source()
		var told []string
		s.Progress = func(text string) { told = append(told, text) }
		k := New(options)
		defer k.Close()
		if _, err := k.View(t.Context(), s, Texts); err != nil {
			t.Fatal(err)
		}
		if len(told) == 0 || !strings.HasPrefix(told[0], "Reading the graph: ") || !strings.HasSuffix(told[0], "of 1,001 pages") {
			t.Errorf("told %q", told)
		}
	})
	t.Run("goes on where one was broken off", func(t *testing.T) {
		r := newMemory(t, large)
		k := New(options)
		defer k.Close()
		r.view(k, Texts)
		whole := r.count()
		k.Close()
		ctx, cancel := context.WithCancel(t.Context())
		chunks := 0
		r.set(func(ctx context.Context, query string) error {
			if strings.Contains(query, ":in $ [?e ...]") {
				if chunks++; chunks == 2 {
					cancel()
					<-ctx.Done()
					return ctx.Err()
				}
			}
			return nil
		})
		if _, err := k.View(ctx, r.source(), Texts); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want the end of the context", err)
		}
		broken := r.count()
		r.set(nil)
		// What is edited meanwhile, also on pages that were read, is seen.
		r.edit(still(), func(w *outline.Writer) error {
			text := "edited while the load was broken off"
			return w.UpdateBlock(graphtest.BlockUID(3_999), outline.BlockUpdate{String: &text})
		})
		v := r.view(k, Texts)
		if again := r.count(); broken+again > whole+4 {
			t.Errorf("%d calls and %d, where %d read all", broken, again, whole)
		}
		if n, _ := v.Note(graphtest.BlockUID(3_999)); n.Text != "edited while the load was broken off" {
			t.Errorf("text %q", n.Text)
		}
	})
	t.Run("that another call waits for goes on", func(t *testing.T) {
		r := newMemory(t, large)
		k := New(options)
		defer k.Close()
		first, cancel := context.WithCancel(t.Context())
		started, proceed := make(chan struct{}), make(chan struct{})
		var once sync.Once
		r.set(func(ctx context.Context, query string) error {
			if strings.Contains(query, ":in $ [?e ...]") {
				once.Do(func() { close(started) })
				select {
				case <-proceed:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
		firstEnd, secondEnd := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := k.View(first, r.source(), Texts)
			firstEnd <- err
		}()
		await.Value(t, "the load", started)
		go func() {
			_, err := k.View(context.WithoutCancel(t.Context()), r.source(), Texts)
			secondEnd <- err
		}()
		await.Condition(t, "a second call", func() bool { return k.waiting(r.source().Graph) == 2 })
		cancel()
		if err := await.Value(t, "the end of the first", firstEnd); !errors.Is(err, context.Canceled) {
			t.Errorf("the first ends with %v", err)
		}
		close(proceed)
		if err := await.Value(t, "the end of the second", secondEnd); err != nil {
			t.Errorf("the second ends with %v", err)
		}
	})
	t.Run("of texts does not hold up a question about links", func(t *testing.T) {
		r := newMemory(t, large)
		k := New(options)
		defer k.Close()
		started, proceed := make(chan struct{}), make(chan struct{})
		var once sync.Once
		r.set(func(ctx context.Context, query string) error {
			if strings.Contains(query, ":block/heading") && strings.Contains(query, ":in $ [?e ...]") {
				once.Do(func() { close(started) })
				<-proceed
			}
			return nil
		})
		end := make(chan error, 1)
		go func() {
			_, err := k.View(context.WithoutCancel(t.Context()), r.source(), Texts)
			end <- err
		}()
		await.Value(t, "the load", started)
		if v := r.view(k, Links); v.DB() != nil || v.Links().Len() == 0 {
			t.Error("no links")
		}
		close(proceed)
		if err := await.Value(t, "the end", end); err != nil {
			t.Error(err)
		}
		if v := r.view(k, Links); v.DB() == nil {
			t.Error("the texts are not used for links")
		}
	})
	t.Run("has chunks that follow the clock", func(t *testing.T) {
		for _, slow := range []time.Duration{0, time.Second} {
			r := newMemory(t, large)
			clock := newClock()
			r.set(func(context.Context, string) error {
				clock.Advance(slow)
				return nil
			})
			k := New(Options{Now: clock.Now, small: -1})
			defer k.Close()
			r.view(k, Texts)
			if got := k.mirrors[r.source().Graph].live.chunk; slow > 0 && got != leastChunk || slow == 0 && got <= firstChunk {
				t.Errorf("where a query takes %v the last chunk has %d entities", slow, got)
			}
		}
	})
	t.Run("of links goes in chunks where Roam is slow", func(t *testing.T) {
		r := newMemory(t, large)
		clock := newClock()
		r.set(func(_ context.Context, query string) error {
			if query == pagesQuery {
				clock.Advance(2 * time.Second)
			}
			return nil
		})
		k := New(Options{Now: clock.Now, small: -1})
		defer k.Close()
		v := r.view(k, Links)
		for _, query := range r.calls {
			if query == referringQuery {
				t.Error("a query of the whole graph")
			}
		}
		want := r.view(New(options), Links)
		if d := differ(links(v), links(want)); d != "" {
			t.Error(d)
		}
	})
}

// waiting returns how many calls wait for flights of a graph.
func (k *Keeper) waiting(graph localapi.Graph) int {
	k.mu.Lock()
	m := k.mirrors[graph]
	k.mu.Unlock()
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, f := range m.flights {
		f.mu.Lock()
		n += len(f.waiting)
		f.mu.Unlock()
	}
	return n
}

func TestRefresh(t *testing.T) {
	text := func(s string) outline.BlockUpdate { return outline.BlockUpdate{String: &s} }
	uid := graphtest.BlockUID(7)
	for name, options := range map[string]Options{"small": {Now: still, small: 1 << 20}, "large": {Now: still, small: -1}} {
		t.Run("has what was written while one was under way, "+name, func(t *testing.T) {
			r := newMemory(t, graphtest.Options{Blocks: 600, Seed: 1})
			k := New(options)
			defer k.Close()
			r.view(k, Texts)
			started, proceed := make(chan struct{}), make(chan struct{})
			var once sync.Once
			r.set(func(context.Context, string) error {
				once.Do(func() {
					close(started)
					<-proceed
				})
				return nil
			})
			var group sync.WaitGroup
			group.Go(func() { r.view(k, Texts) })
			await.Value(t, "a refresh", started)
			r.edit(still(), func(w *outline.Writer) error { return w.UpdateBlock(uid, text("written meanwhile")) })
			r.count()
			const callers = 5
			for range callers {
				group.Go(func() {
					if n, _ := r.view(k, Texts).Note(uid); n.Text != "written meanwhile" {
						t.Errorf("text %q", n.Text)
					}
				})
			}
			await.Condition(t, "the callers", func() bool { return k.blocked() == callers })
			close(proceed)
			group.Wait()
			if n := r.count(); n > 4 {
				t.Errorf("%d calls for %d callers that could share one refresh", n, callers)
			}
		})
		t.Run("is not blinded by a device whose clock is fast, "+name, func(t *testing.T) {
			r := newMemory(t, graphtest.Options{Blocks: 600, Seed: 1})
			k := New(options)
			defer k.Close()
			early := graphtest.BlockUID(8)
			r.edit(still().AddDate(1, 0, 0), func(w *outline.Writer) error { return w.UpdateBlock(early, text("of next year")) })
			r.view(k, Texts)
			for n := range 3 {
				want := fmt.Sprintf("see [[now %d]]", n)
				r.edit(still(), func(w *outline.Writer) error { return w.UpdateBlock(uid, text(want)) })
				v := r.view(k, Texts)
				if n, _ := v.Note(uid); n.Text != want {
					t.Errorf("text %q, want %q", n.Text, want)
				}
				r.edit(still().AddDate(2, 0, n), func(w *outline.Writer) error { return w.UpdateBlock(early, text(want)) })
				if n, _ := r.view(k, Texts).Note(early); n.Text != want {
					t.Errorf("early text %q, want %q", n.Text, want)
				}
			}
		})
		t.Run("that fails half way is made good by the next, "+name, func(t *testing.T) {
			r := newMemory(t, graphtest.Options{Blocks: 600, Seed: 1})
			k := New(options)
			defer k.Close()
			r.view(k, Texts)
			failing := errors.New("failing")
			for n := range 4 {
				r.edit(still().Add(time.Duration(n+1)*time.Second), func(w *outline.Writer) error {
					if err := w.MoveBlock(graphtest.BlockUID(20+n), outline.Location{ParentUID: graphtest.PageUID(graphtest.BigPage)}); err != nil {
						return err
					}
					return w.UpdateBlock(graphtest.BlockUID(30+n), text(fmt.Sprintf("see [[new %d]]", n)))
				})
				left := n + 1
				r.set(func(context.Context, string) error {
					if left--; left == 0 {
						return failing
					}
					return nil
				})
				_, err := k.View(t.Context(), r.source(), Texts)
				if err != nil && !errors.Is(err, failing) {
					t.Fatalf("error %v", err)
				}
				r.set(nil)
				got, want := r.view(k, Texts), r.view(New(Options{Now: still}), Texts)
				if d := differ(texts(got), texts(want)) + differ(links(got), links(want)); d != "" {
					t.Fatalf("call %d failed: %s", n, d)
				}
			}
		})
	}
	t.Run("of a large graph sees what is gone after half a minute, and at once what we deleted", func(t *testing.T) {
		r := newMemory(t, graphtest.Options{Blocks: 600, Seed: 1})
		clock := newClock()
		k := New(Options{Now: clock.Now, small: -1})
		defer k.Close()
		r.view(k, Texts)
		there := func(uid string) bool {
			_, ok := r.view(k, Texts).Note(uid)
			return ok
		}
		for i, uid := range []string{graphtest.BlockUID(40), graphtest.BlockUID(41)} {
			r.edit(clock.Now(), func(w *outline.Writer) error {
				_, err := w.DeleteBlock(uid)
				return err
			})
			if i == 0 {
				clock.Advance(scanEvery)
			} else {
				k.Wrote(r.source().Graph, true)
			}
			if there(uid) {
				t.Errorf("%s is still there", uid)
			}
		}
	})
	t.Run("of a graph whose structure is dear to compare sees what is gone part by part", func(t *testing.T) {
		for _, need := range []Need{Links, Texts} {
			r := newMemory(t, graphtest.Options{Blocks: 3000, Seed: 1})
			clock := newClock()
			k := New(Options{Now: clock.Now, small: -1})
			defer k.Close()
			r.view(k, need)
			k.mirrors[r.source().Graph].scanCost = scanLimit + 1
			k.mirrors[r.source().Graph].live.hastenScrub()
			r.edit(clock.Now(), func(w *outline.Writer) error {
				for n := 0; n < 3000; n += 30 {
					if _, err := w.DeleteBlock(graphtest.BlockUID(n)); err != nil {
						return err
					}
				}
				return nil
			})
			want := New(Options{Now: still})
			defer want.Close()
			lines := links(r.view(want, Texts))
			for n := 0; ; n++ {
				d := differ(links(r.view(k, need)), lines)
				if d == "" {
					break
				}
				if n == 10 {
					t.Fatalf("still not seen: %.300s", d)
				}
			}
		}
	})
	t.Run("ends on a graph with a block on two pages", func(t *testing.T) {
		for _, need := range []Need{Links, Texts} {
			r := newMemory(t, graphtest.Options{Blocks: 1200, Seed: 1})
			block := outline.ByUID(r.conn.DB(), graphtest.BlockUID(100))
			_, err := r.conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
				return tx.Set(outline.ByUID(tx, graphtest.PageUID(graphtest.BigPage)), graphdb.BlockChildren, graphdb.RefValue(block))
			})
			require.NoError(t, err)
			k := New(Options{Now: still, small: -1})
			defer k.Close()
			r.view(k, need)
			for n := range 3 {
				r.edit(still().Add(time.Duration(n)*time.Second), func(w *outline.Writer) error {
					if _, err := w.CreateBlocks(outline.Location{ParentUID: graphtest.PageUID(graphtest.BigPage)}, []outline.Block{{String: "beside it"}}); err != nil || n > 0 {
						return err
					}
					return w.UpdateBlock(graphtest.BlockUID(100), text(fmt.Sprintf("see [[%s]] %d", graphtest.Title(1), n)))
				})
				r.view(k, need)
				r.edit(still().Add(time.Duration(n)*time.Second+time.Millisecond), func(w *outline.Writer) error {
					return w.UpdateBlock(graphtest.BlockUID(100), text(fmt.Sprintf("see [[%s]] again %d", graphtest.Title(1), n)))
				})
				r.view(k, need)
			}
		}
	})
	t.Run("tells once that a page was renamed, and nothing of our own renames", func(t *testing.T) {
		r := newMemory(t, graphtest.Options{Blocks: 400, Seed: 1})
		k := New(Options{Now: still})
		defer k.Close()
		r.view(k, Links)
		page := graphtest.PageUID(60)
		rename := func(title string) {
			r.edit(still(), func(w *outline.Writer) error { return w.UpdatePage(page, outline.PageUpdate{Title: &title}, false) })
		}
		rename("First")
		v := r.view(k, Links)
		want := fmt.Sprintf("The page was renamed in Roam: %q → %q", graphtest.Title(60), "First")
		if told := v.Notices(page); len(told) != 1 || told[0] != want {
			t.Errorf("told %q, want %q", told, want)
		}
		if told := r.view(k, Links).Notices(page); len(told) != 0 {
			t.Errorf("told again: %q", told)
		}
		rename("Second")
		k.Wrote(r.source().Graph, false)
		if told := r.view(k, Links).Notices(page); len(told) != 0 {
			t.Errorf("told of our own: %q", told)
		}
		for n := range 10 {
			rename(fmt.Sprintf("Title %d", n))
			r.view(k, Links)
		}
		if told := r.view(k, Links).Notices(page); len(told) != maxNotices {
			t.Errorf("%d notices, want %d", len(told), maxNotices)
		}
	})
}

// blocked returns how many calls wait for a flight that began before them.
func (k *Keeper) blocked() int { return int(k.behind.Load()) }

func TestForgetting(t *testing.T) {
	r := newMemory(t, graphtest.Options{Blocks: 400, Seed: 1})
	options := Options{Now: still}
	t.Run("a revoked token", func(t *testing.T) {
		k := New(options)
		defer k.Close()
		r.view(k, Texts)
		gone := r.gone(k)
		revoked := &problem.Error{Code: localapi.CodeTokenNotFound, Message: "revoked"}
		r.set(func(context.Context, string) error { return revoked })
		defer r.set(nil)
		if _, err := k.View(t.Context(), r.source(), Links); !errors.Is(err, revoked) {
			t.Errorf("error %v, want it as it is", err)
		}
		awaitGone(t, gone)
	})
	t.Run("a failing Roam forgets nothing, and answers nothing", func(t *testing.T) {
		k := New(options)
		defer k.Close()
		r.view(k, Texts)
		failed := &problem.Error{Code: localapi.CodeConnectionFailed, Message: "nobody answers"}
		r.set(func(context.Context, string) error { return failed })
		v, err := k.View(t.Context(), r.source(), Links)
		if v != nil || !errors.Is(err, failed) {
			t.Errorf("view %v, error %v", v, err)
		}
		r.set(nil)
		r.count()
		r.view(k, Texts)
		if n := r.count(); n > 2 {
			t.Errorf("%d calls: loaded anew", n)
		}
	})
	t.Run("a graph that is no longer served", func(t *testing.T) {
		k := New(options)
		defer k.Close()
		r.view(k, Texts)
		gone := r.gone(k)
		k.Retain(func(localapi.Graph) bool { return false })
		awaitGone(t, gone)
	})
	t.Run("one that is being loaded", func(t *testing.T) {
		k := New(options)
		defer k.Close()
		r.set(func(ctx context.Context, _ string) error {
			k.Retain(func(localapi.Graph) bool { return false })
			<-ctx.Done()
			return ctx.Err()
		})
		defer r.set(nil)
		if _, err := k.View(t.Context(), r.source(), Links); !errors.Is(err, errForgotten) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("another token", func(t *testing.T) {
		k := New(options)
		defer k.Close()
		r.view(k, Texts)
		gone := r.gone(k)
		other := r.source()
		other.Key = "another"
		r.count()
		if _, err := k.View(t.Context(), other, Links); err != nil {
			t.Fatal(err)
		}
		if r.count() < 2 {
			t.Error("answered from what another token has read")
		}
		awaitGone(t, gone)
	})
	t.Run("half an hour without a question", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			k := New(Options{})
			r.view(k, Texts)
			time.Sleep(idleLimit - time.Minute)
			r.view(k, Texts)
			time.Sleep(idleLimit - time.Minute)
			synctest.Wait()
			if held(k) != 1 {
				t.Error("forgotten too early")
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if held(k) != 0 {
				t.Error("not forgotten")
			}
		})
	})
	t.Run("the graph that was used longest ago, to make room", func(t *testing.T) {
		other := newMemory(t, graphtest.Options{Blocks: 1200, Seed: 2})
		other.graph = "other"
		roomy := New(options)
		defer roomy.Close()
		other.view(roomy, Texts)
		clock := newClock()
		k := New(Options{Now: clock.Now, Limit: roomy.mirrors[other.source().Graph].size + 1000})
		defer k.Close()
		r.view(k, Texts)
		gone := r.gone(k)
		clock.Advance(time.Second)
		other.view(k, Texts)
		awaitGone(t, gone)
	})
	t.Run("texts of a graph that is too large, not its links", func(t *testing.T) {
		k := New(Options{Now: still, Limit: 300 << 10, few: -1})
		defer k.Close()
		large := newMemory(t, graphtest.Options{Blocks: 2000, Seed: 2})
		for range 2 {
			_, err := k.View(t.Context(), large.source(), Texts)
			if failed, ok := problem.As(err); !ok || failed.Code != CodeGraphTooLarge {
				t.Errorf("error %v", err)
			}
			large.view(k, Links)
		}
	})
}

// held returns how many graphs a Keeper holds.
func held(k *Keeper) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.mirrors)
}
