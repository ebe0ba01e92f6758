package mcpserve

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/textsafe"
)

const progressInterval = 5 * time.Second

// Progress tells the client how a call goes, where it asked to be told. Its
// number counts the notifications, since the protocol wants it to grow.
type Progress struct {
	ctx     context.Context // of the request
	session *mcp.ServerSession
	token   any // nil: nobody asked

	mu       sync.Mutex
	n        float64
	repeated []*func() string // what is repeated now, in the order of their begin
}

// NewProgress returns what tells of a request; token is nil where the client did not ask.
func NewProgress(ctx context.Context, session *mcp.ServerSession, token any) *Progress {
	p := &Progress{ctx: ctx, session: session}
	if session != nil {
		p.token = token
	}
	return p
}

// Say sends one notification, while the request goes on.
func (p *Progress) Say(message string) { p.Tell(p.ctx, message) }

// Tell sends one notification.
func (p *Progress) Tell(ctx context.Context, message string) {
	if p.token == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	// A client that is gone ends the call by itself.
	_ = p.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.n, Message: textsafe.Escape(message, textsafe.Markup{})})
}

// Repeat tells a message every few seconds until stop is called: clients that
// reset their clock on progress do not give up then. Of several at a time the one
// that began last is told.
func (p *Progress) Repeat(ctx context.Context, message func() string) (stop func()) {
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
					p.Tell(ctx, words())
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
func (p *Progress) turnOf(mine *func() string) func() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.repeated[0] != mine {
		return nil
	}
	return *p.repeated[len(p.repeated)-1]
}
