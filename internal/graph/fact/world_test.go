package fact_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/require"
)

var testGraph = localapi.Graph{Name: "test", Type: localapi.Hosted}

// world is a sandbox with one graph, whose clock goes on by a second before each write.
type world struct {
	t       *testing.T
	sandbox *faultroam.Roam
	client  *localapi.Client
	token   localapi.Token

	mu    sync.Mutex
	now   time.Time
	calls []string
}

func newWorld(t *testing.T, export string) *world {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, "export.json")
	require.NoError(t, os.WriteFile(path, []byte(export), 0o600))
	w := &world{t: t, now: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)}
	var err error
	w.sandbox, err = faultroam.Start(context.WithoutCancel(t.Context()), sandbox.Options{
		Home: home, Policy: desk.Allow, Now: w.clock, Import: []sandbox.Import{{Path: path, Graph: testGraph}},
	})
	require.NoError(t, err)
	w.client = localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	t.Cleanup(func() {
		w.client.CloseIdleConnections()
		if err := w.sandbox.Close(context.Background()); err != nil {
			t.Errorf("close the sandbox: %v", err)
		}
	})
	grant, err := w.sandbox.Desk().RequestAccess(t.Context(), desk.Access{Graph: testGraph, AccessLevel: localapi.Full, Description: "a test", AI: true})
	require.NoError(t, err)
	w.token = grant.Token
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// ask is a fact.Ask, recorded.
func (w *world) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	w.mu.Lock()
	w.calls = append(w.calls, action)
	w.mu.Unlock()
	reply, err := w.client.Call(ctx, testGraph, w.token, action, args...)
	return reply.Result, err
}

// asked returns the actions since it was called last.
func (w *world) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	return calls
}

// do writes, and returns when it did.
func (w *world) do(action string, args ...any) (result json.RawMessage, at int64) {
	w.t.Helper()
	w.mu.Lock()
	w.now = w.now.Add(time.Second)
	at = w.now.UnixMilli()
	w.mu.Unlock()
	reply, err := w.client.Call(w.t.Context(), testGraph, w.token, action, args...)
	if err != nil {
		w.t.Fatalf("%s %v: %v", action, args, err)
	}
	return reply.Result, at
}

type m = map[string]any

// tidy returns a state without times and users, of which the tests know nothing.
func tidy(s fact.State) fact.State {
	for uid, f := range s.Things {
		f.Created, f.Edited, f.Editor, f.EditorName = 0, 0, "", ""
		s.Things[uid] = f
	}
	return s
}

// expect compares a state with one in JSON.
func expect(t *testing.T, got fact.State, want string) {
	t.Helper()
	wanted, err := fact.Parse([]byte(want))
	require.NoError(t, err)
	if a, b := string(tidy(got).JSON()), string(wanted.JSON()); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func equal[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func subset(s fact.State, uids ...string) fact.State {
	some := fact.State{Things: map[string]fact.Fact{}}
	for _, uid := range uids {
		if f, ok := s.Things[uid]; ok {
			some.Things[uid] = f
		}
	}
	return some
}

func sortedKeys(things map[string]fact.Fact) []string { return slices.Sorted(maps.Keys(things)) }

func sortedOf(list []string) []string { return slices.Sorted(slices.Values(list)) }
