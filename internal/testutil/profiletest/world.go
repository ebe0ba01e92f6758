package profiletest

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/mcpserve"
)

// World is a server over a sandbox, with a proxy between them. It ends with the
// test.
type World struct {
	T       testing.TB
	Clock   *Clock
	Sandbox *faultroam.Roam
	Server  *mcpserve.Server
	Store   *configstore.Store // the server's configuration
	Log     *syncbuffer.Buffer // the server's, with all that it says

	suite    *Suite
	options  sandbox.Options
	serving  mcpserve.Options
	roam     *localapi.Client // of another client, past the proxy
	served   *localapi.Client
	proxy    *faultproxy.Proxy
	endpoint func() httpEndpoint
	journals string // folder of the journal; empty: there is none

	mu     sync.Mutex
	calls  Calls
	choose func(faultproxy.Request) faultproxy.Fault
}

// Calls counts the actions of the Local API that the server has asked for. What
// has no action, such as a look at a token, is counted by its path.
type Calls map[string]int

// Total is the number of actions.
func (c Calls) Total() int {
	total := 0
	for action, n := range c {
		if !strings.HasPrefix(action, "/") {
			total += n
		}
	}
	return total
}

// World starts a world.
func (s *Suite) World(t testing.TB) *World {
	t.Helper()
	home := t.TempDir()
	w := &World{T: t, Clock: newClock(), Store: configstore.New(filepath.Join(home, "roam-mcp.json")), Log: new(syncbuffer.Buffer), suite: s, calls: Calls{}}
	data := filepath.Join(home, "graphs")
	require.NoError(t, os.CopyFS(data, os.DirFS(s.folder)))
	require.NoError(t, os.Chmod(data, 0o700))
	w.options = sandbox.Options{Home: home, Data: data, Policy: desk.Allow, Now: w.Clock.Now}
	if s.options.Sandbox != nil {
		s.options.Sandbox(&w.options)
	}
	w.start()
	w.roam = newRoamClient(filepath.Join(home, localapi.PortFileName), localapi.AnyVersion)
	for _, entry := range s.entries {
		require.NoError(t, w.Store.Save(t.Context(), entry))
	}
	ports := filepath.Join(t.TempDir(), localapi.PortFileName)
	proxy, err := faultproxy.Start(faultproxy.Options{Backend: w.Sandbox.Port(), PortFile: ports, Choose: w.count})
	require.NoError(t, err)
	w.proxy, w.served = proxy, newRoamClient(ports, localapi.APIVersion)
	options := mcpserve.Options{
		Store: w.Store, Roam: w.served, Profile: s.options.Profile, Version: "test", Now: w.Clock.Now, RescueFolder: filepath.Join(home, "rescued"),
		Log: slog.New(slog.NewTextHandler(w.Log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if s.options.History {
		w.journals = journaltest.Folder(t, filepath.Join(home, "history"))
		options.Journal = w.Journal()
	}
	if s.options.Server != nil {
		s.options.Server(&options)
	}
	w.serving = options
	w.Server, err = mcpserve.New(context.WithoutCancel(t.Context()), options)
	require.NoError(t, err)
	w.endpoint = sync.OnceValue(w.serveHTTP)
	t.Cleanup(w.close)
	return w
}

// Journal opens the world's journal, as a further program does.
func (w *World) Journal() *history.Journal {
	return history.New(history.Options{Folder: w.journals, Kind: history.KindStdio, Program: "test", Now: w.Clock.Now})
}

func newRoamClient(portFile, version string) *localapi.Client {
	return localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: portFile, Strict: true}, ExpectedAPIVersion: version})
}

func (w *World) start() {
	w.T.Helper()
	box, err := faultroam.Start(context.WithoutCancel(w.T.Context()), w.options)
	require.NoError(w.T, err)
	w.Sandbox = box
}

func (w *World) close() {
	w.Server.Close()
	w.served.CloseIdleConnections()
	w.proxy.Close()
	w.roam.CloseIdleConnections()
	if err := w.Sandbox.Close(context.Background()); err != nil {
		w.T.Errorf("close the sandbox: %v", err)
	}
	if regexp.MustCompile(regexp.QuoteMeta(localapi.TokenPrefix) + `[A-Za-z0-9_-]{8}`).MatchString(w.Log.String()) {
		w.T.Error("a token is in the log")
	}
}

// Restart closes the sandbox, does what is to be done while Roam is closed, and
// starts it again; nil: nothing. To the server Roam comes back as another process
// at the same port.
func (w *World) Restart(meanwhile func()) {
	w.T.Helper()
	w.options.Port = w.Sandbox.Port()
	require.NoError(w.T, w.Sandbox.Close(context.WithoutCancel(w.T.Context())))
	w.roam.CloseIdleConnections()
	w.proxy.CloseIdleConnections()
	if meanwhile != nil {
		meanwhile()
	}
	w.start()
}

// Switch sets faults and switches of the sandbox, such as "drop=1" and "disabled".
func (w *World) Switch(settings ...string) {
	w.T.Helper()
	require.NoError(w.T, w.Sandbox.Turn(settings...))
}

// Fault chooses what happens to the server's requests from now on; nil: nothing.
func (w *World) Fault(choose func(faultproxy.Request) faultproxy.Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.choose = choose
}

// Settle waits until what the server has sent has reached Roam, and what a fault does has
// been done.
func (w *World) Settle() {
	w.T.Helper()
	require.NoError(w.T, w.proxy.Settle(w.T.Context()))
}

func (w *World) count(r faultproxy.Request) faultproxy.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[r.Action]++
	if w.choose == nil {
		return faultproxy.Fault{}
	}
	return w.choose(r)
}

// Calls returns what the server has asked of Roam since the start, or since
// ResetCalls.
func (w *World) Calls() Calls {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.calls)
}

// ResetCalls begins to count anew.
func (w *World) ResetCalls() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = Calls{}
}

// Roam asks for an action on the main graph, as another client with a full token
// does, a second after whatever was before. Its result is nil where Roam sends
// none. It is not counted.
func (w *World) Roam(action string, args ...any) json.RawMessage {
	w.T.Helper()
	return w.RoamOn(MainGraph, action, args...)
}

// RoamOn is Roam on the graph of a name.
func (w *World) RoamOn(name, action string, args ...any) json.RawMessage {
	w.T.Helper()
	w.Clock.Advance(time.Second)
	result, err := w.Ask(w.T.Context(), name, action, args...)
	if err != nil {
		w.T.Fatalf("%s by another client: %v", action, err)
	}
	return result
}

// Ask is RoamOn for any goroutine: it returns the error, and leaves the clock alone.
func (w *World) Ask(ctx context.Context, name, action string, args ...any) (json.RawMessage, error) {
	graph := w.Graph(name)
	reply, err := w.roam.Call(ctx, graph, w.suite.full[graph], action, args...)
	return reply.Result, err
}

// Graph returns the graph of a name.
func (w *World) Graph(name string) localapi.Graph {
	if name == SecondGraph {
		return secondGraph()
	}
	return mainGraph()
}

// AddBlock adds a block at the end of a page or block, by another client.
func (w *World) AddBlock(parent, text string) {
	w.T.Helper()
	w.Roam("data.block.create", map[string]any{
		"location": map[string]any{"parent-uid": parent, "order": "last"}, "block": map[string]any{"string": text},
	})
}

// Text returns the text of a block, as Roam stores it, and reports whether the
// block is there.
func (w *World) Text(uid string) (text string, there bool) {
	w.T.Helper()
	var found *string
	w.Query(&found, `[:find ?s . :in $ ?u :where [?b :block/uid ?u] [?b :block/string ?s]]`, uid)
	if found == nil {
		return "", false
	}
	return *found, true
}

// PageUID returns the uid of the page with a title, empty where there is none.
func (w *World) PageUID(title string) string {
	w.T.Helper()
	var uid *string
	w.Query(&uid, `[:find ?u . :in $ ?t :where [?p :node/title ?t] [?p :block/uid ?u]]`, title)
	if uid == nil {
		return ""
	}
	return *uid
}

// Query decodes the result of a query by another client.
func (w *World) Query(into any, query string, inputs ...any) {
	w.T.Helper()
	if err := json.Unmarshal(w.Roam("q", append([]any{query}, inputs...)...), into); err != nil {
		w.T.Fatalf("%s: %v", query, err)
	}
}
