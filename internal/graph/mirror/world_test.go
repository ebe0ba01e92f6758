package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/require"
)

var testGraph = localapi.Graph{Name: "test", Type: localapi.Hosted}

// clock is the time of a sandbox and of the Keepers that ask it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a sandbox with one graph, and a client of it.
type world struct {
	t       testing.TB
	clock   *clock
	options sandbox.Options
	sandbox *faultroam.Roam
	client  *localapi.Client
	token   localapi.Token

	mu    sync.Mutex
	calls []string
}

// newWorld starts a sandbox with a graph from an export.
func newWorld(t testing.TB, export string) *world {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, "export.json")
	require.NoError(t, os.WriteFile(path, []byte(export), 0o600))
	w := &world{t: t, clock: newClock()}
	w.options = sandbox.Options{Home: home, Policy: desk.Allow, Now: w.clock.Now, Import: []sandbox.Import{{Path: path, Graph: testGraph}}}
	w.start()
	w.client = localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	t.Cleanup(func() {
		w.client.CloseIdleConnections()
		w.stop()
	})
	grant, err := w.sandbox.Desk().RequestAccess(t.Context(), desk.Access{Graph: testGraph, AccessLevel: localapi.Full, Description: "a test", AI: true})
	require.NoError(t, err)
	w.token = grant.Token
	return w
}

func (w *world) start() {
	w.t.Helper()
	server, err := faultroam.Start(context.WithoutCancel(w.t.Context()), w.options)
	require.NoError(w.t, err)
	w.sandbox = server
}

func (w *world) stop() {
	if err := w.sandbox.Close(context.Background()); err != nil {
		w.t.Errorf("close the sandbox: %v", err)
	}
}

// restart makes the sandbox listen on another port.
func (w *world) restart() {
	w.t.Helper()
	w.client.CloseIdleConnections()
	w.stop()
	w.start()
}

func (w *world) set(settings ...string) {
	w.t.Helper()
	require.NoError(w.t, w.sandbox.Turn(settings...))
}

// ask is Ask, counted.
func (w *world) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	w.mu.Lock()
	w.calls = append(w.calls, action)
	w.mu.Unlock()
	reply, err := w.client.Call(ctx, testGraph, w.token, action, args...)
	return reply.Result, err
}

// count returns how many calls were made since it was called last.
func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.calls)
	w.calls = nil
	return n
}

// do is a call of another client.
func (w *world) do(action string, args ...any) json.RawMessage {
	w.t.Helper()
	reply, err := w.client.Call(w.t.Context(), testGraph, w.token, action, args...)
	if err != nil {
		w.t.Fatalf("%s %v: %v", action, args, err)
	}
	return reply.Result
}

func (w *world) source() Source { return Source{Graph: testGraph, Key: "key", Ask: w.ask} }

// keeper returns a Keeper that ends with the test.
func (w *world) keeper(options Options) *Cache {
	options.Now = w.clock.Now
	k := New(options)
	w.t.Cleanup(k.Close)
	return k
}

func (w *world) view(k *Cache, need Need) *View {
	w.t.Helper()
	v, err := k.View(w.t.Context(), w.source(), need)
	if err != nil {
		w.t.Fatalf("View: %v", err)
	}
	return v
}

type m = map[string]any

func (w *world) create(parent, uid, text string) {
	w.t.Helper()
	w.do("data.block.create", m{"location": m{"parent-uid": parent, "order": "last"}, "block": m{"uid": uid, "string": text}})
}

func (w *world) update(uid, text string) {
	w.t.Helper()
	w.do("data.block.update", m{"block": m{"uid": uid, "string": text}})
}

// links is what a View says of pages, links and tags, line by line.
func links(v *View) []string {
	var lines []string
	for p := range v.Pages() {
		lines = append(lines, fmt.Sprintf("page %s %s %s %v", p.UID, p.Title, p.Kind, p.Exists))
	}
	g := v.Links()
	for n := range int32(g.Len()) {
		for _, to := range g.Out(n) {
			lines = append(lines, fmt.Sprintf("link %s > %s %d", v.PageAt(n).Title, v.PageAt(to).Title, g.Weight(n, to)))
		}
	}
	for title, n := range v.Tags() {
		lines = append(lines, fmt.Sprintf("tag %s %d", title, n))
	}
	return lines
}

// texts is what a View says of blocks, line by line.
func texts(v *View) []string {
	var lines []string
	for d := range v.DB().All() {
		lines = append(lines, fmt.Sprint(d))
	}
	slices.Sort(lines)
	return lines
}

// differ says how two lists of lines differ; "" if they do not.
func differ(got, want []string) string {
	count := map[string]int{}
	for _, line := range want {
		count[line]++
	}
	for _, line := range got {
		count[line]--
	}
	var b strings.Builder
	for _, line := range slices.Sorted(maps.Keys(count)) {
		if n := count[line]; n > 0 {
			fmt.Fprintln(&b, "missing:", line)
		} else if n < 0 {
			fmt.Fprintln(&b, "too much:", line)
		}
	}
	if b.Len() == 0 && !slices.Equal(got, want) {
		return "another order"
	}
	return b.String()
}
