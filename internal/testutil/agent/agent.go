// Package agent is an MCP client, for tests of the whole program and for the
// pictures in docs.
//
// It promises one call after another, each with its answer. It knows nothing of
// graphs and tools.
package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/mcpserve/transport"
)

// Agent is a client that is connected.
type Agent struct{ session *mcp.ClientSession }

// Connect reaches the server at the endpoint under a name, with the token that
// the file holds. Cancelling ctx ends the connection.
func Connect(ctx context.Context, name, endpoint, tokenFile string) (*Agent, error) {
	token, err := transport.LoadOrCreateToken(ctx, tokenFile)
	if err != nil {
		return nil, err
	}
	transport := &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: WithBearer{token}}}
	return connect(ctx, name, endpoint, transport)
}

// Start runs the command, a server over its standard input and output, and reaches it
// under a name. Close ends it.
func Start(ctx context.Context, name string, command *exec.Cmd) (*Agent, error) {
	return connect(ctx, name, command.Path, &mcp.CommandTransport{Command: command})
}

func connect(ctx context.Context, name, server string, transport mcp.Transport) (*Agent, error) {
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, fmt.Errorf("connect %s to %s: %w", name, server, err)
	}
	return &Agent{session}, nil
}

// Call calls a tool. What the tool answers is its text, refused where that is an
// error.
func (a *Agent) Call(ctx context.Context, tool string, arguments map[string]any) (text string, refused bool, err error) {
	result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", false, fmt.Errorf("call %s: %w", tool, err)
	}
	for _, content := range result.Content {
		if part, ok := content.(*mcp.TextContent); ok {
			text += part.Text
		}
	}
	return text, result.IsError, nil
}

// Ticket reads a graph's guidelines and takes from them what writes need.
func (a *Agent) Ticket(ctx context.Context, graph string) (string, error) {
	text, refused, err := a.Call(ctx, "get_graph_guidelines", map[string]any{"graph": graph})
	if err != nil {
		return "", err
	}
	var reply struct {
		Ticket string `json:"ticket"`
	}
	if err := json.Unmarshal([]byte(text), &reply); refused || err != nil || reply.Ticket == "" {
		return "", fmt.Errorf("the guidelines of %s came without a ticket: %s", graph, text)
	}
	return reply.Ticket, nil
}

// Close ends the connection.
func (a *Agent) Close() error { return a.session.Close() }

// WithBearer sends the token with every request.
type WithBearer struct{ Token transport.Token }

// RoundTrip implements http.RoundTripper.
func (w WithBearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.Token.Reveal())
	return http.DefaultTransport.RoundTrip(r)
}
