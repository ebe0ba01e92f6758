package sandbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/page"
)

// callsKept is the number of calls that are kept.
const callsKept = 100

// Call is a request that was answered.
type Call = page.Call

// Calls sends the latest calls, oldest first, now and after every call. A slow
// receiver gets only the newest state. The channel closes when ctx ends.
func (s *Server) Calls(ctx context.Context) <-chan []Call { return s.calls.watch(ctx) }

// inflightCall is a Call that has not been answered.
type inflightCall struct {
	Call
	began time.Time // with a monotonic clock, which Options.Now may lack
}

func (s *Server) begin(graph localapi.Graph, action string) inflightCall {
	return inflightCall{Call{Time: s.options.Now(), Graph: graph, Action: action}, time.Now()}
}

func (s *Server) end(entry inflightCall, status int, err error) {
	call := entry.Call
	call.Status = status
	call.Duration = time.Since(entry.began)
	call.Code = problem.CodeOf(err)
	if refused, ok := errors.AsType[*refusal](err); ok {
		call.Code = refused.code
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
