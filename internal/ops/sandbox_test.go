package ops

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/require"
)

var boxGraph = localapi.Graph{Name: "notes", Type: localapi.Hosted}

// box is a sandbox with one graph, behind a proxy with faults, and a Caller.
type box struct {
	t      *testing.T
	token  localapi.Token
	broken *localapi.Client // through the proxy
	direct *localapi.Client
	kept   *journal

	mu    sync.Mutex
	calls []string
	fault func(action string, n int) faultproxy.Fault // of the nth call of an action, from 1; nil: none
	seen  map[string]int
}

func newBox(t *testing.T, settings ...string) *box {
	t.Helper()
	return newBoxOf(t, "[]", settings...)
}

// newBoxOf makes a box of an export, with faults.
func newBoxOf(t *testing.T, export string, settings ...string) *box {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(t.TempDir(), "export.json")
	require.NoError(t, os.WriteFile(path, []byte(export), 0o600))
	roam, err := faultroam.Start(t.Context(), sandbox.Options{Home: home, Policy: desk.Allow, Import: []sandbox.Import{{Path: path, Graph: boxGraph}}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = roam.Close(context.Background()) })
	grant, err := roam.Desk().RequestAccess(t.Context(), desk.Access{Graph: boxGraph, AccessLevel: localapi.Full, Description: "a test", AI: true})
	require.NoError(t, err)
	b := &box{t: t, token: grant.Token, kept: &journal{}, seen: map[string]int{}}
	portFile := filepath.Join(t.TempDir(), localapi.PortFileName)
	proxy, err := faultproxy.Start(faultproxy.Options{Backend: roam.Port(), PortFile: portFile, Choose: b.choose})
	require.NoError(t, err)
	t.Cleanup(proxy.Close)
	b.broken = b.client(portFile)
	b.direct = b.client(filepath.Join(home, localapi.PortFileName))
	require.NoError(t, roam.Turn(settings...))
	return b
}

func (b *box) client(portFile string) *localapi.Client {
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: portFile, Strict: true}})
	b.t.Cleanup(client.CloseIdleConnections)
	return client
}

func (b *box) choose(request faultproxy.Request) faultproxy.Fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, request.Action)
	b.seen[request.Action]++
	if b.fault == nil {
		return faultproxy.Fault{}
	}
	return b.fault(request.Action, b.seen[request.Action])
}

// counted returns the calls that run makes.
func (b *box) counted(run func()) []string {
	b.mu.Lock()
	b.calls, b.seen = nil, map[string]int{}
	b.mu.Unlock()
	run()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls
}

// Send implements Caller.
func (b *box) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return b.broken.Call(ctx, boxGraph, b.token, action, args...)
}

// Look implements Caller.
func (b *box) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return b.Send(ctx, action, args...)
}

// Explain implements Caller.
func (b *box) Explain(_ context.Context, err error) error { return err }

// Waiting implements Caller.
func (b *box) Waiting(context.Context, string) func() { return func() {} }

// graph returns operations on the graph, with the protection that the server has.
func (b *box) graph() *Graph {
	return New(Options{
		Protect: Protection{Guidelines: true, Code: true}, LookTimeout: time.Minute,
		Wait: func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil },
	}).On(boxGraph, b).RecordedBy(b.kept)
}

// do runs an action around the faults.
func (b *box) do(action string, args ...any) json.RawMessage {
	b.t.Helper()
	reply, err := b.direct.Call(b.t.Context(), boxGraph, b.token, action, args...)
	require.NoError(b.t, err)
	return reply.Result
}

// page makes a page of markdown, and returns its uid.
func (b *box) page(title, markdown string) string {
	b.t.Helper()
	var made struct{ UID string }
	require.NoError(b.t, json.Unmarshal(b.do("data.page.fromMarkdown", map[string]any{"page": map[string]any{"title": title}, "markdown-string": markdown}), &made))
	return made.UID
}
