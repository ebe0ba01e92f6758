package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// ailment is one way in which an installation is broken.
type ailment struct {
	name   string
	breaks func(w *ward)
	// want are the checks that need mending then, with their levels.
	want []string
	// finds is a text that the first of them says.
	finds string
	// mend mends it as a person would who reads what to do; nil: by its Fix.
	mend func(w *ward)
}

func connectedAnew(nickname string, g localapi.Graph) func(*ward) {
	return func(w *ward) { w.save(g, nickname, localapi.Full) }
}

var ailments = []ailment{
	{"the port file makes no sense", func(w *ward) { w.write(localapi.PortFileName, "nonsense") },
		[]string{"port-file failed", "listener failed", "local-api skipped", "graphs skipped", "token skipped", "api-version skipped", "call skipped"}, "is not understood",
		func(w *ward) { w.close(); w.open() }},
	{"the port file is a folder", func(w *ward) {
		require.NoError(w.t, os.Remove(w.path(localapi.PortFileName)))
		require.NoError(w.t, os.Mkdir(w.path(localapi.PortFileName), 0o700))
	}, []string{"port-file failed", "listener failed", "local-api skipped", "graphs skipped", "token skipped", "api-version skipped", "call skipped"}, "folder",
		func(w *ward) {
			require.NoError(w.t, os.Remove(w.path(localapi.PortFileName)))
			w.close()
			w.open()
		}},
	{"Roam is not running", func(w *ward) {
		w.close()
		w.ports.OpenRoam = func(context.Context) error { w.open(); return nil }
	}, []string{"listener failed", "local-api skipped", "graphs skipped", "token skipped", "api-version skipped", "call skipped"}, "Nothing answers", nil},
	{"a stranger has Roam's port", func(w *ward) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(w.t, err)
		stranger := &http.Server{Handler: http.NotFoundHandler()}
		go func() { _ = stranger.Serve(listener) }()
		w.t.Cleanup(func() { _ = stranger.Close() })
		w.write(localapi.PortFileName, fmt.Sprintf(`{"port":%d}`, listener.Addr().(*net.TCPAddr).Port))
	}, []string{"listener failed", "local-api skipped", "graphs skipped", "token skipped", "api-version skipped", "call skipped"}, fmt.Sprintf("(process %d)", os.Getpid()),
		func(w *ward) { w.write(localapi.PortFileName, fmt.Sprintf(`{"port":%d}`, w.roam.Port())) }},
	{"the Local API is switched off", func(w *ward) { w.turn("disabled") },
		[]string{"local-api failed", "graphs skipped", "token skipped", "api-version skipped", "call skipped"}, "disabled",
		func(w *ward) { w.turn("disabled=off") }},
	{"nobody is signed in to Roam", func(w *ward) {
		w.close()
		w.open() // no graph is open
		w.turn("signed-out")
	}, []string{"graphs warning"}, "lists none", func(w *ward) { w.turn("signed-out=off") }},

	{"the configuration does not parse", func(w *ward) { w.edit(`"version": 1,`, `"version": 1`) },
		[]string{"config failed", "entries skipped", "duplicates skipped", "same-name skipped", "token skipped", "call skipped"}, "line 3, column 3",
		func(w *ward) { w.edit(`"version": 1`, `"version": 1,`) }},
	{"the configuration is of a later version", func(w *ward) { w.edit(`"version": 1,`, `"version": 9,`) },
		[]string{"config failed", "entries skipped", "duplicates skipped", "same-name skipped", "token skipped", "call skipped"}, "version 9",
		func(w *ward) { w.edit(`"version": 9,`, `"version": 1,`) }},
	{"all graphs are disabled", func(w *ward) {
		require.NoError(w.t, w.store.SetDisabled(w.t.Context(), "Work", true))
		require.NoError(w.t, w.store.SetDisabled(w.t.Context(), "Diary", true))
	}, []string{"config warning"}, "all disabled", func(w *ward) { require.NoError(w.t, w.store.SetDisabled(w.t.Context(), "Work", false)) }},
	{"others can read the configuration", func(w *ward) { require.NoError(w.t, os.Chmod(w.path(".roam-mcp.json"), 0o644)) },
		[]string{"config-mode warning"}, "mode 644", nil},
	{"an entry can't be used", func(w *ward) { w.edit(`"type": "offline"`, `"type": "floating"`) },
		[]string{"entries failed"}, "is ignored", func(w *ward) { w.edit(`"type": "floating"`, `"type": "offline"`) }},
	{"an entry has no token", func(w *ward) {
		w.edit(`"graphs": [`, `"graphs": [ {"name": "third", "nickname": "Third"},`)
	}, []string{"entries warning"}, "has no token", func(w *ward) { w.edit(` {"name": "third", "nickname": "Third"},`, "") }},
	{"a graph stands there twice", func(w *ward) {
		w.edit(`"graphs": [`, fmt.Sprintf(`"graphs": [ {"name": %q, "nickname": "First", "token": %q},`, notes.Name, w.entry("Work").Token.Reveal()))
	}, []string{"duplicates warning"}, "configured twice", func(w *ward) { w.edit(w.read(".roam-mcp.json"), w.withoutFirst()) }},
	{"two graphs have one nickname", func(w *ward) { w.edit(`"nickname": "Diary"`, `"nickname": "work"`) },
		[]string{"duplicates failed"}, "nickname already", func(w *ward) { w.edit(`"nickname": "work"`, `"nickname": "Diary"`) }},
	{"a hosted and an offline graph share a name", func(w *ward) {
		w.edit(`"graphs": [`, fmt.Sprintf(`"graphs": [ {"name": %q, "type": "offline", "nickname": "Shadow", "token": %q},`, notes.Name, w.entry("Work").Token.Reveal()))
	}, []string{"same-name warning"}, "offline", func(w *ward) { w.edit(w.read(".roam-mcp.json"), w.withoutFirst()) }},
	{"a granted token waits in a file", func(w *ward) {
		entry := w.entry("Work")
		_, err := w.store.Remove(w.t.Context(), "Work")
		require.NoError(w.t, err)
		_, err = configstore.WriteRescue(w.path("state/rescued"), entry)
		require.NoError(w.t, err)
	}, []string{"rescued warning"}, "waits in ~/state/rescued", nil},

	{"a token was revoked", func(w *ward) {
		_, err := w.roam.Desk().Revoke(notes, "")
		require.NoError(w.t, err)
	}, []string{"token failed", "call skipped"}, "was revoked in Roam", connectedAnew("Work", notes)},
	{"a token gives less than the configuration says", func(w *ward) { w.edit(`"accessLevel": "read-only"`, `"accessLevel": "full"`) },
		[]string{"token warning"}, "gives read only", nil},
	{"a token gives more than the configuration says", func(w *ward) { w.edit(`"accessLevel": "full"`, `"accessLevel": "read-only"`) },
		[]string{"token warning"}, "gives full", nil},
	{"the configuration calls a token revoked that works", func(w *ward) {
		w.edit(`"accessLevel": "full"`, `"accessLevel": "full", "lastKnownTokenStatus": "revoked"`)
	}, []string{"token warning"}, "calls it revoked", nil},
	{"a token is for the other type", func(w *ward) { w.turn("tokens=wrong-type") },
		[]string{"token failed", "token failed", "call skipped", "call skipped"}, "mixed up", func(w *ward) { w.turn("tokens=off") }},
	{"a graph is locked", func(w *ward) { w.turn("window-closed") },
		[]string{"call failed"}, "locked", func(w *ward) { w.turn("window-closed=off") }},
	{"Roam speaks another version", func(w *ward) { w.turn("api-version=2.0.0") },
		[]string{"api-version failed", "call skipped", "call skipped"}, "Roam has 2.0.0, and roam-mcp expects 1.1.5 | Roam refuses every call on Work, Diary. | Update roam-mcp", func(w *ward) { w.turn("api-version=off") }},
	{"Roam speaks another version, and the configuration takes any", func(w *ward) {
		w.turn("api-version=2.0.0")
		w.edit(`"nickname": "Work"`, `"nickname": "Work", "apiVersion": "any"`)
	}, []string{"api-version failed", "call skipped"}, "Roam refuses every call on Diary. | Update", func(w *ward) { w.edit(`"nickname": "Diary"`, `"nickname": "Diary", "apiVersion": "any"`) }},
	{"Roam speaks another version, and does not say so", func(w *ward) {
		require.NoError(w.t, w.ports.Call(w.t.Context(), w.entry("Diary")))
		w.turn("api-version=2.0.0")
		w.turn("no-api-version")
	}, []string{"call failed", "call skipped"}, "different versions", func(w *ward) { w.turn("api-version=off") }},
	{"the configuration expects a version that Roam had once", func(w *ward) { w.edit(`"nickname": "Work"`, `"nickname": "Work", "apiVersion": "0.0.9"`) },
		[]string{"api-version failed", "call skipped"}, "Take \"apiVersion\" out of its entry", func(w *ward) { w.edit(`, "apiVersion": "0.0.9"`, "") }},

	{"a client starts a program that is gone", func(w *ward) { w.cursor("roam", w.path("gone/roam-mcp"), "--graph", "Work") },
		[]string{"clients failed"}, "~/gone/roam-mcp, which is gone", nil},
	{"a client's file does not parse", func(w *ward) { w.write(cursorFile, `{"mcpServers": {`) },
		[]string{"clients warning"}, "mcp.json", func(w *ward) { w.cursor("roam", w.ports.Program.Path) }},
	{"a client has another server under our name", func(w *ward) { w.cursor("roam", "/bin/sh") },
		[]string{"clients warning"}, "another server", func(w *ward) { w.cursor("roam", w.ports.Program.Path) }},
	{"a client asks for a graph that is not connected", func(w *ward) { w.cursor("roam", w.ports.Program.Path, "--graph", "Gone") },
		[]string{"clients failed"}, "Gone", func(w *ward) { w.cursor("roam", w.ports.Program.Path, "--graph", "work") }},
	{"a client asks for a graph that is not connected beside one that is", func(w *ward) { w.cursor("roam", w.ports.Program.Path, "--graph", "Gone,Work") },
		[]string{"client-entries failed"}, "write the entry without it: roam-mcp install --graph Work cursor", func(w *ward) { w.cursor("roam", w.ports.Program.Path, "--graph", "Work") }},
	{"a client has the sandbox alone", func(w *ward) { w.cursor("roam-sandbox", w.ports.Program.Path, "--sandbox") },
		[]string{"clients warning"}, "no client gives the graphs", func(w *ward) { w.cursor("roam", w.ports.Program.Path) }},
	{"a client connects to a server that does not run", func(w *ward) {
		w.write(cursorFile, `{"mcpServers":{"roam":{"url":"http://127.0.0.1:3939/mcp"}}}`)
	}, []string{"clients warning"}, "roam-mcp serve --http 127.0.0.1:3939", func(w *ward) { w.cursor("roam", w.ports.Program.Path) }},
	{"a client asks for a profile that there is not", func(w *ward) { w.cursor("roam", w.ports.Program.Path, "--profile=poems") },
		[]string{"client-entries failed"}, "poems", func(w *ward) { w.cursor("roam", w.ports.Program.Path, "--profile=notes") }},
	{"a client starts an older copy", func(w *ward) { w.cursor("roam", w.program("old/roam-mcp", "roam-mcp 1.1.0")) },
		[]string{"programs warning"}, "is version 1.1.0", func(w *ward) { w.cursor("roam", w.ports.Program.Path) }},
	{"a client starts a program that is no copy", func(w *ward) {
		w.write("old/roam-mcp", "#!/bin/sh\nexit 3\n")
		require.NoError(w.t, os.Chmod(w.path("old/roam-mcp"), 0o700))
		w.cursor("roam", w.path("old/roam-mcp"))
	}, []string{"programs warning"}, "does not say its version", func(w *ward) { w.cursor("roam", w.program("old/roam-mcp", "roam-mcp 1.2.3")) }},

	{"two servers serve at one address", func(w *ward) {
		w.serving(Server{PID: 1, Version: "1.2.3", Address: "http://127.0.0.1:3939/mcp"}, Server{PID: 2, Version: "1.2.3", Address: "http://127.0.0.1:3939/mcp"})
	}, []string{"servers failed"}, "both say", func(w *ward) { w.serving(Server{PID: 1, Version: "1.2.3", Address: "http://127.0.0.1:3939/mcp"}) }},
	{"a server of an older version still runs", func(w *ward) {
		w.serving(Server{PID: 7, Version: "1.1.0", Clients: []string{"claude-code"}})
	}, []string{"servers warning"}, "claude-code", func(w *ward) { w.serving(Server{PID: 8, Version: "1.2.3", Clients: []string{"claude-code"}}) }},

	{"the journal is no journal", func(w *ward) { w.write("state/history/journal.db", strings.Repeat("nonsense ", 1000)) },
		[]string{"journal failed"}, "journal.db", func(w *ward) { require.NoError(w.t, os.Remove(w.path("state/history/journal.db"))) }},
	{"the journal is larger than it may be", tooLarge, []string{"journal warning"}, "it is to hold 1.0 MiB", nil},
	{"the journal lost its past", func(w *ward) { w.record(1, 10); w.damage(); w.record(1, 10) },
		[]string{"journal warning"}, "was damaged", nil},

	{"the clock is behind", func(w *ward) {
		w.ports.Now = func() time.Time { return time.Now().Add(-50 * time.Hour) }
	}, []string{"clock warning"}, "it says", func(w *ward) { w.ports.Now = nil }},
	{"the clock was never set", func(w *ward) {
		w.ports.Now = func() time.Time { return time.Unix(1000, 0) }
	}, []string{"clock warning"}, "1970", func(w *ward) { w.ports.Now = nil }},

	{"a file is in the place of a folder", func(w *ward) { w.write("state/rescued", "what is this") },
		[]string{"rescued warning", "folders failed"}, "can't be looked into", func(w *ward) { require.NoError(w.t, os.Remove(w.path("state/rescued"))) }},
	{"a folder can't be made", func(w *ward) {
		require.NoError(w.t, os.RemoveAll(w.path("state")))
		w.write("state", "what is this")
	}, []string{"rescued warning", "journal failed", "folders failed", "folders failed", "folders failed"}, "", func(w *ward) { require.NoError(w.t, os.Remove(w.path("state"))) }},
	{"others can read a folder", func(w *ward) {
		require.NoError(w.t, os.MkdirAll(w.path("state/rescued"), 0o700))
		require.NoError(w.t, os.Chmod(w.path("state/rescued"), 0o755))
	}, []string{"folders warning"}, "mode 755", nil},
	{"others can read the token of the HTTP endpoint", func(w *ward) {
		w.write("state/http-token", "not-a-real-secret")
		require.NoError(w.t, os.Chmod(w.path("state/http-token"), 0o644))
	}, []string{"folders warning"}, "mode 644", nil},
	{"the configuration can't be written", func(w *ward) {
		require.NoError(w.t, os.RemoveAll(w.path(".roam-mcp.json.lock")))
		require.NoError(w.t, os.Mkdir(w.path(".roam-mcp.json.lock"), 0o700))
	}, []string{"folders failed"}, "can't be written", func(w *ward) { require.NoError(w.t, os.Remove(w.path(".roam-mcp.json.lock"))) }},
}

func TestAHealthyInstallationIsWell(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	report := w.run()
	if got := unwell(report); got != nil || !report.Well() {
		t.Fatalf("not well: %q", got)
	}
	for _, check := range Checks(w.ports) {
		if check.ID != idServers && !slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Check == check.ID }) {
			t.Errorf("the check %s has found nothing", check.ID)
		}
	}
	if f := finding(t, report, idCall, Note); !strings.Contains(f.Found, "not open") || f.Subject != "Call on Diary" {
		t.Errorf("a graph that is not open was called: %s", told(f))
	}
}

// TestTheSandboxIsToldFirst since no graph that a person cares for is in it.
func TestTheSandboxIsToldFirst(t *testing.T) {
	w := newWard(t)
	w.ports.Sandbox = true
	report := w.run()
	const want = "all that follows is of the sandbox, a Roam to try things with; no graph of yours is in it |  | To connect your own graphs: roam-mcp"
	if first := report.Findings[0]; told(first) != want || first.Level != Note || !report.Well() {
		t.Errorf("the first is %s", told(first))
	}
	w.ports.Sandbox = false
	if f := w.run().Findings[0]; f.Check != idPortFile {
		t.Errorf("the first is %s", told(f))
	}
}

func TestEachCheckFindsWhatIsBrokenAndItsMendMendsIt(t *testing.T) {
	for _, a := range ailments {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			a.breaks(w)
			report := w.run()
			if got := unwell(report); !slices.Equal(got, a.want) {
				t.Fatalf("got  %q\nwant %q\n%s", got, a.want, all(report))
			}
			first := report.Findings[slices.IndexFunc(report.Findings, func(f Finding) bool { return !f.Well() })]
			if !strings.Contains(told(first), a.finds) {
				t.Errorf("it says %q", told(first))
			}
			for _, f := range report.Findings {
				if !f.Well() && f.Level != Skipped && (f.Todo.IsZero() || f.Why == "" && f.Check != idFolders) {
					t.Errorf("%s does not say why it matters and what to do: %s", f.Check, told(f))
				}
			}
			if a.mend != nil {
				a.mend(w)
			} else {
				require.NoError(t, Mend(t.Context(), first))
			}
			if report = w.run(); !report.Well() {
				t.Errorf("after the mend: %s", all(report))
			}
		})
	}
}

// all lists all findings.
func all(r Report) string {
	var out strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&out, "%-8v %-12s %-18s %s\n", f.Level, f.Check, f.Subject, told(f))
	}
	return out.String()
}

// withoutFirst returns the configuration without its first graph.
func (w *ward) withoutFirst() string {
	w.t.Helper()
	var config struct {
		Version int               `json:"version"`
		Graphs  []json.RawMessage `json:"graphs"`
	}
	require.NoError(w.t, json.Unmarshal([]byte(w.read(".roam-mcp.json")), &config))
	config.Graphs = config.Graphs[1:]
	text, err := json.Marshal(config)
	require.NoError(w.t, err)
	return string(text)
}

func (w *ward) serving(servers ...Server) {
	w.ports.Servers = func(context.Context) ([]Server, error) { return servers, nil }
}

// tooLarge has a journal that is larger than it may be.
func tooLarge(w *ward) {
	w.edit(`"graphs": [`, `"history": {"megabytes": 1}, "graphs": [`)
	w.record(40, 64<<10)
	w.keeps(history.Retention{Days: 90, Megabytes: 1})
}

// record has the journal record changes with texts of so many bytes, two days ago.
func (w *ward) record(calls, bytes int) {
	w.t.Helper()
	w.recordAt(time.Now().Add(-48*time.Hour), calls, bytes)
}

// recordAt has the journal record changes with texts of so many bytes.
func (w *ward) recordAt(at time.Time, calls, bytes int) {
	w.t.Helper()
	journal := history.New(history.Options{Folder: w.path("state/history"), Kind: history.KindCLI, Now: func() time.Time { return at }})
	defer func() { require.NoError(w.t, journal.Close(context.Background())) }()
	for i := range calls {
		text, err := json.Marshal([]string{noise(i, bytes)})
		require.NoError(w.t, err)
		change, err := journal.Intend(w.t.Context(), history.Intent{Who: history.Who{Agent: "test"}, Graph: history.Graph{Name: notes.Name, Type: "hosted"}, Tool: "t", Action: "a", Request: text, Class: fact.ClassMake})
		require.NoError(w.t, err)
		require.NoError(w.t, journal.Finish(w.t.Context(), change, history.Outcome{State: history.StateDone}))
	}
}

// noise returns text that can't be made smaller.
func noise(seed, bytes int) string {
	var out strings.Builder
	x := uint64(seed)*2654435761 + 88172645463325252
	for out.Len() < bytes {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		fmt.Fprintf(&out, "%016x", x)
	}
	return out.String()[:bytes]
}

// damage overwrites the journal, which the next change sets aside.
func (w *ward) damage() {
	w.t.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(w.path("state/history/journal.db" + suffix))
	}
	w.write("state/history/journal.db", strings.Repeat("nonsense ", 1000))
}

// wantNoSecret looks for tokens in all that a report holds, and for names of graphs and
// the home folder in what --json prints.
func (w *ward) wantNoSecret(r Report) {
	w.t.Helper()
	printed, err := json.Marshal(r.Tell(problem.World{}, "1.2.3", "linux/amd64", w.home, false))
	require.NoError(w.t, err)
	for _, text := range []string{fmt.Sprintf("%+v", r.Findings), all(r), string(printed)} {
		if strings.Contains(text, localapi.TokenPrefix) {
			w.t.Errorf("a token is in %s", text)
		}
	}
	for _, secret := range []string{notes.Name, diary.Name, "Diary", w.home} {
		if strings.Contains(string(printed), secret) {
			w.t.Errorf("--json prints %q: %s", secret, printed)
		}
	}
}

// TestTextsThatAreNotKeptAreTold until the person has said whether they are.
func TestTextsThatAreNotKeptAreTold(t *testing.T) {
	w := newWard(t)
	journal := history.New(history.Options{Folder: w.path("state/history"), Kind: history.KindCLI})
	_, err := journal.Intend(t.Context(), history.Intent{Who: history.Who{Agent: "test"}, Graph: history.Graph{Name: notes.Name, Type: "hosted"}, Tool: "t", Action: "a", Class: fact.ClassMake, TextsUnsaid: true})
	require.NoError(t, err)
	require.NoError(t, journal.Close(context.Background()))
	const want = "To keep them, so that changes can be undone: roam-mcp history on --graph Work."
	if got := finding(t, w.run(), "journal", Note); !strings.Contains(told(got), want) || got.Fix != nil {
		t.Errorf("it finds %+v", got)
	}
	require.NoError(t, w.store.SetHistory(t.Context(), "Work", configstore.Off))
	if got := all(w.run()); strings.Contains(got, "does not say whether") {
		t.Errorf("it is told though it is said:\n%s", got)
	}
}
