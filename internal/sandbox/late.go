package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"roam-mcp/internal/graph/datalog"
)

// errLate ends a call whose connection is cut, since the switch Late has postponed it.
var errLate = errors.New("the call is done later")

// lateWrites are writes that the switch Late has postponed. The zero value is ready.
type lateWrites struct {
	mu      sync.Mutex
	stopped chan struct{} // nil until there is one, closed by stop
	ended   bool
	running sync.WaitGroup
}

// after runs a write when the time has passed, unless stop is called before.
func (l *lateWrites) after(wait time.Duration, write func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	if l.stopped == nil {
		l.stopped = make(chan struct{})
	}
	stopped := l.stopped
	l.running.Go(func() {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			write()
		case <-stopped:
		}
	})
}

// stop drops what waits, and returns when what runs has ended.
func (l *lateWrites) stop() {
	l.mu.Lock()
	if l.stopped != nil && !l.ended {
		close(l.stopped)
	}
	l.ended = true
	l.mu.Unlock()
	l.running.Wait()
}

// postpone has a write done later, whether or not its caller still waits. It returns
// errLate.
func (s *Server) postpone(ctx context.Context, wait time.Duration, entry loggedCall, run func(context.Context, *datalog.Share) (json.RawMessage, error)) error {
	s.late.after(wait, func() {
		memory := s.actions.OpenMemory()
		defer memory.Release()
		status := http.StatusOK
		_, err := run(context.WithoutCancel(ctx), memory)
		if err != nil {
			status, _ = failure(err)
		}
		s.end(entry, status, err)
	})
	return errLate
}
