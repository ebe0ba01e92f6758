package poll_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/poll"
)

func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		value := 1
		changed := poll.Changes(ctx, time.Second, func() int { return value }, func(a, b int) bool { return a == b })
		received := func() bool {
			time.Sleep(2 * time.Second) // of simulated time
			synctest.Wait()
			select {
			case _, open := <-changed:
				return open
			default:
				return false
			}
		}
		if received() {
			t.Error("it tells of a change where there is none")
		}
		value = 2
		if !received() {
			t.Error("it does not tell of a change")
		}
		if received() {
			t.Error("it tells of one change twice")
		}
		cancel()
		synctest.Wait()
		if _, open := <-changed; open {
			t.Error("the channel stays open")
		}
	})
}
