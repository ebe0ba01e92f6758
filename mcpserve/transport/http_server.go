package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
)

// HTTPPath is where the endpoint is.
const HTTPPath = "/mcp"

const (
	headerTimeout = 10 * time.Second // for the header of a request
	idleTimeout   = 2 * time.Minute  // of a connection between requests
	maxHeader     = 64 << 10
	lookupTimeout = 5 * time.Second

	streamsPerClient = 8 // open at once, of a session or of a client that has none
	mostStreams      = 256

	defaultSessions       = 100
	defaultSessionTimeout = 12 * time.Hour
)

// HTTPOptions of ListenHTTP. Address and Token are required.
type HTTPOptions struct {
	// Address is host and port, or a port alone, which means 127.0.0.1. Port 0
	// takes any free one. An IPv4 address takes no IPv6 connections, nor the other
	// way round; no host before the colon stands for every address of both.
	Address string
	// Token is what every client has to send.
	Token Token
	// AllowRemote permits an address that other machines can reach.
	AllowRemote bool
	// Hosts are further names, or names with a port, by which clients may call
	// the endpoint: those of a machine, a container or a proxy in front of it. A
	// name alone is good with the port of the address and with none.
	Hosts []string
	// Origins are those of web pages that may call the endpoint, such as
	// http://localhost:5173, besides its own. They need the token like all others.
	Origins []string

	MaxBody        int64         // bytes of a message at most; 0: 16 MiB
	MaxSessions    int           // open at once, of the stateful era; 0: 100
	SessionTimeout time.Duration // after which a silent one is ended; 0: 12 h

	Log   *slog.Logger // nil: nothing is logged
	Drain Drain
	// Memory is what long messages take, until their calls have ended; nil: one of its own.
	Memory *netutil.Memory
}

// HTTPServer is the endpoint of an MCP server.
type HTTPServer struct {
	mcp      *mcp.Server
	options  HTTPOptions
	listener net.Listener
	guard    hostGuard
	origins  origins
	work     *InFlight
	sessions sessions
	streams  Counter

	bodyTimeout time.Duration

	stateful, stateless http.Handler
}

// ListenHTTP takes the address; Serve answers those who come. The MCP server needs
// Middleware. Errors are *problem.Error.
func ListenHTTP(ctx context.Context, server *mcp.Server, options HTTPOptions) (*HTTPServer, error) {
	if options.Token.IsZero() {
		return nil, &problem.Error{Code: CodeTokenRequired, Message: "The HTTP endpoint needs a token that clients send."}
	}
	options = options.orDefault()
	pages, err := parseOrigins(options.Origins)
	if err != nil {
		return nil, err
	}
	address, err := checkAddress(ctx, options.Address, options.AllowRemote)
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, network(address), address)
	if err != nil {
		return nil, cannotListen(address, err)
	}
	h := &HTTPServer{
		mcp: server, options: options, listener: listener, work: NewInFlight(),
		streams:     Counter{Each: streamsPerClient, All: mostStreams},
		bodyTimeout: bodyTimeout,
	}
	h.origins = pages
	h.guard = newHostGuard(address, listener.Addr(), options.Hosts)
	h.stateful, h.stateless = h.handlers()
	return h, nil
}

func (o HTTPOptions) orDefault() HTTPOptions {
	if o.MaxBody <= 0 {
		o.MaxBody = MaxMessage
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = defaultSessions
	}
	if o.SessionTimeout <= 0 {
		o.SessionTimeout = defaultSessionTimeout
	}
	if o.Memory == nil {
		_, o.Memory = netutil.NewMemory(0, nil)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Drain = o.Drain.OrDefault()
	return o
}

// handlers are the library's, around the same MCP server. What they could check
// too is checked before them.
func (h *HTTPServer) handlers() (stateful, stateless http.Handler) {
	same := func(*http.Request) *mcp.Server { return h.mcp }
	common := mcp.StreamableHTTPOptions{
		Logger: Quiet(h.options.Log), DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
	}
	withSessions, without := common, common
	withSessions.SessionTimeout = h.options.SessionTimeout
	without.Stateless, without.PropagateRequestCancellation = true, true
	return mcp.NewStreamableHTTPHandler(same, &withSessions), mcp.NewStreamableHTTPHandler(same, &without)
}

// checkAddress completes an address, and refuses one that other machines can
// reach unless that is allowed.
func checkAddress(ctx context.Context, address string, remote bool) (string, error) {
	if _, err := strconv.Atoi(address); err == nil {
		address = "127.0.0.1:" + address
	}
	host, port, err := net.SplitHostPort(address)
	if number, portErr := strconv.Atoi(port); err != nil || portErr != nil || number < 0 || number > 65535 {
		return "", &problem.Error{
			Code:    CodeAddressInvalid,
			Message: fmt.Sprintf("%q is no address to listen on.", address),
			Hint:    problem.Say("It is a host and a port, such as 127.0.0.1:3939, or a port alone."),
		}
	}
	if remote {
		return address, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	if !isLoopback(ctx, host) {
		return "", &problem.Error{
			Code:    CodeAddressRemote,
			Message: fmt.Sprintf("Other machines could reach %q, and the connection is not encrypted.", address),
			Hint:    problem.Say("Use 127.0.0.1, or allow it with --allow-remote."),
		}
	}
	return address, nil
}

// network keeps a listener to the family of its address: with "tcp", 0.0.0.0
// listens on IPv6 too. A name, or no host, leaves the choice to the system.
func network(address string) string {
	host, _, _ := net.SplitHostPort(address) // checked before
	switch ip, err := netip.ParseAddr(host); {
	case err != nil:
		return "tcp"
	case ip.Unmap().Is4():
		return "tcp4"
	default:
		return "tcp6"
	}
}

// isLoopback reports whether a host stands for this machine alone. The empty
// host stands for every address of it.
func isLoopback(ctx context.Context, host string) bool {
	if host == "" {
		return false
	}
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return false
	}
	for _, each := range addresses {
		if !each.IP.IsLoopback() {
			return false
		}
	}
	return len(addresses) > 0
}

func cannotListen(address string, err error) error {
	e := &problem.Error{
		Code:    CodeAddressUnusable,
		Message: fmt.Sprintf("roam-mcp can't listen on %q: %v.", address, cause(err)),
		Hint:    problem.Say("Choose another address."), Err: err,
	}
	if errors.Is(err, syscall.EADDRINUSE) || strings.Contains(err.Error(), "Only one usage of each socket address") {
		e.Code = CodeAddressInUse
		e.Message = fmt.Sprintf("Another program listens on %s already.", address)
		e.Hint = problem.Say("It may be a roam-mcp that serves. End it, or choose another port; port 0 takes any free one.")
	}
	return e
}

// cause is the system's own reason, without what the caller knows.
func cause(err error) error {
	for {
		under := errors.Unwrap(err)
		if under == nil {
			return err
		}
		err = under
	}
}

// Address is where the server listens, as host:port.
func (h *HTTPServer) Address() string { return h.listener.Addr().String() }

// URL is what a client on this machine needs besides the token.
func (h *HTTPServer) URL() string {
	host, port, _ := net.SplitHostPort(h.Address()) // the listener's own
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
		if network(h.options.Address) == "tcp6" {
			host = "::1"
		}
	}
	return "http://" + net.JoinHostPort(host, port) + HTTPPath
}

// Close gives the address up without serving.
func (h *HTTPServer) Close() error { return h.listener.Close() }

// Serve answers clients until ctx ends. Calls in flight are then given
// the times of HTTPOptions.Drain; their replies are sent either way. It returns nil then, and an error where the address is lost.
func (h *HTTPServer) Serve(ctx context.Context) error {
	// Streams that stay open end with base; calls with work.
	base, endStreams := context.WithCancel(h.work.Context(ctx))
	defer endStreams()
	var unused netutil.UnusedConns
	server := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState:         unused.Note,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(h.options.Log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(h.listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve over HTTP: %w", err)
	case <-ctx.Done():
	}
	unused.Close()
	h.drain(server, endStreams)
	return nil
}

// drain takes no new connections, lets calls in flight end, by themselves
// first, cancelled then, and closes the rest.
func (h *HTTPServer) drain(server *http.Server, endStreams func()) {
	drain := h.options.Drain
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = server.Shutdown(context.Background()) // ended by Close below
	}()
	if !h.work.IdleWithin(drain.Calls) {
		h.options.Log.Warn("calls were still running at the end and are cancelled")
		h.work.Cancel()
		h.work.IdleWithin(drain.Cancelled)
	}
	endStreams()
	for session := range h.mcp.Sessions() {
		if session.ID() != "" { // those of HTTP have one
			go func() { _ = session.Close() }() // waits for calls that ignore their context
		}
	}
	select {
	case <-closed:
	case <-time.After(drain.Replies):
	}
	_ = server.Close()
	<-closed
}

// The codes of what keeps the endpoint from starting.
const (
	CodeAddressInvalid  problem.Code = "ADDRESS_INVALID"
	CodeAddressRemote   problem.Code = "ADDRESS_NOT_LOOPBACK"
	CodeAddressInUse    problem.Code = "ADDRESS_IN_USE"
	CodeAddressUnusable problem.Code = "ADDRESS_UNUSABLE"
	CodeOriginInvalid   problem.Code = "ORIGIN_INVALID"
	CodeTokenRequired   problem.Code = "HTTP_TOKEN_REQUIRED"
)
