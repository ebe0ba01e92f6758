package files_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/files"
)

func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var value atomic.Int64
		changed := files.Poll(ctx, time.Second, value.Load, func(a, b int64) bool { return a == b })
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
		value.Store(2)
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
