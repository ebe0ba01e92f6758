//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

// person is somebody at a terminal with an empty home folder.
type person struct {
	*testing.T
	terminal *terminal.Terminal
	home     string
	config   string // path of the configuration; empty: the sandbox's own
	keys     int    // pressed so far
}

// sitDown starts roam-mcp in a terminal of that size, for somebody who has never
// used it. Whatever the program writes there is searched for tokens at the end.
func sitDown(t *testing.T, columns, rows int, args ...string) *person {
	t.Helper()
	home := t.TempDir()
	return inTerminal(t, home, columns, rows, roamMCP(t, home, args...))
}

// sitDownAt starts roam-mcp at a home folder whose Roam somebody else runs.
func sitDownAt(t *testing.T, home string, args ...string) *person {
	t.Helper()
	p := inTerminal(t, home, 80, 24, roamMCP(t, home, args...))
	p.config = filepath.Join(home, configName)
	return p
}

// roamMCP is the program, at home in a folder.
func roamMCP(t *testing.T, home string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(programPath(t, "roam-mcp"), args...)
	command.Env = environmentOf(home)
	return command
}

// environmentOf is that of somebody with that home folder.
func environmentOf(home string) []string {
	return []string{
		"HOME=" + home, "TMPDIR=" + filepath.Join(home, "tmp"), "XDG_DATA_HOME=" + filepath.Join(home, "data"), "XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
	}
}

func inTerminal(t *testing.T, home string, columns, rows int, command *exec.Cmd) *person {
	t.Helper()
	term, err := terminal.Start(command, columns, rows)
	require.NoError(t, err)
	t.Cleanup(func() {
		term.Kill()
		if tokenPattern.Match(term.Written()) {
			t.Error("a token was written to the terminal")
		}
		if err := lookForTokens(home); err != nil {
			t.Error(err)
		}
	})
	return &person{T: t, terminal: term, home: home}
}

// sees waits until the screen holds all of the texts. It is as patient as a slow
// machine needs, and costs nothing where the texts are there.
func (p *person) sees(texts ...string) {
	p.Helper()
	require.NoError(p, p.terminal.Await(patience, texts...))
}

func (p *person) presses(keys ...string) {
	p.Helper()
	for _, key := range keys {
		p.keys++
		require.NoError(p, p.terminal.Type(key))
	}
}

func (p *person) leaves(code int) {
	p.Helper()
	got, err := p.terminal.Wait(patience)
	if err != nil || got != code {
		p.Fatalf("exit code %d (%v), want %d:\n%s", got, err, code, p.terminal.Screen())
	}
}

// savedGraphs reads the configuration.
func (p *person) savedGraphs() []map[string]any {
	p.Helper()
	path := p.config
	if path == "" {
		path = filepath.Join(p.home, "data", "roam-mcp", "sandbox", configName)
	}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	var config struct{ Graphs []map[string]any }
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	require.NoError(p, err)
	return config.Graphs
}

func (p *person) hasSaved(nickname, level string) {
	p.Helper()
	graphs := p.savedGraphs()
	if len(graphs) != 1 || graphs[0]["nickname"] != nickname || graphs[0]["accessLevel"] != level {
		p.Fatalf("saved is %v, want %s with %s", withoutTokens(graphs), nickname, level)
	}
	if token, _ := graphs[0]["token"].(string); !tokenPattern.MatchString(token) {
		p.Fatal("no token was saved")
	}
}

func withoutTokens(graphs []map[string]any) []map[string]any {
	for _, graph := range graphs {
		delete(graph, "token")
	}
	return graphs
}
