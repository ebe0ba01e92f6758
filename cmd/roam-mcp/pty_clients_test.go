//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

// hasClients makes the folders by which clients are known.
func hasClients(t *testing.T, home string, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		require.NoError(t, os.MkdirAll(filepath.Join(home, folder), 0o700))
	}
}

// withClients is somebody at a terminal, at a home with clients whose programs are not in
// the PATH, so that their files are edited.
func withClients(t *testing.T, home string, args ...string) *person {
	t.Helper()
	command := roamMCP(t, home, args...)
	for i, variable := range command.Env {
		if strings.HasPrefix(variable, "PATH=") {
			command.Env[i] = "PATH=/nowhere"
		}
	}
	return inTerminal(t, home, 80, 32, command)
}

func TestFromAFreshStartToAProvenClaudeCodeInUnderADozenKeys(t *testing.T) {
	home := t.TempDir()
	hasClients(t, home, ".claude")
	p := withClients(t, home, "--sandbox")
	p.connectsDemo()
	p.presses(terminal.Enter)
	p.sees("Where should agents find your graphs?", "Claude Code")
	p.presses(terminal.Enter)
	p.sees("write and prove", "roam-sandbox")
	p.presses(terminal.Enter)
	p.sees("written to ~/.claude.json", "get_graph_guidelines on Demo", "proven just now")
	if p.keys >= 12 {
		t.Errorf("it took %d keys", p.keys)
	}
	written, err := os.ReadFile(filepath.Join(home, ".claude.json"))
	if err != nil || !strings.Contains(string(written), "--sandbox") {
		t.Errorf("%v\n%s", err, written)
	}
	p.presses(terminal.Escape)
	p.sees("Your graphs")
	p.presses("q")
	p.leaves(0)
}

func TestFromAnEmptyHomeToThreeProvenClientsInUnderTwentyKeys(t *testing.T) {
	home := t.TempDir()
	hasClients(t, home, ".claude", ".cursor", ".codex")
	startRoam(t, home, "--approve", "allow")
	started := time.Now()
	p := withClients(t, home)
	p.config = filepath.Join(home, configName)
	p.asksForDemo()
	p.sees("Saved")
	p.presses(terminal.Enter)
	p.sees("Claude Code", "Cursor", "Codex")
	p.presses(" ", " ", " ", terminal.Enter)
	p.sees("write and prove")
	p.presses(terminal.Enter)
	await.Condition(t, "three are proven", func() bool { return strings.Count(p.terminal.Screen(), "configured, proven") == 3 })
	t.Logf("%d keys, %v", p.keys, time.Since(started).Round(time.Millisecond)) // the machine may be busy
	if p.keys >= 20 {
		t.Errorf("it took %d keys", p.keys)
	}
	p.presses(terminal.Escape)
	p.sees("Your graphs")
	p.presses("q")
	p.leaves(0)
}
