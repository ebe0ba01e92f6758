package mirror

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/graphtest"
)

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
	t.Run("ten minutes without a question", func(t *testing.T) {
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
func held(k *Cache) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.mirrors)
}
