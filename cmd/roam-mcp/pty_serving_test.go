//go:build unix

package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/agent"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

// An agent connects to the server that the setup program runs, and a person
// sees what it does, holds its writes back, and stops.
func TestServingInsideTheSetupProgramShowsTheAgentsCalls(t *testing.T) {
	p := sitDown(t, 110, 30, "--sandbox")
	p.connectsDemo()
	p.presses(terminal.Escape)
	p.sees("Your graphs", "connected")
	p.presses("s")
	p.sees("Serving at", "serving :")
	p.presses("v")
	p.sees("writes on", "No agent has called yet", "/mcp")

	caller := p.agent(regexp.MustCompile(`http://\S+/mcp`).FindString(p.terminal.Screen()))
	caller.calls("search", map[string]any{"query": ""}, "")
	p.sees("1 client: night-agent", "search", "Demo")
	p.presses("p")
	p.sees("writes paused")
	caller.calls("create_page", map[string]any{"title": "While paused"}, "WRITES_PAUSED")
	p.sees("create_page", "WRITES_PAUSED")
	p.presses(terminal.Enter)
	p.sees("What was sent", "While paused", "What came back")
	p.presses(terminal.Escape)
	p.sees("RESULT")
	p.presses("p")
	p.sees("writes on")
	caller.calls("create_page", map[string]any{"title": "After the pause"}, "")
	p.sees("1 write, ", "1 failed")
	p.presses("c")
	p.sees("How to connect", "claude mcp add-json --scope user roam")
	p.presses(terminal.Escape)
	p.sees("RESULT")
	p.presses(terminal.Escape)
	p.sees("Your graphs", "serving :", "1 client")
	p.presses("s")
	p.sees("Stop serving?")
	p.presses("y")
	p.sees("Stopped serving.")
	p.presses("q")
	p.leaves(0)
}

// caller is an agent of the person's.
type caller struct {
	*person
	*agent.Agent
}

func (p *person) agent(endpoint string) caller {
	p.Helper()
	a, err := agent.Connect(p.Context(), "night-agent", endpoint, filepath.Join(p.home, "data", "roam-mcp", "sandbox", "http-token"))
	require.NoError(p, err)
	p.Cleanup(func() { _ = a.Close() })
	return caller{p, a}
}

// calls a tool and wants that error code; "" is success.
func (c caller) calls(tool string, arguments map[string]any, code string) {
	c.Helper()
	text, refused, err := c.Call(c.Context(), tool, arguments)
	require.NoError(c, err)
	if refused != (code != "") || !strings.Contains(text, code) {
		c.Fatalf("%s: %s, want %q", tool, text, code)
	}
}
