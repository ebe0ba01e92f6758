// Command conformance serves the fixtures of MCP's public conformance suite
// through roam-mcp's own server, middleware and HTTP endpoint, so that the suite
// judges those. The script run beside it does the whole thing.
//
// The suite sends no token. A proxy in front adds it, and passes everything else
// on as it comes, foreign hosts and origins included.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/transport"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "`address` for the suite")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// serve prints the URL for the suite, and serves until ctx ends.
func serve(ctx context.Context, address string) error {
	folder, err := os.MkdirTemp("", "roam-mcp-conformance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	server, err := mcpserve.New(ctx, mcpserve.Options{
		Store:     configstore.New(filepath.Join(folder, "none.json")),
		Roam:      localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(folder, localapi.PortFileName), Strict: true}}),
		Version:   "conformance",
		Customize: declare,
	})
	if err != nil {
		return err
	}
	addContentTools(server.MCP())
	addSessionTools(server.MCP())
	addRoundTools(server.MCP())
	addResources(server.MCP())
	addPrompts(server.MCP())

	token := transport.NewToken()
	endpoint, err := server.ListenHTTP(ctx, transport.HTTPOptions{Address: "127.0.0.1:0", Token: token})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return errors.Join(err, endpoint.Close())
	}
	front := &http.Server{Handler: frontOf(endpoint.Address(), listener.Addr().String(), token), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = front.Serve(listener) }() // ends with Close
	defer front.Close()
	fmt.Printf("http://%s%s\n", listener.Addr(), transport.HTTPPath)
	return endpoint.Serve(ctx)
}

// frontOf sends everything on to the endpoint with the token. Where the caller
// names the front, the endpoint's address is put in its place.
func frontOf(endpoint, front string, token transport.Token) http.Handler {
	return &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			r := p.Out
			r.URL.Scheme, r.URL.Host = "http", endpoint
			_, port, _ := net.SplitHostPort(front) // a listener's own
			for _, own := range []string{front, "localhost:" + port} {
				if r.Host == own {
					r.Host = endpoint
				}
				if origin := r.Header.Get("Origin"); strings.TrimPrefix(origin, "http://") == own {
					r.Header.Set("Origin", "http://"+endpoint)
				}
			}
			r.Header.Set("Authorization", "Bearer "+token.Reveal())
		},
	}
}

// declare adds the capabilities that the fixtures have and roam-mcp has not.
func declare(options *mcp.ServerOptions) {
	options.Capabilities.Logging = &mcp.LoggingCapabilities{} //lint:ignore SA1019 the suite of 2025-11-25 asks for it
	options.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	options.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	options.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
}
