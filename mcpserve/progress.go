package mcpserve

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/visible"
)

const (
	progressInterval = 5 * time.Second

	waitingForRoam = "Waiting for Roam: it may be opening the graph or asking for its password."
)

// progress tells the client how a call goes, where it asked to be told. Its
// number counts the notifications, since the protocol wants it to grow.
type progress struct {
	ctx     context.Context // of the request
	session *mcp.ServerSession
	token   any // nil: nobody asked

	mu       sync.Mutex
	n        float64
	repeated []*func() string // what is repeated now, in the order of their begin
}

// newProgress tells of a request; token is nil where the client did not ask.
func newProgress(ctx context.Context, session *mcp.ServerSession, token any) *progress {
	p := &progress{ctx: ctx, session: session}
	if session != nil {
		p.token = token
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
	_ = p.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.n, Message: visible.Escape(message, visible.Previews)})
}

// repeat tells a message every few seconds until stop is called: clients that
// reset their clock on progress do not give up then. Of several at a time the one
// that began last is told.
func (p *progress) repeat(ctx context.Context, message func() string) (stop func()) {
	if p.token == nil {
		return func() {}
	}
	mine := &message
	p.mu.Lock()
	p.repeated = append(p.repeated, mine)
	p.mu.Unlock()
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
				if words := p.turnOf(mine); words != nil {
					p.tell(ctx, words())
				}
			}
		}
	}()
	return func() {
		cancel()
		<-done
		p.mu.Lock()
		defer p.mu.Unlock()
		p.repeated = slices.DeleteFunc(p.repeated, func(each *func() string) bool { return each == mine })
	}
}

// turnOf returns the message that began last to the one that began first; nil to
// the others.
func (p *progress) turnOf(mine *func() string) func() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.repeated[0] != mine {
		return nil
	}
	return *p.repeated[len(p.repeated)-1]
}
