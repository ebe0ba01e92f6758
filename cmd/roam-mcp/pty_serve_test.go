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

func TestServeTypedInATerminal(t *testing.T) {
	t.Run("says what it waits for and how to set up, and ctrl+d ends it", func(t *testing.T) {
		p := sitDown(t, 160, 24, "serve")
		p.sees("messages of an MCP client on standard input", "Clients start it themselves", "Ctrl+D or Ctrl+C ends it.",
			"To set up graphs and clients:", "  roam-mcp install CLIENT",
			"No graph is connected yet", "  roam-mcp connect GRAPH")
		p.presses(terminal.ControlD)
		p.leaves(0)
	})
	t.Run("is ended by ctrl+c, and names the commands of the sandbox's world", func(t *testing.T) {
		p := sitDown(t, 160, 24, "--sandbox", "serve", "--graph", "Mine")
		p.sees("  roam-mcp --sandbox install CLIENT", "No graph that --graph names is connected", "  roam-mcp --sandbox connect --nickname Mine GRAPH")
		p.presses(terminal.ControlC)
		p.leaves(0)
	})
}

func TestServingOverHTTPInATerminalTellsOfEachCall(t *testing.T) {
	home := t.TempDir()
	startRoam(t, home, "--approve", "allow").command("connect", "demo", "--nickname", "Work")
	p := inTerminal(t, home, 300, 24, roamMCP(t, home, "serve", "--http", "127.0.0.1:0", "--profile", "roam"))
	p.sees("To connect Claude Code, run:", "claude mcp add-json --scope user roam ", "headersHelper")
	endpoint := regexp.MustCompile(`http://\S+/mcp`).FindString(p.terminal.Screen())
	a, err := agent.Connect(t.Context(), "night-agent", endpoint, filepath.Join(home, "state", "roam-mcp", "http-token"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	caller := caller{p, a}
	caller.calls("search", map[string]any{"query": ""}, "")
	p.sees("night-agent  Work  search  ")
	caller.calls("get_page", map[string]any{}, "INVALID_PARAMS")
	p.sees("get_page  INVALID_PARAMS  ")
	if line := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  night-agent  Work  search  [\d.]+ K?B  [\w. ]*s$`); !line.MatchString(p.terminal.Screen()) {
		t.Errorf("no line of a call is there:\n%s", p.terminal.Screen())
	}
	if written := string(p.terminal.Written()); strings.Contains(written, "No graph") || httpTokenPattern.MatchString(written) {
		t.Errorf("it says too much:\n%s", p.terminal.Screen())
	}
	p.presses(terminal.ControlC)
	p.leaves(0)
}
