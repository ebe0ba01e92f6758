package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/mcpserve/bearer"
	"roam-mcp/mcpserve/transport"
	"roam-mcp/problem"
)

// HTTPPath is where the endpoint is.
const HTTPPath = "/mcp"

const (
	headerTimeout = 10 * time.Second // for the header of a request
	idleTimeout   = 2 * time.Minute  // of a connection between requests
	maxHeader     = 64 << 10
	lookupTimeout = 5 * time.Second

	defaultSessions       = 100
	defaultSessionTimeout = 12 * time.Hour
)

// HTTPOptions of ListenHTTP. Address and Token are required.
type HTTPOptions struct {
	// Address is host and port, or a port alone, which means 127.0.0.1. Port 0
	// takes any free one.
	Address string
	// Token is what every client has to send.
	Token bearer.Token
	// AllowRemote permits an address that other machines can reach.
	AllowRemote bool
	// Hosts are further names, or names with a port, by which clients may call
	// the endpoint: those of a machine, a container or a proxy in front of it. A
	// name alone is good with the port of the address and with none.
	Hosts []string

	MaxBody        int64         // bytes of a message at most; 0: 16 MiB
	MaxSessions    int           // open at once, of the stateful era; 0: 100
	SessionTimeout time.Duration // after which a silent one is ended; 0: 12 h
}

// HTTPServer is the streamable HTTP endpoint of a Server, for clients of both
// eras of MCP at one address.
type HTTPServer struct {
	server   *Server
	options  HTTPOptions
	listener net.Listener
	guard    hostGuard
	work     *transport.InFlight

	bodyTimeout time.Duration

	stateful, stateless http.Handler
}

// ListenHTTP takes the address; Serve answers those who come. Errors implement
// localapi.Explainer.
func (s *Server) ListenHTTP(ctx context.Context, options HTTPOptions) (*HTTPServer, error) {
	if options.Token.IsZero() {
		return nil, &failure{Code: CodeHTTPToken, Message: "The HTTP endpoint needs a token that clients send."}
	}
	if options.MaxBody <= 0 {
		options.MaxBody = transport.MaxMessage
	}
	if options.MaxSessions <= 0 {
		options.MaxSessions = defaultSessions
	}
	if options.SessionTimeout <= 0 {
		options.SessionTimeout = defaultSessionTimeout
	}
	address, err := checkAddress(ctx, options.Address, options.AllowRemote)
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, cannotListen(address, err)
	}
	h := &HTTPServer{server: s, options: options, listener: listener, work: transport.NewInFlight(), bodyTimeout: bodyTimeout}
	h.guard = newHostGuard(address, listener.Addr(), options.Hosts)
	h.stateful, h.stateless = h.handlers()
	return h, nil
}

// handlers are the library's, around the same MCP server. What they could check
// too is checked before them.
func (h *HTTPServer) handlers() (stateful, stateless http.Handler) {
	same := func(*http.Request) *mcp.Server { return h.server.mcp }
	common := mcp.StreamableHTTPOptions{
		Logger: transport.Quiet(h.server.log), DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
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
		return "", &failure{Code: CodeAddressInvalid, Message: fmt.Sprintf("%s is no address to listen on.", quote(address)), Hint: "It is a host and a port, such as 127.0.0.1:3939, or a port alone."}
	}
	if remote {
		return address, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	if !isLoopback(ctx, host) {
		return "", &failure{
			Code:    CodeAddressRemote,
			Message: fmt.Sprintf("Other machines could reach %s, and the connection is not encrypted.", quote(address)),
			Hint:    "Use 127.0.0.1, or allow it with --allow-remote.",
		}
	}
	return address, nil
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
	f := &failure{
		Code:    CodeAddressUnusable,
		Message: fmt.Sprintf("roam-mcp can't listen on %s: %v.", quote(address), cause(err)),
		Hint:    "Choose another address.", err: err,
	}
	if errors.Is(err, syscall.EADDRINUSE) || strings.Contains(err.Error(), "Only one usage of each socket address") {
		f.Code = CodeAddressInUse
		f.Message = fmt.Sprintf("Another program listens on %s already.", address)
		f.Hint = "It may be a roam-mcp that serves. End it, or choose another port; port 0 takes any free one."
	}
	return f
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
	}
	return "http://" + net.JoinHostPort(host, port) + HTTPPath
}

// Close gives the address up without serving.
func (h *HTTPServer) Close() error { return h.listener.Close() }

// Serve answers clients until ctx ends. Calls in flight are then given
// DrainTimeout, after that they are cancelled; their replies are sent either
// way. It returns nil then, and an error where the address is lost.
func (h *HTTPServer) Serve(ctx context.Context) error {
	// Streams that stay open end with base; calls with work.
	base, endStreams := context.WithCancel(h.work.Context(ctx))
	defer endStreams()
	server := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(h.server.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(h.listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve over HTTP: %w", err)
	case <-ctx.Done():
	}
	h.drain(server, endStreams)
	return nil
}

// drain takes no new connections, lets calls in flight end, by themselves
// first, cancelled then, and closes the rest.
func (h *HTTPServer) drain(server *http.Server, endStreams func()) {
	drain := h.server.drain.OrDefault()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = server.Shutdown(context.Background()) // ended by Close below
	}()
	if !h.work.IdleWithin(drain.Calls) {
		h.server.log.Warn("calls were still running at the end and are cancelled")
		h.work.Cancel()
		h.work.IdleWithin(drain.Cancelled)
	}
	endStreams()
	for session := range h.server.mcp.Sessions() {
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
	CodeHTTPToken       problem.Code = "HTTP_TOKEN_REQUIRED"
)
