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

	mu    sync.Mutex
	n     float64
	words func() string // what is repeated now; nil: nothing
}

// newProgress tells of a request; token is nil where the client did not ask.
func newProgress(session *mcp.ServerSession, token any) *progress {
	p := &progress{session: session}
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
	_ = p.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.n, Message: message})
}

// repeat tells a message every few seconds until stop is called: clients that
// reset their clock on progress do not give up then. Within another one it takes
// that one's place for the time.
func (p *progress) repeat(ctx context.Context, message func() string) (stop func()) {
	if p.token == nil {
		return func() {}
	}
	before := p.say(message)
	if before != nil {
		return func() { p.say(before) }
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
				p.tell(ctx, p.now()())
			}
		}
	}()
	return func() { cancel(); <-done; p.say(nil) }
}

// say sets what is repeated, and gives what was before.
func (p *progress) say(message func() string) (before func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, p.words = p.words, message
	return before
}

func (p *progress) now() func() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.words
}
