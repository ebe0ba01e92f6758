package ops

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// roamLimit is how many writes Roam takes in roamWindow (LOCAL_API.md 1.7).
const (
	roamLimit  = 1500
	roamWindow = time.Minute
)

func TestWrite_waitsForItsTurn(t *testing.T) {
	work := localapi.Graph{Name: "work", Type: localapi.Hosted}
	// start returns a Roam that notes when writes arrive, and a way to write to a graph.
	start := func() (roam *fakeRoam, operations *Operations, arrived *[]time.Time) {
		roam, arrived = newFakeRoam(nil), new([]time.Time)
		note := func([]any) (string, error) { *arrived = append(*arrived, time.Now()); return `null`, nil }
		roam.answers["data.block.move"], roam.answers["data.block.updateBlocks"] = note, note
		return roam, New(Options{}), arrived
	}
	move := func(ctx context.Context, g *Graph) error {
		_, err := g.MoveBlock(ctx, BlockMove{UID: "b"})
		return err
	}
	use := func(t *testing.T, g *Graph) {
		t.Helper()
		for range writesAtOnce {
			if err := move(t.Context(), g); err != nil {
				t.Fatal(err)
			}
		}
	}

	t.Run("so that Roam never has too many of them", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			roam, operations, arrived := start()
			graph := operations.On(work, roam)
			for range 2 * roamLimit {
				if err := move(t.Context(), graph); err != nil {
					t.Fatal(err)
				}
			}
			for i := roamLimit; i < len(*arrived); i++ {
				if took := (*arrived)[i].Sub((*arrived)[i-roamLimit]); took < roamWindow {
					t.Fatalf("%d writes went out within %s", roamLimit+1, took)
				}
			}
			if took := time.Since((*arrived)[0]); took > 2*roamWindow+roamWindow/2 {
				t.Errorf("%d writes took %s", len(*arrived), took)
			}
		})
	})
	t.Run("unless they are few", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			roam, operations, _ := start()
			began := time.Now()
			use(t, operations.On(work, roam))
			use(t, operations.On(localapi.Graph{Name: "work", Type: localapi.Offline}, roam))
			if took := time.Since(began); took != 0 || len(roam.waited) != 0 {
				t.Errorf("they waited %s: %v", took, roam.waited)
			}
		})
	})
	t.Run("and says so meanwhile", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			roam, operations, _ := start()
			graph := operations.On(work, roam)
			use(t, graph)
			if err := move(t.Context(), graph); err != nil || len(roam.waited) != 1 {
				t.Errorf("got %v; said %q", err, roam.waited)
			}
		})
	})
	t.Run("a batch as one write", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			roam, operations, _ := start()
			graph := operations.On(work, roam)
			began := time.Now()
			for range writesAtOnce {
				_, _ = graph.UpdateBlocks(t.Context(), BlockUpdates{{UID: "a"}, {UID: "b"}})
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("they waited %s", took)
			}
		})
	})
	t.Run("or is told when to come again where too many wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			roam, operations, arrived := start()
			graph := operations.On(work, roam)
			use(t, graph)
			const waiting = int(turnPatience/time.Second) * writesPerSecond
			done := make(chan error, waiting)
			for range waiting {
				go func() { done <- move(t.Context(), graph) }()
			}
			synctest.Wait()
			err := move(t.Context(), graph)
			told, ok := problem.As(err)
			if !ok || told.Code != localapi.CodeRateLimited || told.Retry != problem.RetryLater || told.Sent() || told.Detail(DetailRetryAfter) != 11 {
				t.Fatalf("got %v", err)
			}
			for range waiting {
				if err := <-done; err != nil {
					t.Errorf("one that waited: %v", err)
				}
			}
			time.Sleep(time.Second)
			if err := move(t.Context(), graph); err != nil || len(*arrived) != writesAtOnce+waiting+1 {
				t.Errorf("then got %v after %d writes", err, len(*arrived))
			}
		})
	})
	t.Run("and ends with its call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			roam, operations, arrived := start()
			graph := operations.On(work, roam)
			use(t, graph)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- move(ctx, graph) }()
			synctest.Wait()
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) || Explained(err).Code != localapi.CodeCancelled {
				t.Errorf("got %v", err)
			}
			began := time.Now()
			if err := move(t.Context(), graph); err != nil || len(*arrived) != writesAtOnce+1 {
				t.Errorf("then got %v after %d writes", err, len(*arrived))
			}
			if took := time.Since(began); took > time.Second/writesPerSecond {
				t.Errorf("its turn was not given back: the next write waited %s", took)
			}
		})
	})
}
