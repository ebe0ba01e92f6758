package mcpserve

import (
	"context"
	"sync"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/problem"
)

const (
	// openPatience is how long a closed Roam is waited for once it was opened:
	// clients give up on a call after 60 s.
	openPatience = 45 * time.Second
	openInterval = 500 * time.Millisecond
	probeTimeout = 5 * time.Second
)

// doorman opens Roam where it is closed: once, however many calls find it so.
type doorman struct {
	patience time.Duration

	open func(context.Context, localapi.Graph) error
	look func(context.Context) error // nil error: Roam answers

	mu      sync.Mutex
	opening *opening // nil: nobody waits
}

// opening is one time of opening Roam and waiting for it.
type opening struct {
	done chan struct{}
	err  error // set before done is closed
}

// withRoam does what needs Roam. Where Roam is closed and may be opened, it is,
// and then the thing is done again: it never got out the first time.
func (c *call) withRoam(ctx context.Context, graph localapi.Graph, do func() error) error {
	err := do()
	if c.server.doorman == nil || !closed(err) {
		return err
	}
	stop := c.progress.repeat(ctx, func() string { return "Waiting for Roam to start." })
	defer stop()
	c.progress.tell(ctx, "Roam is closed: opening it.")
	if err := c.server.doorman.openRoam(ctx, c.server.ctx, graph); err != nil {
		return err
	}
	return do()
}

// closed reports whether nothing answers where Roam should.
func closed(err error) bool {
	roam, ok := problem.AsCall(err)
	return ok && roam.Code == localapi.CodeConnectionFailed && !roam.Sent()
}

// openRoam opens Roam, or joins the one who does, and waits until it answers.
// alive is the server's context: the caller who came first may leave.
func (d *doorman) openRoam(ctx, alive context.Context, graph localapi.Graph) error {
	d.mu.Lock()
	under := d.opening
	if under == nil {
		under = &opening{done: make(chan struct{})}
		d.opening = under
		go func() {
			err := d.wait(alive, graph)
			d.mu.Lock()
			defer d.mu.Unlock()
			under.err, d.opening = err, nil
			close(under.done)
		}()
	}
	d.mu.Unlock()
	select {
	case <-under.done:
		return under.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *doorman) wait(ctx context.Context, graph localapi.Graph) error {
	ctx, cancel := context.WithTimeout(ctx, d.patience)
	defer cancel()
	if d.look(ctx) == nil {
		return nil // somebody was quicker
	}
	if err := d.open(ctx, graph); err != nil {
		return &problem.Error{
			Code: localapi.CodeConnectionFailed, Err: err,
			Message: "Roam is closed, and it could not be opened: " + safetext.Redact(safetext.Line(err.Error(), 200)) + ".",
			Hint:    problem.Say("Ask the user to start %s, then try again.", problem.Roam),
		}
	}
	ticker := time.NewTicker(openInterval)
	defer ticker.Stop()
	for {
		if err := d.look(ctx); err == nil {
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
