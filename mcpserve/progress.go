package mcpserve

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	progressInterval = 5 * time.Second

	waitingForRoam = "Waiting for Roam: it may be opening the graph or asking for its password."
)

// progress tells the client how a call goes, where it asked to be told. Its
// number counts the notifications, since the protocol wants it to grow.
type progress struct {
	session *mcp.ServerSession
	token   any // nil: nobody asked

	mu sync.Mutex
	n  float64
}

func newProgress(request *mcp.CallToolRequest) *progress {
	p := &progress{session: request.Session}
	if request.Session != nil && request.Params != nil {
		p.token = request.Params.GetProgressToken()
	}
	return p
}

// tell sends one notification.
func (p *progress) tell(ctx context.Context, message string) {
	if p.token == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	// A client that is gone ends the call by itself.
	_ = p.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.n, Message: message})
}

// repeat tells a message every few seconds until stop is called: clients that
// reset their clock on progress do not give up then.
func (p *progress) repeat(ctx context.Context, message func() string) (stop func()) {
	if p.token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				p.tell(ctx, message())
			}
		}
	}()
	return func() { cancel(); <-done }
}
