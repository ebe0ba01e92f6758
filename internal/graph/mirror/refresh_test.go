package mirror

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

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
	t.Run("of a large graph sees a shortcut of ours at once", func(t *testing.T) {
		r := newMemory(t, graphtest.Options{Blocks: 600, Seed: 1})
		k := New(Options{Now: still, small: -1})
		defer k.Close()
		r.view(k, Texts)
		page := graphtest.PageUID(graphtest.BigPage)
		r.edit(still(), func(w *outline.Writer) error { return w.AddShortcut(page, outline.Last) })
		k.Wrote(r.source().Graph, true)
		if n, _ := r.view(k, Texts).Note(page); n.Shortcut != 0 {
			t.Errorf("its place is %d, want 0", n.Shortcut)
		}
	})
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
	t.Run("of a large graph sees after half a minute what a device that was offline had edited long before", func(t *testing.T) {
		for name, options := range map[string]Options{"texts": {small: -1}, "links": {small: -1, few: -1}} {
			need := map[string]Need{"texts": Texts, "links": Links}[name]
			r := newMemory(t, graphtest.Options{Blocks: 6_000, Seed: 1})
			clock := newClock()
			options.Now = clock.Now
			k := New(options)
			defer k.Close()
			r.view(k, need)
			late := fmt.Sprintf("of long ago, see [[%s]]", graphtest.Title(3))
			r.edit(clock.Now().AddDate(-20, 0, 0), func(w *outline.Writer) error { return w.UpdateBlock(uid, text(late)) })
			clock.Advance(scanEvery)
			r.count()
			v := r.view(k, need)
			if n := r.count(); n > 10 {
				t.Errorf("%s: %d calls", name, n)
			}
			fresh := New(Options{Now: clock.Now})
			defer fresh.Close()
			if d := differ(links(v), links(r.view(fresh, Texts))); d != "" {
				t.Errorf("%s: %s", name, d)
			}
			if n, _ := v.Note(uid); need == Texts && n.Text != late {
				t.Errorf("the text is %q", n.Text)
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
func (k *Cache) blocked() int { return int(k.behind.Load()) }
