//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

func TestAPanicRestoresTheTerminalAndLeavesAReport(t *testing.T) {
	tests := map[string]struct {
		argument, key, while, origin string
	}{
		"while a key is taken":   {"", "x", "taking a message", "newRemoval"},
		"while a frame is drawn": {"", terminal.Enter, "drawing", "faultyStore"},
		"in a command":           {"roam", "", "working in the background", "faultyRoam"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := startFaulty(t, test.argument)
			if test.key != "" {
				p.sees("Work")
				p.presses(test.key)
			}
			p.leaves(exitFailed)
			p.leftTheTerminalClean()
			if screen := strings.Join(strings.Fields(p.terminal.Screen()), " "); !strings.Contains(screen, "has broken down while "+test.while) {
				t.Errorf("the fault is not told:\n%s", screen)
			}
			files, err := filepath.Glob(filepath.Join(p.home, "state", "roam-mcp", "reports", "*.txt"))
			if err != nil || len(files) != 1 {
				t.Fatalf("reports: %v, %v", files, err)
			}
			written, err := os.ReadFile(files[0])
			require.NoError(t, err)
			wanted := []string{"roam-mcp " + version(), "while " + test.while, "*tui.graphList", test.origin, "[token redacted]"}
			if test.key != "" { // in the background it may break before the terminal has said its size
				wanted = append(wanted, "80x24", "WindowSizeMsg")
			}
			for _, want := range wanted {
				if !strings.Contains(string(written), want) {
					t.Errorf("the report has no %q:\n%s", want, written)
				}
			}
			if strings.Contains(string(written), "FAULTY") || strings.Contains(string(p.terminal.Written()), "FAULTY") {
				t.Error("a token was told")
			}
			if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the report has mode %v, %v", info.Mode(), err)
			}
		})
	}
}

// startFaulty starts the program with the ports that panic, with one graph
// configured.
func startFaulty(t *testing.T, args ...string) *person {
	t.Helper()
	home := t.TempDir()
	config := `{"version": 1, "graphs": [{"name": "work", "nickname": "Work", "token": "` + faultyToken + `"}]}`
	require.NoError(t, os.WriteFile(filepath.Join(home, configName), []byte(config), 0o600))
	command := exec.Command(programPath(t, "roam-mcp-faulty"))
	for _, arg := range args {
		if arg != "" {
			command.Args = append(command.Args, arg)
		}
	}
	command.Env = append(environmentOf(home), "ROAM_MCP_CONFIG=")
	return inTerminal(t, home, 80, 24, command)
}
