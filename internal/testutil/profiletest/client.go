package profiletest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/transport"
)

// The eras of the protocol: with a session, and stateless.
const (
	SessionEra   = "2025-11-25"
	StatelessEra = "2026-07-28"
)

// Way is how a client reaches the server.
type Way struct {
	HTTP bool // else stdio
	Era  string
}

// Ways are all of them.
func Ways() []Way {
	return []Way{{false, SessionEra}, {false, StatelessEra}, {true, SessionEra}, {true, StatelessEra}}
}

func (w Way) String() string {
	if w.HTTP {
		return "http " + w.Era
	}
	return "stdio " + w.Era
}

// Client is a client of a world's server.
type Client struct {
	*mcp.ClientSession
	w *World
}

// Connect opens a client, which ends with the test. Each is a session of its own
// where the era has sessions.
func (w *World) Connect(way Way) *Client {
	w.T.Helper()
	return w.ConnectWith(way, nil)
}

// ConnectWith is Connect with options of the library's client.
func (w *World) ConnectWith(way Way, options *mcp.ClientOptions) *Client {
	w.T.Helper()
	return w.connect(way, "test", options)
}

// ConnectAs is Connect of a client with another name than "test".
func (w *World) ConnectAs(way Way, name string) *Client {
	w.T.Helper()
	return w.connect(way, name, nil)
}

func (w *World) connect(way Way, name string, options *mcp.ClientOptions) *Client {
	w.T.Helper()
	transport := w.transport(way.HTTP)
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, options).
		Connect(w.T.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: way.Era})
	require.NoError(w.T, err)
	w.T.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != way.Era {
		w.T.Fatalf("the server speaks %s", got)
	}
	return &Client{session, w}
}

// Connect starts a world of its own and opens a client in one of the Ways: for what does not
// hang on the way.
func Connect(t testing.TB, options Options) (*World, *Client) {
	t.Helper()
	w := NewSuite(t, options).World(t)
	return w, w.Connect(Ways()[0])
}

// Fresh starts another server with the same configuration, which has read nothing of the
// graphs yet, and returns a client of it. end ends both.
func (w *World) Fresh() (c *Client, end func()) {
	w.T.Helper()
	return w.Serve(func(*mcpserve.Options) {})
}

// Serve is Fresh with options of the server changed.
func (w *World) Serve(change func(*mcpserve.Options)) (c *Client, end func()) {
	w.T.Helper()
	ctx := context.WithoutCancel(w.T.Context())
	options := w.serving
	if w.journals != "" {
		options.Journal = w.Journal()
	}
	change(&options)
	server, err := mcpserve.New(ctx, options)
	require.NoError(w.T, err)
	toServer, toClient := mcp.NewInMemoryTransports()
	_, err = server.Connect(ctx, toServer)
	require.NoError(w.T, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, toClient, &mcp.ClientSessionOptions{ProtocolVersion: SessionEra})
	require.NoError(w.T, err)
	return &Client{session, w}, func() {
		_ = session.Close()
		server.Close()
	}
}

func (w *World) transport(overHTTP bool) mcp.Transport {
	if overHTTP {
		e := w.endpoint()
		return &mcp.StreamableClientTransport{Endpoint: e.URL, HTTPClient: e.Client()}
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ctx, stop := context.WithCancel(context.WithoutCancel(w.T.Context()))
	done := make(chan error, 1)
	go func() {
		done <- w.Server.ServeStdio(ctx, toServer, fromServer)
		_ = fromServer.Close()
	}()
	w.T.Cleanup(func() {
		stop()
		_ = fromClient.Close()
		_ = toClient.Close()
		<-done
	})
	return &mcp.IOTransport{Reader: toClient, Writer: fromClient}
}

type httpEndpoint = mcptest.HTTP

func (w *World) serveHTTP() httpEndpoint {
	token := transport.NewToken()
	server, err := w.Server.ListenHTTP(w.T.Context(), transport.HTTPOptions{Address: "127.0.0.1:0", Token: token})
	require.NoError(w.T, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(w.T.Context()))
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx) }()
	w.T.Cleanup(func() { stop(); <-done })
	return httpEndpoint{URL: server.URL(), Token: token.Reveal()}
}

// Result is the answer to a call of a tool.
type Result struct {
	Texts      []string
	Images     []*mcp.ImageContent
	Structured json.RawMessage // nil: none
	Meta       map[string]any  // what the protocol itself says in it included
	IsError    bool
	RPC        *jsonrpc.Error // nil: the call has a result, which the other fields are
}

// Text is the first text of a result, empty where it has none.
func (r Result) Text() string {
	if len(r.Texts) == 0 {
		return ""
	}
	return r.Texts[0]
}

// Decode decodes the first text, which is JSON.
func (r Result) Decode(t testing.TB, into any) {
	t.Helper()
	if r.RPC != nil || r.IsError {
		t.Fatalf("unexpected error: %s", r)
	}
	if err := json.Unmarshal([]byte(r.Text()), into); err != nil {
		t.Fatalf("%v: %s", err, r)
	}
}

// String is all that a message about the result can say.
func (r Result) String() string {
	if r.RPC != nil {
		return string(encode(r.RPC))
	}
	return string(encode(map[string]any{"texts": r.Texts, "isError": r.IsError, "_meta": r.Meta, "images": len(r.Images)}))
}

func encode(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // it came as JSON
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// Call calls a tool with arguments in JSON, Between after whatever was before.
func (c *Client) Call(tool, arguments string) Result {
	c.w.T.Helper()
	c.w.Clock.Advance(Between)
	return c.CallAtOnce(c.w.T.Context(), tool, arguments)
}

// CallAtOnce is Call without moving the clock.
func (c *Client) CallAtOnce(ctx context.Context, tool, arguments string) Result {
	c.w.T.Helper()
	result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return Result{RPC: refused}
	}
	if err != nil {
		c.w.T.Fatalf("%s: %v", tool, err)
	}
	found := Result{Meta: result.Meta, IsError: result.IsError}
	for _, each := range result.Content {
		switch content := each.(type) {
		case *mcp.TextContent:
			found.Texts = append(found.Texts, content.Text)
		case *mcp.ImageContent:
			found.Images = append(found.Images, content)
		default:
			c.w.T.Fatalf("%s answers with %T", tool, each)
		}
	}
	if result.StructuredContent != nil {
		found.Structured = encode(result.StructuredContent)
		var text any
		if err := json.Unmarshal([]byte(found.Text()), &text); err != nil || !reflect.DeepEqual(text, result.StructuredContent) {
			c.w.T.Fatalf("%s: the structured content is %s, the text %s", tool, found.Structured, found.Text())
		}
	}
	return found
}

// Tools returns the tools that are offered, in their order.
func (c *Client) Tools() []*mcp.Tool {
	c.w.T.Helper()
	list, err := c.ListTools(c.w.T.Context(), nil)
	require.NoError(c.w.T, err)
	return list.Tools
}
