package mcpserve

import (
	"context"
	"sync"
	"time"
)

// inFlight counts what is being answered, and can cancel the tool calls among
// it. It travels in the context of every request of its transport.
type inFlight struct {
	ended  context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	count   int
	changed chan struct{} // closed and renewed whenever the count shrinks
}

type inFlightKey struct{}

func newInFlight() *inFlight {
	ended, cancel := context.WithCancel(context.Background())
	return &inFlight{ended: ended, cancel: cancel, changed: make(chan struct{})}
}

// enter counts n more; false, and none, where that would be more than most.
func (f *inFlight) enter(n, most int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count > most-n {
		return false
	}
	f.count += n
	return true
}

func (f *inFlight) leave(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count -= n
	close(f.changed)
	f.changed = make(chan struct{})
}

// idleWithin waits until nothing is in flight; false where that does not come.
func (f *inFlight) idleWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		f.mu.Lock()
		idle, changed := f.count == 0, f.changed
		f.mu.Unlock()
		if idle {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		}
	}
}
