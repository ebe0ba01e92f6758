package mcpserve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/transport"
)

// BackgroundOptions are what Serve needs to serve over HTTP beside what else a process does.
type BackgroundOptions struct {
	Server    Options
	Address   string // host and port of 127.0.0.1
	AnyPort   bool   // take any free port instead
	TokenPath string // of the bearer token; the file is made where it is missing
	// Log has the calls of all servers, where this one is announced as Announced. Its
	// address is set by Background.
	Log       *activity.Log
	Announced activity.Server
	Tidy      func(context.Context) // tidies the journal while nobody calls
}

// Background is a server over HTTP in a goroutine of its own.
type Background struct {
	*activity.Monitor
	Server  *Server
	id      string
	url     string
	options BackgroundOptions
	calls   *activity.Subscription
	cancel  context.CancelFunc
	ended   chan struct{}
	err     error // once ended is closed
}

// backgroundBuffer is how many starts and ends of calls may wait for who shows them. Each
// may hold what was sent and what came back, some 24 KiB.
const backgroundBuffer = 256

// ServeInBackground serves until ctx ends or Stop is called.
func ServeInBackground(ctx context.Context, o BackgroundOptions) (_ *Background, err error) {
	token, err := transport.LoadOrCreateToken(ctx, o.TokenPath)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	server, err := New(ctx, o.Server)
	if err != nil {
		return nil, err
	}
	listen := transport.HTTPOptions{Address: o.Address, Token: token}
	if o.AnyPort {
		listen.Address = "127.0.0.1:0"
	}
	endpoint, err := server.ListenHTTP(ctx, listen)
	if err != nil {
		return nil, o.explain(ctx, err)
	}
	o.Announced.Address = endpoint.URL()
	monitor := server.Activity()
	id, stopShowing := o.Log.Follow(o.Announced, monitor)
	b := &Background{
		Monitor: monitor, Server: server, id: id, url: endpoint.URL(), options: o, cancel: cancel, ended: make(chan struct{}),
		calls: monitor.Subscribe(activity.SubscribeOptions{Buffer: backgroundBuffer, Arguments: true, Replies: true}),
	}
	stopLog := func() {}
	if log := o.Server.Log; log.Enabled(ctx, slog.LevelInfo) {
		stopLog = monitor.LogCalls(log, false)
	}
	go func() {
		defer close(b.ended)
		defer b.calls.Close()
		defer stopLog()
		defer stopShowing()
		defer server.Close()
		defer activity.TidyWhenIdle(monitor, o.Tidy)()
		b.err = endpoint.Serve(ctx)
	}()
	return b, nil
}

// explain says who listens on the address, where that is why nothing is served.
func (o BackgroundOptions) explain(ctx context.Context, err error) error {
	failed, ok := problem.As(err)
	if !ok || failed.Code != transport.CodeAddressInUse {
		return err
	}
	taken := *failed
	taken.Message, taken.Hint = "Another program listens on "+o.Address+" already.", problem.Say("End it, or serve on another port.")
	const patience = 2 * time.Second // until the system says who listens
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if servers, err := o.Log.Servers(ctx); err == nil {
		for _, other := range servers {
			if other.Alive && strings.Contains(other.Address, o.Address) {
				taken.Message = fmt.Sprintf("Another roam-mcp (process %d) serves at %s already.", other.PID, other.Address)
				return &taken
			}
		}
	}
	_, digits, _ := net.SplitHostPort(o.Address)
	port, _ := strconv.Atoi(digits)
	if process, found := netutil.ListenerOn(ctx, port); found {
		taken.Message = fmt.Sprintf("%s listens on %s already.", process, o.Address)
	}
	return &taken
}

// ServerID returns the server's ID in the log of all servers.
func (b *Background) ServerID() string { return b.id }

// KeepsAddress reports whether the next server has the same address, while its port is free.
func (b *Background) KeepsAddress() bool { return !b.options.AnyPort }

// URL returns the address of the server.
func (b *Background) URL() string { return b.url }

// TokenPath returns the file with the bearer token of its clients.
func (b *Background) TokenPath() string { return b.options.TokenPath }

// Calls sends the start and the end of every tool call. It is closed when the server has
// ended.
func (b *Background) Calls() <-chan activity.Event { return b.calls.Events() }

// Lost returns how many starts and ends Calls has dropped, since they were not received in
// time.
func (b *Background) Lost() uint64 { return b.calls.Dropped() }

// Clients returns the connected clients.
func (b *Background) Clients() []activity.Client { return b.Server.Clients() }

// Stop ends the server and waits for its end.
func (b *Background) Stop() {
	b.cancel()
	<-b.ended
}

// Err waits for the end of the server, and returns why it ended, or nil after Stop.
func (b *Background) Err() error {
	<-b.ended
	return b.err
}
