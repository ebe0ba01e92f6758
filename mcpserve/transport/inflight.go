package transport

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// InFlight bounds the calls that a transport is answering (IsCall), can cancel
// them, and holds their large texts until they are written. It travels in the
// context of every request of its transport, where Middleware finds it.
type InFlight struct {
	cancelled context.Context
	cancel    context.CancelFunc
	turns     chan struct{} // holds one element for each call that was not admitted

	mu       sync.Mutex
	admitted Counter
	posts    map[string]*Post // by the value of postHeader
	lastPost uint64
	changed  chan struct{}     // closed and renewed whenever a Post ends
	texts    map[string]string // by placeholder
}

type inFlightKey struct{}

// NewInFlight returns an InFlight that counts nothing yet.
func NewInFlight() *InFlight {
	cancelled, cancel := context.WithCancel(context.Background())
	return &InFlight{
		cancelled: cancelled, cancel: cancel, turns: make(chan struct{}, MaxInFlight),
		admitted: Counter{Each: MaxPerClient, All: MaxInFlight}, posts: map[string]*Post{},
		changed: make(chan struct{}), texts: map[string]string{},
	}
}

// Context returns a context for the connections of the transport. It does not
// end with ctx, since calls in flight outlive the order to stop.
func (f *InFlight) Context(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), inFlightKey{}, f)
}

// Cancel cancels the calls that are in flight, and those that come.
func (f *InFlight) Cancel() { f.cancel() }

// IdleWithin waits until no Post is in flight; false where that does not come in
// time.
func (f *InFlight) IdleWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		f.mu.Lock()
		idle, changed := len(f.posts) == 0, f.changed
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
// if it has one: calls are bounded, and cancelled with it; a large text in a
// result is held by it. Of the calls that no Post brought, those beyond
// MaxInFlight wait for their turn. Middleware has to be the outermost one, since
// the context of a request ends once the result is written.
func Middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		f, tied := ctx.Value(inFlightKey{}).(*InFlight)
		if !tied {
			return next(ctx, method, request)
		}
		if IsCall(method) {
			result, err := f.call(ctx, method, request, next)
			return f.withPlaceholder(ctx, result), err
		}
		return next(ctx, method, request)
	}
}

// call handles a request that Cancel cancels.
func (f *InFlight) call(ctx context.Context, method string, request mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.cancelled, cancel)()
	if post := f.postOf(request); post != nil {
		if !post.take() {
			return nil, errCancelled()
		}
		defer post.giveBack()
		defer context.AfterFunc(post.ctx, cancel)()
		return next(ctx, method, request)
	}
	select {
	case f.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, errCancelled()
	}
	defer func() { <-f.turns }()
	return next(ctx, method, request)
}

// errCancelled is the error of a call that was cancelled before it began.
func errCancelled() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The call was cancelled before it began."}
}
