package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// refresh is a load or a refresh that several callers may wait for. It asks Roam through
// one of those who wait, and ends when nobody does.
type refresh struct {
	*mirror
	number int64 // flights begin in this order
	done   chan struct{}
	err    error // once done is closed

	cancel context.CancelFunc

	mu      sync.Mutex
	waiting []*waiter
	over    bool // nobody waits any more
}

// waiter is one call that waits for a flight.
type waiter struct {
	ctx    context.Context
	source Source
}

// join makes a call wait for the flight; false if it is over.
func (f *refresh) join(w *waiter) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return false
	}
	f.waiting = append(f.waiting, w)
	return true
}

// leave ends the wait of a call, and the flight if it was the last.
func (f *refresh) leave(w *waiter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = slices.DeleteFunc(f.waiting, func(other *waiter) bool { return other == w })
	if len(f.waiting) == 0 {
		f.over = true
		f.cancel()
	}
}

// caller returns a call that still waits; nil if there is none.
func (f *refresh) caller() *waiter {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.waiting {
		if w.ctx.Err() == nil {
			return w
		}
	}
	return nil
}

// ask runs one action through a call that waits. It returns how long Roam took, less
// what the quickest call took: the way there and back.
func (f *refresh) ask(ctx context.Context, action string, args ...any) (json.RawMessage, time.Duration, error) {
	w := f.caller()
	if w == nil {
		return nil, 0, context.Canceled
	}
	// The call lends its values, not its end: others may wait for the flight too.
	asking, cancel := context.WithCancel(context.WithoutCancel(w.ctx))
	defer context.AfterFunc(ctx, cancel)()
	defer cancel()
	start := f.options.Now()
	reply, err := w.source.Ask(asking, action, args...)
	took := f.options.Now().Sub(start)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, 0, localapi.UnsupportedQuery(err)
	}
	return reply, f.cost(took), nil
}

// query runs a query.
func (f *refresh) query(ctx context.Context, query string, inputs ...any) (json.RawMessage, time.Duration, error) {
	return f.ask(ctx, "data.q", append([]any{query}, inputs...)...)
}

// progress tells those who wait how far a load is.
func (f *refresh) progress(text string) {
	f.mu.Lock()
	waiting := slices.Clone(f.waiting)
	f.mu.Unlock()
	for _, w := range waiting {
		if w.source.Progress != nil && w.ctx.Err() == nil {
			w.source.Progress(text)
		}
	}
}

// unreadable says that a reply can't be understood.
func unreadable(err error) error {
	return localapi.UnsupportedReply("data.q", "a list of pages and blocks", err)
}

// run runs the flight, whose panics fail it alone.
func (f *refresh) run(ctx context.Context, work func(ctx context.Context) error) {
	defer close(f.done)
	defer f.cancel()
	defer func() {
		if p := recover(); p != nil {
			f.options.Log.Error("the mirror failed", "panic", p, "stack", string(debug.Stack()))
			f.err = &problem.Error{Code: localapi.CodeInternal, Message: fmt.Sprintf("The mirror of the graph failed: %v.", p)}
		}
		f.mu.Lock()
		f.over = true
		f.mu.Unlock()
	}()
	f.err = work(ctx)
}
