//go:build unix

package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/cmd/internal/terminal"
	"roam-mcp/mcpserve/bearer"
)

// An agent connects to the server that the setup program runs, and a person
// sees what it does, holds its writes back, and stops.
func TestServingInsideTheSetupProgramShowsTheAgentsCalls(t *testing.T) {
	p := sitDown(t, 110, 30, "--sandbox")
	p.sees("demo")
	p.presses(terminal.Enter)
	p.sees("Nickname")
	p.presses(terminal.Enter, terminal.Enter, terminal.Enter)
	p.sees("Waiting for you in Roam")
	p.presses("a")
	p.sees("Saved")
	p.presses(terminal.Escape)
	p.sees("Your graphs", "connected")
	p.presses("s")
	p.sees("writes on", "No agent has called yet", "/mcp")

	agent := p.agent(regexp.MustCompile(`http://\S+/mcp`).FindString(p.terminal.Screen()))
	agent.calls("search", `{"query":""}`, "")
	p.sees("1 client: night-agent", "search", "Demo")
	p.presses("p")
	p.sees("writes paused")
	agent.calls("create_page", `{"title":"While paused"}`, "WRITES_PAUSED")
	p.sees("create_page", "WRITES_PAUSED")
	p.presses(terminal.Enter)
	p.sees("What was sent", "While paused")
	p.presses(terminal.Escape)
	p.sees("RESULT")
	p.presses("p")
	p.sees("writes on")
	agent.calls("create_page", `{"title":"After the pause"}`, "")
	p.sees("1 write, ", "1 failed")
	p.presses("c")
	p.sees("How to connect", "claude mcp add --transport http")
	p.presses(terminal.Escape)
	p.sees("RESULT")
	p.presses(terminal.Escape)
	p.sees("Stop serving?")
	p.presses("y")
	p.sees("Your graphs")
	p.presses("q")
	p.leaves(0)
}

// agent is an MCP client over HTTP.
type agent struct {
	*person
	session *mcp.ClientSession
}

func (p *person) agent(endpoint string) *agent {
	p.Helper()
	token, err := bearer.LoadOrCreate(p.Context(), filepath.Join(p.home, "data", "roam-mcp", "sandbox", "http-token"))
	if err != nil {
		p.Fatal(err)
	}
	transport := &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: withBearer{token}}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "night-agent", Version: "1"}, nil).Connect(p.Context(), transport, nil)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = session.Close() })
	return &agent{p, session}
}

// calls a tool and wants that error code; "" is success.
func (a *agent) calls(tool, arguments, code string) {
	a.Helper()
	result, err := a.session.CallTool(a.Context(), &mcp.CallToolParams{Name: tool, Arguments: rawJSON(arguments)})
	if err != nil {
		a.Fatal(err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError != (code != "") || !strings.Contains(text, code) {
		a.Fatalf("%s: %s, want %q", tool, text, code)
	}
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }
