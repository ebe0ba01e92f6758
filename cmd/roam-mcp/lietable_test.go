//go:build !windows

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/tui"
)

// lieTable is a home with a graph Work, whose states, entries and clients are gone through:
// what the faces of the program say of each is compared with each other and with a call.
type lieTable struct {
	provable
	good string // the configuration in which Work answers
}

// graphStates are what a graph can be.
var graphStates = []struct {
	name string
	make func(*lieTable)
}{
	{"a graph that answers", func(*lieTable) {}},
	{"a graph that is disabled", func(l *lieTable) { l.command("disable", "Work") }},
	{"a graph whose token is revoked", func(l *lieTable) {
		(&person{T: l.T, home: l.home, config: filepath.Join(l.home, configName)}).hasRevokedToken()
	}},
	{"a graph of another name", func(l *lieTable) { l.command("rename", "Work", "Other") }},
	{"no graph", func(l *lieTable) { l.command("remove", "Work", "--yes") }},
}

// entryStates are the entries that a client can have. The arguments stand behind "serve";
// program is another one than ours.
var entryStates = []struct {
	name    string
	args    []string
	program func(*lieTable) string
	entry   string
	edit    func(text string) string // of the file
	none    bool
}{
	{name: "no entry", none: true},
	{name: "an entry for all"},
	{name: "an entry for the graph", args: []string{"--graph", "Work"}},
	{name: "an entry for the graph and one that is gone", args: []string{"--graph", "Work", "--graph", "Old"}},
	{name: "an entry for one that is gone", args: []string{"--graph", "Old"}},
	{name: "an entry that reads only", args: []string{"--read-only"}},
	{name: "an entry of the sandbox", args: []string{"--sandbox"}, entry: "roam-sandbox"},
	{name: "an entry of another configuration", args: []string{"--config", "/elsewhere/config.json"}},
	{name: "an entry whose program is gone", program: func(*lieTable) string { return "/gone/roam-mcp" }},
	{name: "an entry of another copy", program: func(l *lieTable) string { return l.copied() }},
	{name: "another program's entry", program: func(*lieTable) string { return "/bin/true" }},
	{name: "an entry with arguments of its own", args: []string{"--log-level", "debug"}},
	{name: "an entry that connects", edit: func(string) string {
		return `{"mcpServers":{"roam":{"url":"http://127.0.0.1:3939/mcp"}}}`
	}},
	{name: "a file that is broken", edit: func(string) string { return "{[" }},
}

// copied makes a copy of the program.
func (l *lieTable) copied() string {
	l.Helper()
	to := filepath.Join(l.home, "copy", "roam-mcp")
	require.NoError(l, os.MkdirAll(filepath.Dir(to), 0o700))
	if _, err := os.Stat(to); err != nil {
		text, err := os.ReadFile(l.installer.Server.Command)
		require.NoError(l, err)
		require.NoError(l, os.WriteFile(to, text, 0o700))
	}
	return to
}

// command runs the program; that it fails is what a caller may want.
func (l *lieTable) command(args ...string) (out string, code int) {
	l.Helper()
	command := exec.CommandContext(l.Context(), l.installer.Server.Command, args...)
	command.Env = environmentOf(l.home)
	text, err := command.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.Fatal(err)
	}
	return string(text), command.ProcessState.ExitCode()
}

// TestNoTwoFacesDisagree goes through the states of graph, entry and client.
func TestNoTwoFacesDisagree(t *testing.T) {
	if race.Enabled {
		t.Skip("what runs is another process")
	}
	p, _ := newProvable(t)
	p.installer.Environ = environmentOf(p.home)
	l := &lieTable{provable: p}
	good, err := os.ReadFile(filepath.Join(l.home, configName))
	require.NoError(t, err)
	l.good = string(good)
	l.installer.World = dirs{home: l.home, config: filepath.Join(l.home, configName)}.clientWorld
	kinds := []string{"cursor", "cline-cli", "codex", "goose", "opencode", "claude-desktop"}
	all, told := 0, 0
	for g, graph := range graphStates {
		for e, entry := range entryStates {
			for c, id := range kinds {
				if (entry.edit != nil && id != "cursor") || (g*31+e*7+c)%lieStride != 0 {
					continue
				}
				all++
				t.Run(graph.name+"/"+entry.name+"/"+id, func(t *testing.T) {
					one := *l
					one.T = t
					one.installer.Machine.Home = l.home
					if one.check(g, e, id) {
						told++
					}
				})
			}
		}
	}
	t.Logf("%d states, in %d of them a graph answers through the client's own command", all, told)
}

// check makes a state and compares what is said of it. It reports whether a graph answers
// through the client's own command.
func (l *lieTable) check(graph, entry int, id string) (answers bool) {
	l.Helper()
	require.NoError(l, os.WriteFile(filepath.Join(l.home, configName), []byte(l.good), 0o600))
	graphStates[graph].make(l)
	l.has(entry, id)
	result, proofErr := l.installer.Prove(l.Context(), id, "", true, nil)
	answers = proofErr == nil
	var status install.Status
	for _, each := range l.installer.Look(l.Context()) {
		if each.Client.ID == id {
			status = each
		}
	}
	screen := tui.ClientLine(status.Status, status.Proven, l.installer.Now())
	list := describeClient(status, l.installer.Now())
	listed := l.listed(id)
	report, code := l.command("doctor")
	sign := doctorSign(report, status.Client.Name)
	say := func(what string) {
		l.Errorf("%s\nproof: %v %+v\nscreen: %+v\nclients: %s, %+v\ndoctor (%d): %s", what, proofErr, result.Steps, screen, list, listed, code, report)
	}
	configured := status.State == clients.Configured
	switch {
	case answers && !configured:
		say("a graph answers, and the client is not called configured")
	case answers != (screen.Sign == tui.SignDone):
		say("the screen's sign is not what the proof says")
	case configured != strings.HasPrefix(list, "configured, proven") && configured != strings.HasPrefix(list, "configured, not proven"):
		say("clients and the state disagree")
	case status.State.Word() != listed.State || listed.Gives != status.Gives:
		say("clients --json and the state disagree")
	case sign == "OK" && !configured:
		say("doctor is content with a client that is not configured")
	case configured && sign == "OK" && code == 0 && !answers:
		say("doctor calls all well, and nothing answers")
	case answers && code != 0 && !strings.Contains(report, "Old") && !strings.Contains(report, "Programs"):
		say("all answers, and doctor is not content")
	}
	return answers
}

// listed returns what "clients --json" says.
func (l *lieTable) listed(id string) install.Listed {
	l.Helper()
	out, _ := l.command("clients", "--json")
	var all struct{ Clients []install.Listed }
	require.NoError(l, json.Unmarshal([]byte(out), &all))
	for _, each := range all.Clients {
		if each.ID == id {
			return each
		}
	}
	l.Fatalf("%s is not listed", id)
	return install.Listed{}
}

// doctorSign returns the sign of the last row that doctor has of a subject that is not well, or
// else OK where it has one.
func doctorSign(report, subject string) (sign string) {
	for _, line := range strings.Split(report, "\n") {
		first, rest, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(rest, subject+" ") {
			continue
		}
		if sign == "" || sign == "OK" {
			sign = map[bool]string{true: "OK", false: first}[first == "+" || first == "✓"]
		}
	}
	return sign
}

// has gives a client, and no other one, the file of a state.
func (l *lieTable) has(entry int, id string) {
	l.Helper()
	state := entryStates[entry]
	for _, folder := range []string{".cursor", ".cline", ".codex", "config"} {
		require.NoError(l, os.RemoveAll(filepath.Join(l.home, folder)))
	}
	client, _ := clients.Find(id)
	l.installer.Machine.Getenv = func(name string) string {
		return map[string]string{"XDG_CONFIG_HOME": filepath.Join(l.home, "config")}[name]
	}
	file := l.installer.Machine.Look(client).File
	require.NoError(l, os.MkdirAll(filepath.Dir(file), 0o700))
	if state.none {
		return
	}
	server := clients.Server{Name: "roam", Command: l.installer.Server.Command, Args: append([]string{"serve"}, state.args...)}
	if state.entry != "" {
		server.Name = state.entry
	}
	if state.program != nil {
		server.Command = state.program(l)
	}
	plan, err := l.installer.Machine.PlanInstall(client, server, clients.Options{File: true})
	require.NoError(l, err)
	text := string(plan.After)
	if plan.Way == clients.ByText {
		text = plan.Text
	}
	if state.edit != nil {
		text = state.edit(text)
	}
	require.NoError(l, os.WriteFile(file, []byte(text), 0o600))
}
