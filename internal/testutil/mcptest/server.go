package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is an MCP server of two tools: "text" answers at once, "wait" once
// Release was called, or with the error CANCELLED.
type Server struct {
	*mcp.Server
	release chan struct{}

	mu    sync.Mutex
	text  string
	calls int
}

// NewServer makes a server with middleware.
func NewServer(middleware mcp.Middleware) *Server {
	s := &Server{text: "text", release: make(chan struct{})}
	s.Server = mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s.AddReceivingMiddleware(middleware)
	schema := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&mcp.Tool{Name: "text", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s.count()}}}, nil
	})
	s.AddTool(&mcp.Tool{Name: "wait", InputSchema: schema}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.count()
		select {
		case <-s.release:
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "released"}}}, nil
		case <-ctx.Done():
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "CANCELLED"}}}, nil
		}
	})
	return s
}

// count counts a call and returns what "text" answers with.
func (s *Server) count() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return s.text
}

// Answer sets what "text" answers with; it is "text" at first.
func (s *Server) Answer(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
}

// Release lets all calls of "wait" end, also those that come.
func (s *Server) Release() { close(s.release) }

// Calls returns how many calls of tools have come.
func (s *Server) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Call is the message that calls a tool, as a line, in the stateful era.
func Call(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`+"\n", id, tool)
}

// StatelessMeta is a member of the params of every message of the stateless era.
const StatelessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// StatelessCall is Call in the stateless era.
func StatelessCall(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},%s}}`+"\n", id, tool, StatelessMeta)
}

// HTTP is an endpoint as clients know it: its address and its bearer token.
type HTTP struct{ URL, Token string }

// Initialize is the message that begins a session of the stateful era.
const Initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// Client sends the token with every request.
func (e HTTP) Client() *http.Client { return &http.Client{Transport: withToken(e.Token)} }

type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// Connect opens a session of the library's client, which ends with the test.
func (e HTTP) Connect(t *testing.T, version, name string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: e.URL, HTTPClient: e.Client()}
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, options).
		Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// Request is a POST of a message as it is. Headers come in pairs and replace the
// usual ones; an empty value takes one out.
func (e HTTP) Request(t *testing.T, body string, headers ...string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+e.Token)
	for i := 0; i+1 < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			request.Host = headers[i+1]
		case headers[i+1] == "":
			request.Header.Del(headers[i])
		default:
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	return request
}

// Post sends a Request and returns the answer with its body.
func (e HTTP) Post(t *testing.T, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(e.Request(t, body, headers...))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// Message returns the one message in the body of an answer: the whole of it, or
// the data of its one event.
func Message(t *testing.T, body string) map[string]any {
	t.Helper()
	if data, isEvent := strings.CutPrefix(body, "event: message\ndata: "); isEvent {
		if body, isEvent = strings.CutSuffix(data, "\n\n"); !isEvent || strings.ContainsAny(body, "\r\n") {
			t.Errorf("not one event: %.200q", data)
		}
	}
	var message map[string]any
	if err := json.Unmarshal([]byte(body), &message); err != nil {
		t.Errorf("no message: %v: %.200q", err, body)
	}
	return message
}
