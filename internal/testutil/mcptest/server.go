package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

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
