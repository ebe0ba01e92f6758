package mcpserve

import (
	"context"
	"sync"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

const (
	// openPatience is how long a closed Roam is waited for once it was opened:
	// clients give up on a call after 60 s.
	openPatience = 45 * time.Second
	openInterval = 500 * time.Millisecond
)

// opener opens Roam where it is closed: once, however many calls find it so.
type opener struct {
	patience time.Duration

	open func(context.Context, localapi.Graph) error
	look func(context.Context) error // nil error: Roam answers

	mu      sync.Mutex
	attempt *attempt // nil: nobody waits
}

// attempt is one attempt to open Roam.
type attempt struct {
	done chan struct{}
	err  error // set before done is closed
}

// Opened reports whether Roam was closed, as the error of a call says, and is open now: then
// the call is to be made again, since it never got out. Else err is the error to go on with.
func (c *Caller) Opened(ctx context.Context, graph localapi.Graph, failed error) (opened bool, err error) {
	o := c.Roam.opener
	if o == nil || !closed(failed) {
		return false, failed
	}
	stop := c.Progress.Repeat(ctx, func() string { return "Waiting for Roam to start." })
	defer stop()
	c.Progress.Tell(ctx, "Roam is closed: opening it.")
	err = o.openRoam(ctx, c.Roam.options.Lifetime, graph)
	return err == nil, err
}

// closed reports whether nothing answers where Roam should.
func closed(err error) bool {
	roam, ok := problem.AsCall(err)
	return ok && roam.Code == localapi.CodeConnectionFailed && !roam.Sent()
}

// openRoam opens Roam, or joins the one who does, and waits until it answers.
// alive is the context of the server: the caller who came first may leave.
func (o *opener) openRoam(ctx, alive context.Context, graph localapi.Graph) error {
	o.mu.Lock()
	current := o.attempt
	if current == nil {
		current = &attempt{done: make(chan struct{})}
		o.attempt = current
		go func() {
			err := o.wait(alive, graph)
			o.mu.Lock()
			defer o.mu.Unlock()
			current.err, o.attempt = err, nil
			close(current.done)
		}()
	}
	o.mu.Unlock()
	select {
	case <-current.done:
		return current.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o *opener) wait(ctx context.Context, graph localapi.Graph) error {
	ctx, cancel := context.WithTimeout(ctx, o.patience)
	defer cancel()
	if o.look(ctx) == nil {
		return nil // somebody was quicker
	}
	if err := o.open(ctx, graph); err != nil {
		return &problem.Error{
			Code: localapi.CodeConnectionFailed, Err: err,
			Message: "Roam is closed, and it could not be opened: " + textsafe.Redact(textsafe.Line(err.Error(), 200)) + ".",
			Hint:    problem.Say("Ask the user to start %s, then try again.", problem.Roam),
		}
	}
	ticker := time.NewTicker(openInterval)
	defer ticker.Stop()
	for {
		if err := o.look(ctx); err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return &problem.Error{
				Code:    localapi.CodeConnectionFailed,
				Message: "Roam was closed and has been asked to open, but it did not answer within 45 seconds.",
				Hint:    problem.Say("Ask the user whether %s starts and shows anything, then try again.", problem.Roam),
				Retry:   problem.RetryLater,
			}
		}
	}
}
