package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/manage"
)

// The graphs of a ward, as the sandbox has them.
var (
	notes = localapi.Graph{Name: "secret-merger-notes", Type: localapi.Hosted}
	diary = localapi.Graph{Name: "my-diary-2026", Type: localapi.Offline}
)

// ward is a healthy installation of real parts: a sandbox as Roam, two connected graphs of
// which one is open, a journal, and a client that is configured.
type ward struct {
	t     *testing.T
	home  string
	roam  *faultroam.Roam
	store *configstore.Store
	ports Ports
}

func newWard(t *testing.T) *ward {
	t.Helper()
	w := &ward{t: t, home: t.TempDir()}
	w.open(sandbox.NewGraph{Graph: notes}, sandbox.NewGraph{Graph: diary})
	w.store = configstore.New(w.path(".roam-mcp.json"))
	w.save(notes, "Work", localapi.Full)
	w.save(diary, "Diary", localapi.ReadOnly)
	client := localapi.New(localapi.Options{PortFile: w.portFile()})
	t.Cleanup(client.CloseIdleConnections)
	program := w.program("bin/roam-mcp", "roam-mcp 1.2.3")
	w.ports = Ports{
		Home: w.home, PortFile: w.portFile(), Graphs: &manage.Manager{Store: w.store, Roam: client},
		Call: func(ctx context.Context, entry configstore.Entry) error {
			_, err := client.Guidelines(localapi.Expecting(ctx, entry.APIVersion), entry.Graph(), entry.Token)
			return err
		},
		RescueFolder: w.path("state/rescued"),
		ImportRescued: func(ctx context.Context, file string) error {
			if _, _, err := w.store.ImportFile(ctx, file, nil); err != nil {
				return err
			}
			return os.Remove(file)
		},
		JournalFolder: w.path("state/history"),
		Private: []Private{
			{Name: "History's folder", Path: w.path("state/history"), Folder: true}, {Name: "Rescue folder", Path: w.path("state/rescued"), Folder: true},
			{Name: "HTTP token", Path: w.path("state/http-token")},
		},
		Program: Program{Path: program, Version: "1.2.3"}, Profiles: []string{"roam", "notes"},
	}
	w.ports.Clients = machineClients{w}
	w.cursor("roam", program)
	w.keeps(history.DefaultRetention())
	w.close()
	w.open()                                                       // no graph is open
	require.NoError(t, w.ports.Call(t.Context(), w.entry("Work"))) // this one is
	return w
}

// keeps has the journal keep so much.
func (w *ward) keeps(keep history.Retention) {
	journal := history.New(history.Options{Folder: w.path("state/history"), Kind: history.KindCLI, Keep: keep})
	w.t.Cleanup(func() { _ = journal.Close(context.Background()) })
	w.ports.Journal = journal
}

func (w *ward) path(name string) string { return filepath.Join(w.home, filepath.FromSlash(name)) }

func (w *ward) portFile() localapi.PortFile {
	return localapi.PortFile{Path: w.path(localapi.PortFileName), Strict: true}
}

// open starts the sandbox.
func (w *ward) open(graphs ...sandbox.NewGraph) {
	w.t.Helper()
	roam, err := faultroam.Start(w.t.Context(), sandbox.Options{Home: w.home, Policy: desk.Allow, New: graphs})
	require.NoError(w.t, err)
	w.roam = roam
	w.t.Cleanup(w.close)
}

// close ends the sandbox. Its port file stays, as with Roam.
func (w *ward) close() { _ = w.roam.Close(context.Background()) }

// grant has the sandbox grant a token.
func (w *ward) grant(g localapi.Graph, level localapi.AccessLevel) localapi.Token {
	w.t.Helper()
	grant, err := w.roam.Desk().RequestAccess(w.t.Context(), desk.Access{Graph: g, AccessLevel: level, Description: "a test", AI: true})
	require.NoError(w.t, err)
	return grant.Token
}

// save connects a graph.
func (w *ward) save(g localapi.Graph, nickname string, level localapi.AccessLevel) {
	w.t.Helper()
	require.NoError(w.t, w.store.Save(w.t.Context(), configstore.Entry{Name: g.Name, Type: g.Type, Nickname: nickname, AccessLevel: level, Token: w.grant(g, level)}))
}

func (w *ward) entry(nickname string) configstore.Entry {
	w.t.Helper()
	config, err := w.store.Load(w.t.Context())
	require.NoError(w.t, err)
	entry, ok := config.Find(nickname)
	if !ok {
		w.t.Fatalf("%s is not connected", nickname)
	}
	return entry
}

func (w *ward) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.path(name))
	require.NoError(w.t, err)
	return string(text)
}

func (w *ward) write(name, text string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o700))
	require.NoError(w.t, os.WriteFile(w.path(name), []byte(text), 0o600))
}

// edit replaces a text in the configuration.
func (w *ward) edit(old, new string) {
	w.t.Helper()
	before := w.read(".roam-mcp.json")
	if !strings.Contains(before, old) {
		w.t.Fatalf("%q is not in %s", old, before)
	}
	w.write(".roam-mcp.json", strings.Replace(before, old, new, 1))
}

// program makes a program that prints a text, and returns its path.
func (w *ward) program(name, prints string) string {
	w.t.Helper()
	w.write(name, "#!/bin/sh\necho '"+prints+"'\n")
	require.NoError(w.t, os.Chmod(w.path(name), 0o700))
	return w.path(name)
}

// turn sets faults and switches of the sandbox.
func (w *ward) turn(settings ...string) {
	w.t.Helper()
	require.NoError(w.t, w.roam.Turn(settings...))
}

// run runs all checks, and looks whether the findings and their report tell a secret.
func (w *ward) run() Report {
	w.t.Helper()
	before := w.snapshot()
	report := Run(w.t.Context(), Checks(w.ports), nil)
	if after := w.snapshot(); after != before {
		w.t.Errorf("a run has changed something:\n%s\nbefore:\n%s", after, before)
	}
	w.wantNoSecret(report)
	return report
}

// snapshot lists the files that a run must leave alone.
func (w *ward) snapshot() string {
	var all strings.Builder
	for _, name := range []string{".roam-mcp.json", ".cursor/mcp.json", localapi.PortFileName} {
		text, err := os.ReadFile(w.path(name))
		info, _ := os.Stat(w.path(name))
		if err == nil {
			fmt.Fprintf(&all, "%s %v %s\n", name, info.Mode(), text)
		}
	}
	return all.String()
}

// unwell lists what needs mending: checks with their levels, and what was found.
func unwell(r Report) (list []string) {
	for _, f := range r.Findings {
		if !f.Well() {
			list = append(list, f.Check+" "+f.Level.String())
		}
	}
	return list
}

// finding returns the first finding of a check with a level.
func finding(t *testing.T, r Report, check string, level Level) Finding {
	t.Helper()
	at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Check == check && f.Level == level })
	if at < 0 {
		t.Fatalf("the check %s has found nothing of level %v: %q", check, level, unwell(r))
	}
	return r.Findings[at]
}

func told(f Finding) string {
	return strings.Join([]string{f.Found, f.Why, problem.World{}.Say(f.Todo)}, " | ")
}

var _ Clients = (*machineClients)(nil)

// machineClients are the clients in the home folder of a ward.
type machineClients struct{ w *ward }

func (m machineClients) machine() clients.Machine {
	world := clients.World{HTTP: "http://127.0.0.1:3939/mcp", Sandbox: m.w.ports.Sandbox, Config: m.w.ports.Graphs.Path()}
	if config, err := m.w.ports.Graphs.Load(m.w.t.Context()); err == nil {
		world.NoGraph, world.Reaches = len(config.Enabled()) == 0, config.Reaches
	}
	return clients.Machine{
		World: world,
		GOOS:  "linux", Home: m.w.home, Program: m.w.ports.Program.Path,
		Getenv: func(string) string { return "" }, LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
}

func (m machineClients) Look(context.Context) []clients.Status { return m.machine().LookAll() }

func (m machineClients) Rewrite(ctx context.Context, id string, entry clients.Entry) error {
	client, _ := clients.Find(id)
	plan, err := m.machine().PlanInstall(client, clients.Server{Name: entry.Name, Command: m.w.ports.Program.Path, Args: entry.Args}, clients.Options{File: true})
	if err != nil {
		return err
	}
	return m.machine().Apply(ctx, plan)
}

// Version reads the version that the script of program prints.
func (m machineClients) Version(command string) (string, bool) {
	script, _ := os.ReadFile(command)
	_, version, ok := strings.Cut(string(script), "roam-mcp ")
	version, _, _ = strings.Cut(version, "'")
	return version, ok && version != ""
}

const cursorFile = ".cursor/mcp.json"

// cursor writes the file of Cursor, with an entry that starts a program.
func (w *ward) cursor(name, program string, args ...string) {
	w.t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]any{"command": program, "args": append([]string{"serve"}, args...)}}})
	require.NoError(w.t, err)
	w.write(cursorFile, string(text))
}
