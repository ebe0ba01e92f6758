package sandbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/desk"
)

// callsKept is how many calls are remembered.
const callsKept = 100

// Call is a request that was answered.
type Call struct {
	Time     time.Time
	Graph    localapi.Graph // empty for the routes without a graph
	Action   string         // an action, or a route such as "graphs/open"
	Status   int            // HTTP
	Code     problem.Code   // of the error, where it had one
	Duration time.Duration
}

// Calls gives the latest calls, oldest first, now and after every one: the
// newest state only, for one who is slow. The channel closes when ctx ends.
func (s *Server) Calls(ctx context.Context) <-chan []Call { return s.calls.watch(ctx) }

// callUnderWay is a Call that is not answered yet.
type callUnderWay struct {
	Call
	began time.Time // with the monotonic clock, which Options.Now may not have
}

func (s *Server) begin(graph localapi.Graph, action string) callUnderWay {
	return callUnderWay{Call{Time: s.options.Now(), Graph: graph, Action: action}, time.Now()}
}

func (s *Server) end(entry callUnderWay, status int, err error) {
	call := entry.Call
	call.Status = status
	call.Duration = time.Since(entry.began)
	var refused *refusal
	var denied *desk.Error
	switch {
	case errors.As(err, &refused):
		call.Code = refused.code
	case errors.As(err, &denied):
		call.Code = denied.Code
	}
	s.calls.add(call)
	s.options.Log.Debug("call", "action", call.Action, "graph", call.Graph.Name, "type", call.Graph.Type,
		"status", status, "code", call.Code, "duration", call.Duration)
}

type callLog struct {
	mu       sync.Mutex
	calls    []Call
	watchers map[chan []Call]struct{}
}

func newCallLog() *callLog { return &callLog{watchers: map[chan []Call]struct{}{}} }

func (l *callLog) add(call Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) == callsKept {
		l.calls = slices.Delete(l.calls, 0, 1)
	}
	l.calls = append(l.calls, call)
	for watcher := range l.watchers {
		select {
		case <-watcher: // replaced by what is newer
		default:
		}
		watcher <- slices.Clone(l.calls)
	}
}

func (l *callLog) watch(ctx context.Context) <-chan []Call {
	watcher := make(chan []Call, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	watcher <- slices.Clone(l.calls)
	l.watchers[watcher] = struct{}{}
	context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers, watcher)
		close(watcher)
	})
	return watcher
}
