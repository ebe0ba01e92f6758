package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
)

// endpoint is a test's server that serves over HTTP.
type endpoint struct {
	t *testing.T
	mcptest.HTTP
	tools *mcptest.Server
	http  *HTTPServer
	log   *syncbuffer.Buffer
	stop  context.CancelFunc
	done  chan error
}

// serve serves until the test ends; it waits long enough for any machine then.
func serveHTTP(t *testing.T, change ...func(*HTTPOptions)) *endpoint {
	t.Helper()
	token := NewToken()
	e := &endpoint{t: t, tools: mcptest.NewServer(Middleware), log: &syncbuffer.Buffer{}, done: make(chan error, 1)}
	options := HTTPOptions{
		Address: "127.0.0.1:0", Token: token,
		Log:   slog.New(slog.NewTextHandler(e.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Drain: Drain{Calls: 2 * time.Minute, Cancelled: 2 * time.Minute, Replies: 2 * time.Minute},
	}
	for _, each := range change {
		each(&options)
	}
	var err error
	e.http, err = ListenHTTP(t.Context(), e.tools.Server, options)
	require.NoError(t, err)
	e.HTTP = mcptest.HTTP{URL: e.http.URL(), Token: token.Reveal()}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	e.stop = stop
	go func() { e.done <- e.http.Serve(ctx); close(e.done) }()
	t.Cleanup(func() { stop(); <-e.done })
	return e
}

func (e *endpoint) ended() error {
	e.t.Helper()
	return await.Value(e.t, "the end of the server", e.done)
}

func TestListen(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	listen := func(address string, change ...func(*HTTPOptions)) error {
		options := HTTPOptions{Address: address, Token: NewToken()}
		for _, each := range change {
			each(&options)
		}
		h, err := ListenHTTP(t.Context(), server, options)
		if err == nil {
			require.NoError(t, h.Close())
		}
		return err
	}
	remote := func(o *HTTPOptions) { o.AllowRemote = true }
	without := func(o *HTTPOptions) { o.Token = Token{} }
	pages := func(origins ...string) func(*HTTPOptions) { return func(o *HTTPOptions) { o.Origins = origins } }
	for name, tc := range map[string]struct {
		err  error
		code problem.Code
	}{
		"takes origins of pages":                   {listen("0", pages("HTTP://LocalHost:80/", "https://[::1]:8443", "tauri://localhost")), ""},
		"refuses every origin":                     {listen("0", pages("*")), CodeOriginInvalid},
		"refuses every subdomain":                  {listen("0", pages("https://*.example")), CodeOriginInvalid},
		"refuses no origin":                        {listen("0", pages("null")), CodeOriginInvalid},
		"refuses an origin with a path":            {listen("0", pages("http://localhost:5173/app")), CodeOriginInvalid},
		"refuses an origin without a scheme":       {listen("0", pages("localhost:5173")), CodeOriginInvalid},
		"takes loopback":                           {listen("127.0.0.1:0"), ""},
		"takes the loopback name":                  {listen("localhost:0"), ""},
		"takes a port alone":                       {listen("0"), ""},
		"refuses every address":                    {listen("0.0.0.0:0"), CodeAddressRemote},
		"refuses every address, left out":          {listen(":0"), CodeAddressRemote},
		"takes every address where that's allowed": {listen("0.0.0.0:0", remote), ""},
		"refuses a remote one without a token":     {listen("0.0.0.0:0", remote, without), CodeTokenRequired},
		"refuses loopback without a token":         {listen("127.0.0.1:0", without), CodeTokenRequired},
		"refuses an address without a port":        {listen("127.0.0.1"), CodeAddressInvalid},
		"refuses a port that is none":              {listen("127.0.0.1:70000"), CodeAddressInvalid},
		"refuses an address that isn't ours":       {listen("192.0.2.1:0", remote), CodeAddressUnusable},
		"refuses a name that leads to nothing":     {listen("nothing.invalid:0"), CodeAddressRemote},
	} {
		t.Run(name, func(t *testing.T) {
			if code := problem.CodeOf(tc.err); code != tc.code || (tc.err != nil) != (tc.code != "") {
				t.Errorf("%v, want %q", tc.err, tc.code)
			}
		})
	}
	for address, other := range map[string]string{"0.0.0.0:0": "::1", "[::]:0": "127.0.0.1"} {
		t.Run("listens on no other family than that of "+address, func(t *testing.T) {
			h, err := ListenHTTP(t.Context(), server, HTTPOptions{Address: address, Token: NewToken(), AllowRemote: true})
			if err != nil {
				t.Skip(err) // a machine without IPv6
			}
			defer h.Close()
			_, port, err := net.SplitHostPort(h.Address())
			require.NoError(t, err)
			if connection, err := net.Dial("tcp", net.JoinHostPort(other, port)); err == nil {
				connection.Close()
				t.Errorf("%s answers too", other)
			}
		})
	}
	t.Run("says that a port is taken", func(t *testing.T) {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer taken.Close()
		if err := listen(taken.Addr().String()); problem.CodeOf(err) != CodeAddressInUse || !strings.Contains(err.Error(), taken.Addr().String()) {
			t.Error(err)
		}
	})
}

func TestServeHTTPEnds(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for name, tc := range map[string]struct {
			patience time.Duration
			want     string
		}{"that end by themselves": {time.Minute, "released"}, "that it cancelled": {50 * time.Millisecond, "CANCELLED"}} {
			t.Run("with the replies to calls "+name+", "+version, func(t *testing.T) {
				e := serveHTTP(t, func(o *HTTPOptions) { o.Drain.Calls = tc.patience })
				c := e.Connect(t, version, "test", nil)
				type reply struct {
					result *mcp.CallToolResult
					err    error
				}
				replies := make(chan reply, 1)
				go func() {
					result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
					replies <- reply{result, err}
				}()
				await.Condition(t, "the call runs", func() bool { return e.tools.Calls() == 1 })
				e.stop()
				await.Condition(t, "nobody new is let in", func() bool {
					connection, err := net.Dial("tcp", e.http.Address())
					if err == nil {
						connection.Close()
					}
					return err != nil
				})
				if tc.want == "released" {
					e.tools.Release()
				}
				got := await.Value(t, "the reply", replies)
				if got.err != nil || got.result.Content[0].(*mcp.TextContent).Text != tc.want {
					t.Errorf("got %+v, %v", got.result, got.err)
				}
				require.NoError(t, e.ended())
			})
		}
	}
	t.Run("without waiting for open streams", func(t *testing.T) {
		e := serveHTTP(t)
		e.Connect(t, "2025-11-25", "old", nil) // holds a GET open
		listen := `{"jsonrpc":"2.0","id":6,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + mcptest.StatelessMeta + `}}`
		response, err := http.DefaultClient.Do(e.Request(t, listen, headerVersion, StatelessVersion, headerMethod, "subscriptions/listen"))
		require.NoError(t, err)
		defer response.Body.Close()
		if first := make([]byte, 1); response.StatusCode != 200 {
			t.Fatalf("status %d", response.StatusCode)
		} else if _, err := response.Body.Read(first); err != nil {
			t.Fatal(err)
		}
		e.stop()
		require.NoError(t, e.ended())
	})
	t.Run("without waiting for connections that were never used", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h, err := ListenHTTP(t.Context(), mcptest.NewServer(Middleware).Server, HTTPOptions{Address: "127.0.0.1:0", Token: NewToken()})
			require.NoError(t, err)
			require.NoError(t, h.listener.Close())
			pipes := make(pipes)
			h.listener = pipes
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- h.Serve(ctx) }()
			client, server := net.Pipe()
			defer client.Close()
			pipes <- server
			synctest.Wait() // until a request is waited for
			from := time.Now()
			stop()
			require.NoError(t, <-done)
			if took := time.Since(from); took > time.Second/2 {
				t.Errorf("it took %v", took)
			}
		})
	})
	t.Run("with an error when the address is lost", func(t *testing.T) {
		e := serveHTTP(t)
		require.NoError(t, e.http.Close())
		if err := e.ended(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// pipes is a listener of the connections that are sent to it.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if connection, ok := <-p; ok {
		return connection, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }
