package mcpserve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

// fakeKeeper holds graphs by name, and notes what it is told.
type fakeKeeper struct {
	view func() // is called in View; nil: nothing

	mu    sync.Mutex
	held  map[string]string // key by graph
	wrote []string
	ended bool
}

func (k *fakeKeeper) View(ctx context.Context, s mirror.Source, _ mirror.Need) (*mirror.View, error) {
	if k.view != nil {
		k.view()
	}
	s.Progress("Reading the graph.")
	if _, err := s.Ask(ctx, "q", "[:find ?e]"); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held[s.Graph.Name] = s.Key
	return &mirror.View{}, nil
}

func (k *fakeKeeper) Wrote(graph localapi.Graph, restructured bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wrote = append(k.wrote, fmt.Sprint(graph.Name, " ", restructured))
}

func (k *fakeKeeper) Retain(serves func(localapi.Graph) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.held {
		if !serves(localapi.Graph{Name: name, Type: localapi.Hosted}) {
			delete(k.held, name)
		}
	}
}

func (k *fakeKeeper) Close() { k.ended = true }

func (k *fakeKeeper) holds() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var names []string
	for name := range k.held {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// newMirrorWorld serves the small profile with a fake keeper, and counts how often one
// is made.
func newMirrorWorld(t *testing.T, config string) (*world, *fakeKeeper, *int) {
	t.Helper()
	w := newSmallWorld(t, config)
	w.roam.result("q", `[]`)
	k, made := &fakeKeeper{held: map[string]string{}}, 0
	w.server.mirrors.make = func() keeper { made++; return k }
	return w, k, &made
}

func disabledIn(config, nickname string) string {
	return strings.ReplaceAll(config, `"nickname":"`+nickname+`",`, `"nickname":"`+nickname+`","disabled":true,`)
}

func TestMirrors(t *testing.T) {
	both := configText("Work", "Home")
	t.Run("are made once, and not before the first call that needs one", func(t *testing.T) {
		w, _, made := newMirrorWorld(t, configText("Work"))
		c := w.connect()
		c.texts("answer", jsonArgument(`[]`))
		if *made != 0 {
			t.Error("one was made for a call without")
		}
		for range 3 {
			c.texts("mirror", `{}`)
		}
		if *made != 1 {
			t.Errorf("made %d", *made)
		}
	})
	t.Run("ask with the token of the graph, and pass errors on", func(t *testing.T) {
		w, _, _ := newMirrorWorld(t, both)
		c := w.connect()
		c.texts("mirror", `{"graph":"Home"}`)
		if seen := w.roam.requests("q"); len(seen) != 1 || seen[0].Graph != "home-graph" || seen[0].Token != "Bearer "+secretOf("Home") {
			t.Errorf("Roam saw %v", seen)
		}
		w.roam.fails("q", 408, `{}`)
		if _, err := c.CallTool(t.Context(), callOf("mirror", `{"graph":"Home"}`)); err == nil || !strings.Contains(err.Error(), "MCP error -32600: ") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("tell the client how far they are, where it asked", func(t *testing.T) {
		w, _, _ := newMirrorWorld(t, configText("Work"))
		told := make(chan string, 8)
		c := w.connect(&mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			told <- r.Params.Message
		}})
		params := callOf("mirror", `{}`)
		params.SetProgressToken("p")
		_, err := c.CallTool(t.Context(), params)
		require.NoError(t, err)
		if words := await.Value(t, "progress", told); words != "Reading the graph." {
			t.Errorf("told %q", words)
		}
	})
	t.Run("hear of writes, lost ones too, and not of reads", func(t *testing.T) {
		w, k, _ := newMirrorWorld(t, configText("Work"))
		w.roam.result("data.block.move", `null`)
		w.roam.result("q", `[[0,"a"]]`) // where the block is then
		c := w.connect()
		c.texts("write", `{}`)
		if len(k.wrote) != 0 {
			t.Error("a keeper was made for a write")
		}
		c.texts("mirror", `{}`)
		c.texts("write", `{}`)
		w.roam.fails("data.block.move", 0, "")
		_, _ = c.CallTool(t.Context(), callOf("write", `{}`))
		w.roam.fails("data.block.move", 400, `{"success":false,"error":{"code":"VALIDATION_ERROR","message":"no"}}`)
		_, _ = c.CallTool(t.Context(), callOf("write", `{}`))
		if want := []string{"work-graph true", "work-graph true"}; !slices.Equal(k.wrote, want) {
			t.Errorf("told of %q", k.wrote)
		}
	})
	for name, config := range map[string]string{
		"is disabled":       disabledIn(both, "Home"),
		"is removed":        configText("Work"),
		"has another token": strings.ReplaceAll(both, secretOf("Home"), secretOf("Other")),
	} {
		t.Run("forget a graph that "+name+", while nobody calls", func(t *testing.T) {
			w, k, _ := newMirrorWorld(t, both)
			c := w.connect()
			c.texts("mirror", `{"graph":"Home"}`)
			c.texts("mirror", `{"graph":"Work"}`)
			w.configure(config)
			await.Condition(t, "the graph is forgotten", func() bool { return slices.Equal(k.holds(), []string{"work-graph"}) })
		})
		t.Run("forget a graph that "+name+", with the next call", func(t *testing.T) {
			w, k, _ := newMirrorWorld(t, both)
			c := w.connect()
			c.texts("mirror", `{"graph":"Home"}`)
			w.configure(config)
			c.texts("list_graphs", `{}`)
			if held := k.holds(); len(held) > 0 {
				t.Errorf("held are %q", held)
			}
		})
	}
	t.Run("do not answer for a graph that is disabled while they are read", func(t *testing.T) {
		w, k, _ := newMirrorWorld(t, both)
		k.view = func() {
			w.configure(disabledIn(both, "Home"))
			_, err := w.server.look(t.Context()) // of another call
			require.NoError(t, err)
		}
		w.connect().call("mirror", `{"graph":"Home"}`).fails(CodeGraphDisabled)
	})
	t.Run("are read again for a graph that gets another token meanwhile", func(t *testing.T) {
		w, k, _ := newMirrorWorld(t, both)
		first := true
		k.view = func() {
			if first {
				first = false
				w.configure(strings.ReplaceAll(both, secretOf("Home"), secretOf("Other")))
				_, err := w.server.look(t.Context())
				require.NoError(t, err)
			}
		}
		w.connect().texts("mirror", `{"graph":"Home"}`)
		if seen := w.roam.requests("q"); seen[len(seen)-1].Token != "Bearer "+secretOf("Other") || k.held["home-graph"] != "2" {
			t.Errorf("Roam saw %v, key %s", seen, k.held["home-graph"])
		}
	})
	t.Run("end with the server", func(t *testing.T) {
		w, k, _ := newMirrorWorld(t, configText("Work"))
		w.server.Close()
		if k.ended {
			t.Error("a keeper was made to be closed")
		}
		w.connect().texts("mirror", `{}`)
		w.server.Close()
		if !k.ended {
			t.Error("it goes on")
		}
	})
}
