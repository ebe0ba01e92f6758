package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/calllog"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
)

// wire stands between server and sandbox and keeps each request as it came.
type wire struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // whole requests, tokens blotted out
	// before is called with the action of a request before it goes on.
	before func(action string)
	// lacks is an action that the Roam behind it does not have.
	lacks atomic.Pointer[string]
	// tokenless: requests lose their token on the way.
	tokenless atomic.Bool
	open      atomic.Int64 // requests under way
	passed    atomic.Int64 // requests that were passed on wholly, those for a token's level left out
}

var tokenOnTheWire = regexp.MustCompile(regexp.QuoteMeta(localapi.TokenPrefix) + `[A-Za-z0-9_-]+`)

func newWire(t *testing.T, port int) *wire {
	w := &wire{before: func(string) {}}
	roam := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	roam.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {
		panic(http.ErrAbortHandler) // what the sandbox cut is cut here too
	}
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Connection") == "keep-alive" { // the hello, once for a listener or a connection
			roam.ServeHTTP(out, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var called struct {
			Action string `json:"action"`
		}
		_ = json.Unmarshal(body, &called)
		w.open.Add(1)
		defer w.open.Add(-1)
		w.record(r, body)
		w.before(called.Action)
		if lacks := w.lacks.Load(); lacks != nil && called.Action == *lacks {
			out.Header().Set("Content-Type", "application/json")
			out.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(out, `{"success":false,"error":{"code":"UNKNOWN_ACTION","message":"Unknown action: %s"},"apiVersion":"1.1.0"}`, *lacks)
			return
		}
		if w.tokenless.Load() {
			r.Header.Del("Authorization")
		}
		if !asksLevel(r) {
			r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
				WroteRequest: func(wrote httptrace.WroteRequestInfo) {
					if wrote.Err == nil {
						w.passed.Add(1)
					}
				},
			}))
		}
		roam.ServeHTTP(out, r)
	}))
	w.Config.ErrorLog = nil
	w.Start()
	t.Cleanup(w.Close)
	return w
}

func asksLevel(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/tokens/info") }

// record keeps a request. The question for a token's level is left out: it is
// asked beside another one, and cut short where that is answered first.
func (w *wire) record(r *http.Request, body []byte) {
	if asksLevel(r) {
		return
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s\n", r.Method, r.URL.RequestURI())
	for _, name := range []string{"Authorization", "Content-Type"} {
		if value := r.Header.Get(name); value != "" {
			fmt.Fprintf(&text, "%s: %s\n", name, value)
		}
	}
	fmt.Fprintf(&text, "\n%s\n", body)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, tokenOnTheWire.ReplaceAllString(text.String(), "[token]"))
}

func (w *wire) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// kitchen is a sandbox with two graphs of the same content, alpha and beta, and
// what a server needs to reach it over the wire.
type kitchen struct {
	t    *testing.T
	roam *faultroam.Roam
	log  calllog.Log // of roam
	wire *wire
	dir  string
	// direct reaches alpha past the wire; reader is its token.
	direct *localapi.Client
	reader localapi.Token
	cards  *syncbuffer.Buffer // what the extension tool has made
}

// newPantry makes the data folder that each kitchen of the matrix begins with:
// hundreds of imports would take a slow disk minutes.
func newPantry(t *testing.T) (data string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "pantry")
	options := sandbox.Options{Home: t.TempDir(), Data: data, Policy: desk.Allow, Now: november15}
	for _, name := range []string{"alpha", "beta"} {
		options.Import = append(options.Import, sandbox.Import{
			Path: filepath.Join("testdata", "matrix.json"), Graph: localapi.Graph{Name: name, Type: localapi.Hosted},
		})
	}
	roam, err := sandbox.Start(t.Context(), options)
	require.NoError(t, err)
	require.NoError(t, roam.Close(t.Context()))
	return data
}

func newKitchen(t *testing.T, pantry string) *kitchen {
	t.Helper()
	k := &kitchen{t: t, dir: t.TempDir(), cards: new(syncbuffer.Buffer)}
	options := sandbox.Options{
		Home: filepath.Join(k.dir, "home"), Policy: desk.Allow, Now: november15,
		SemanticSearch: true, Extensions: []actions.Extension{k.extension()}, Log: k.log.Logger(),
	}
	require.NoError(t, os.CopyFS(filepath.Join(options.Home, ".roam-sandbox"), os.DirFS(pantry)))
	var err error
	k.roam, err = faultroam.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.roam.Close(context.Background())) })
	k.wire = newWire(t, k.roam.Port())
	k.direct = localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(k.dir, "home", localapi.PortFileName), Strict: true}})
	t.Cleanup(k.direct.CloseIdleConnections)
	k.reader = k.token("alpha", localapi.ReadOnly)
	k.keepFiles()
	return k
}

// turn sets a fault or a switch of the sandbox; "" sets none.
func (k *kitchen) turn(text string) {
	k.t.Helper()
	if text == "" {
		return
	}
	require.NoError(k.t, k.roam.Turn(text))
}

func (k *kitchen) token(graph string, level localapi.AccessLevel) localapi.Token {
	k.t.Helper()
	grant, err := k.roam.Desk().RequestAccess(k.t.Context(), desk.Access{
		Graph: localapi.Graph{Name: graph, Type: localapi.Hosted}, AccessLevel: level, Description: "the matrix", AI: true,
	})
	require.NoError(k.t, err)
	return grant.Token
}

// place is how a server is set up in a cell of the matrix.
type place struct {
	graphs   []string             // enabled, nickname is the name in capitals; alpha where empty
	disabled []string             // configured besides
	level    localapi.AccessLevel // of the tokens; full where empty
	untold   bool                 // the configuration does not know the level
	broken   string               // stands in the configuration instead of all that, from the first call on
	recorded bool                 // its agent has made a change before, which is in the journal
	change   func(*Options)
}

// serve makes a server in that place.
func (k *kitchen) serve(p place) *world {
	k.t.Helper()
	if p.level == "" {
		p.level = localapi.Full
	}
	if len(p.graphs) == 0 {
		p.graphs = []string{"alpha"}
	}
	entries := []map[string]any{}
	for _, name := range append(p.graphs[:len(p.graphs):len(p.graphs)], p.disabled...) {
		entry := map[string]any{"name": name, "nickname": strings.ToUpper(name), "token": k.token(name, p.level).Reveal(), "lastKnownTokenStatus": "active"}
		if !p.untold {
			entry["accessLevel"] = p.level
		}
		if slices.Contains(p.disabled, name) {
			entry["disabled"] = true
		}
		entries = append(entries, entry)
	}
	dir := k.t.TempDir()
	w := &world{t: k.t, path: filepath.Join(dir, "roam-mcp.json"), log: new(syncbuffer.Buffer)}
	w.configure(string(rawjson.Encode(map[string]any{"version": 1, "graphs": entries})))
	w.store = configstore.New(w.path)
	portFile := filepath.Join(dir, localapi.PortFileName)
	_, port, _ := net.SplitHostPort(k.wire.Listener.Addr().String())
	require.NoError(k.t, os.WriteFile(portFile, []byte(`{"port":`+port+`}`), 0o600))
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: portFile, Strict: true}})
	k.t.Cleanup(client.CloseIdleConnections)
	options := Options{Store: w.store, Roam: client, Version: "test", Now: november15, Toolsets: []string{"all"}, Timeouts: patientTimeouts()}
	if p.recorded {
		options.Agent = "claude"
		options.Journal = withChange(k.t, options.Agent)
	}
	if p.change != nil {
		p.change(&options)
	}
	var err error
	w.server, err = New(k.t.Context(), options)
	require.NoError(k.t, err)
	if p.broken != "" {
		w.configure(p.broken)
	}
	return w
}

// ask runs a read on alpha past the wire.
func (k *kitchen) ask(action string, args ...any) string {
	k.t.Helper()
	reply, err := k.direct.Call(k.t.Context(), localapi.Graph{Name: "alpha", Type: localapi.Hosted}, k.reader, action, args...)
	require.NoError(k.t, err)
	return string(reply.Result)
}

// answered returns how many actions the sandbox has ended.
func (k *kitchen) answered() int {
	return k.log.Count(func(call calllog.Call) bool { return call.Graph != "" })
}

// contents is all of alpha that a write could change, in a stable order.
func (k *kitchen) contents() string {
	k.t.Helper()
	var all strings.Builder
	for _, query := range []string{
		`[:find ?u ?t :where [?p :node/title ?t] [?p :block/uid ?u]]`,
		`[:find ?u ?s ?o ?pu :where [?b :block/uid ?u] [?b :block/string ?s] [?b :block/order ?o] [?p :block/children ?b] [?p :block/uid ?pu]]`,
		`[:find ?u ?h :where [?b :block/heading ?h] [?b :block/uid ?u]]`,
		`[:find ?v ?s :where [?b :children/view-type ?v] (or [?b :block/string ?s] [?b :node/title ?s])]`,
		`[:find ?u ?n :where [?b :page/sidebar ?n] [?b :block/uid ?u]]`,
	} {
		rows := rawjson.Elements([]byte(k.ask("q", query)))
		slices.SortFunc(rows, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
		fmt.Fprintf(&all, "%s\n", rows)
	}
	fmt.Fprintf(&all, "%s\n", k.cards)
	for _, path := range k.files() {
		content, err := os.ReadFile(path)
		require.NoError(k.t, err)
		fmt.Fprintf(&all, "%s\n", content)
	}
	return all.String()
}
