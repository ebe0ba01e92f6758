package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/netutil"
)

// ErrClientStalled is what ServeStdio returns where the client was still there at the
// end but had stopped reading, so that replies were lost.
var ErrClientStalled = errors.New("the MCP client stopped reading; its last replies were lost")

// StdioOptions of ServeStdio. The zero value is for use.
type StdioOptions struct {
	Log   *slog.Logger // nil: nothing is logged
	Drain Drain
	// Memory is what long messages take, until they are answered; nil: one of its own.
	Memory *netutil.Memory
}

// ServeStdio serves one client until in ends or ctx does. Calls in flight are then
// given the times of StdioOptions.Drain; their replies are written either way. It
// returns nil in both cases, and an error where out can't be written. The server
// needs Middleware.
//
// A goroutine stays in in.Read until that returns: the caller owns the streams.
func ServeStdio(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer, options StdioOptions) error {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Memory == nil {
		_, options.Memory = netutil.NewMemory(0, nil)
	}
	drain := options.Drain.OrDefault()
	work := NewInFlight()
	c := newConn(in, out, work, options)
	session, err := server.Connect(work.Context(ctx), c, nil)
	if err != nil {
		return fmt.Errorf("start serving: %w", err)
	}
	select {
	case <-ctx.Done():
		c.stopReading()
	case <-c.inputEnded:
	case <-c.broken:
	}
	if !c.idleWithin(drain.Calls) {
		options.Log.Warn("calls were still running at the end and are cancelled")
		work.Cancel()
		c.idleWithin(drain.Cancelled)
	}
	c.finish()
	stalled := !c.flushed(drain.Replies)
	_ = c.Close()
	if err := c.writeError(); err != nil {
		return fmt.Errorf("write to the MCP client: %w", err)
	}
	if stalled {
		return ErrClientStalled
	}
	waited := make(chan error, 1)
	go func() { waited <- session.Wait() }()
	select {
	case err = <-waited:
	case <-time.After(drain.Replies): // a call that ignores its context
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, mcp.ErrConnectionClosed) {
		return fmt.Errorf("serve the MCP client: %w", err)
	}
	return nil
}
