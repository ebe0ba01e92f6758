package mirror

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/graphtest"
)

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
func (k *Cache) waiting(graph localapi.Graph) int {
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
