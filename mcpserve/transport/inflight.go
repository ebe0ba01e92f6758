package transport

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// InFlight counts what a transport is answering, can cancel the calls among it,
// and holds their large texts until they are written. It travels in the context
// of every request of its transport, where Middleware finds it.
type InFlight struct {
	cancelled context.Context
	cancel    context.CancelFunc

	mu      sync.Mutex
	count   int
	changed chan struct{}     // closed and renewed whenever the count shrinks
	texts   map[string]string // by placeholder
}

type inFlightKey struct{}

// NewInFlight returns an InFlight that counts nothing yet.
func NewInFlight() *InFlight {
	cancelled, cancel := context.WithCancel(context.Background())
	return &InFlight{cancelled: cancelled, cancel: cancel, changed: make(chan struct{}), texts: map[string]string{}}
}

// Context returns a context for the connections of the transport. It does not
// end with ctx, since calls in flight outlive the order to stop.
func (f *InFlight) Context(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), inFlightKey{}, f)
}

// Enter counts n more; false, and none, where that would be more than most.
func (f *InFlight) Enter(n, most int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count > most-n {
		return false
	}
	f.count += n
	return true
}

// Leave counts n less.
func (f *InFlight) Leave(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count -= n
	close(f.changed)
	f.changed = make(chan struct{})
}

// Cancel cancels the calls that are in flight, and those that come.
func (f *InFlight) Cancel() { f.cancel() }

// IdleWithin waits until nothing is in flight; false where that does not come
// in time.
func (f *InFlight) IdleWithin(d time.Duration) bool {
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

// Middleware ties requests to the InFlight of the transport that they came by,
// if it has one: what may take long is counted, and is cancelled with it; a large
// text in a result is held by it. Middleware has to be the outermost one, since
// the context of a request ends once the result is written.
func Middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		f, tied := ctx.Value(inFlightKey{}).(*InFlight)
		if !tied {
			return next(ctx, method, request)
		}
		switch request.(type) {
		case *mcp.CallToolRequest, *mcp.ReadResourceRequest, *mcp.CompleteRequest:
			result, err := f.call(ctx, method, request, next)
			return f.withPlaceholder(ctx, result), err
		}
		return next(ctx, method, request)
	}
}

// call handles a request that Cancel cancels. Over HTTP it may outlive the HTTP
// request that it came by, so it is counted by itself.
func (f *InFlight) call(ctx context.Context, method string, request mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.Enter(1, math.MaxInt)
	defer f.Leave(1)
	defer context.AfterFunc(f.cancelled, cancel)()
	return next(ctx, method, request)
}
