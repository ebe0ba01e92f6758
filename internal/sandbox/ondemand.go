package sandbox

import (
	"context"
	"sync"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/store"
)

// startPatience is how long another process may hold a sandbox's data without answering.
const startPatience = 30 * time.Second

// StartOnce starts a sandbox unless one runs already with that home; the server is nil then.
// Of several processes that call it at once, one starts it and the others wait.
func StartOnce(ctx context.Context, options Options) (*Server, error) {
	limit := time.NewTimer(startPatience)
	defer limit.Stop()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		if _, running := Running(ctx, options.Home); running {
			return nil, nil
		}
		server, err := Start(ctx, options)
		if err == nil {
			for _, broken := range server.Broken() {
				options.Log.Warn("a graph is left out, and its file is as it was", "error", broken)
			}
		}
		if problem.CodeOf(err) != store.CodeInUse {
			return server, err
		}
		// Somebody else is just starting it, or ending it.
		select {
		case <-again.C:
		case <-limit.C:
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// OnDemand calls a sandbox, which it starts at the first call that finds none. So several
// processes share one.
type OnDemand struct {
	*localapi.Client
	options Options

	mu     sync.Mutex
	server *Server
}

// NewOnDemand returns an OnDemand for the sandbox that client calls.
func NewOnDemand(client *localapi.Client, options Options) *OnDemand {
	return &OnDemand{Client: client, options: options}
}

// Call is the client's, after a sandbox was started where none answered.
func (r *OnDemand) Call(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (reply localapi.Reply, err error) {
	err = r.retry(ctx, func() error {
		reply, err = r.Client.Call(ctx, graph, token, action, args...)
		return err
	})
	return reply, err
}

// OpenGraphs is the client's, after a sandbox was started where none answered:
// it is what everything that is not a call begins with.
func (r *OnDemand) OpenGraphs(ctx context.Context) (graphs []localapi.Graph, err error) {
	err = r.retry(ctx, func() error {
		graphs, err = r.Client.OpenGraphs(ctx)
		return err
	})
	return graphs, err
}

// retry calls do, and again after a start where no Roam answered.
func (r *OnDemand) retry(ctx context.Context, do func() error) error {
	err := do()
	e, ok := problem.AsCall(err)
	if !ok {
		return err
	}
	switch e.Code {
	case localapi.CodeNotRoam, localapi.CodeOtherUser: // the port of a sandbox that has ended
	case localapi.CodeConnectionFailed:
		if e.Sent() {
			return err
		}
	default:
		return err
	}
	if err := r.start(ctx); err != nil {
		return err // it has the reason; that nothing answered is a matter of course then
	}
	return do()
}

func (r *OnDemand) start(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server != nil {
		return nil
	}
	var err error
	r.server, err = StartOnce(context.WithoutCancel(ctx), r.options)
	return err
}

// Close ends the sandbox, if one was started.
func (r *OnDemand) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server != nil {
		_ = r.server.Close(context.Background()) // the process ends
	}
}
