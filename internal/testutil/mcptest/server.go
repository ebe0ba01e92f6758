package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is an MCP server of two tools: "text" answers with Text at once, "wait"
// once Release was called, or with the error CANCELLED.
type Server struct {
	*mcp.Server
	Text string

	release chan struct{}
	mu      sync.Mutex
	calls   int
}

// NewServer makes a server with middleware. Text is "text" until it is set.
func NewServer(middleware mcp.Middleware) *Server {
	s := &Server{Text: "text", release: make(chan struct{})}
	s.Server = mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s.AddReceivingMiddleware(middleware)
	schema := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&mcp.Tool{Name: "text", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.count()
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s.Text}}}, nil
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

func (s *Server) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
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
