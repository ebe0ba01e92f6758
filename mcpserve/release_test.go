package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// holdsNothing is what a releaser forgets where no graph is held.
func holdsNothing() bool { return false }

func TestMemoryIsGivenBackOnceItHasGrown(t *testing.T) {
	r := newReleaser(holdsNothing)
	defer r.stop()
	garbage := make([]byte, 64<<20)
	for i := 0; i < len(garbage); i += 4096 {
		garbage[i] = 1
	}
	before := heapHeld() - uint64(garbage[0]) // which is in use until here
	r.release()
	if r.left == 0 || r.left+32<<20 > before {
		t.Errorf("of %d bytes %d are left", before, r.left)
	}
	left := r.left
	r.release()
	if r.left != left {
		t.Errorf("it was given back again: %d bytes are left, %d before", r.left, left)
	}
}

func TestMemoryIsGivenBackWhenNothingIsAsked(t *testing.T) {
	r := newReleaser(holdsNothing)
	defer r.stop()
	waits := func() bool { return r.timer.Stop() }
	if waits() {
		t.Error("it waits before anything was asked")
	}
	r.begin()
	r.begin()
	r.end()
	if waits() {
		t.Error("it waits while another call runs")
	}
	r.end()
	if !waits() {
		t.Error("it does not wait once no call runs")
	}
}

func TestGraphsAreForgottenOnceNobodyHasCalledForTenMinutes(t *testing.T) {
	for name, tc := range map[string]struct {
		calls func(r *releaser)
		want  int // times that graphs are forgotten by the end
	}{
		"not before the first call":         {func(*releaser) { time.Sleep(time.Hour) }, 0},
		"not before ten minutes are over":   {func(r *releaser) { r.begin(); r.end(); time.Sleep(forgetAfter - time.Second) }, 0},
		"ten minutes after the last call":   {func(r *releaser) { r.begin(); r.end(); time.Sleep(forgetAfter + time.Second) }, 1},
		"once, however long nobody calls":   {func(r *releaser) { r.begin(); r.end(); time.Sleep(24 * time.Hour) }, 1},
		"not while a call runs for an hour": {func(r *releaser) { r.begin(); time.Sleep(time.Hour) }, 0},
		"not while one of two calls runs":   {func(r *releaser) { r.begin(); r.begin(); r.end(); time.Sleep(time.Hour) }, 0},
		"not while there is a call now and then": {func(r *releaser) {
			for range 20 {
				r.begin()
				r.end()
				time.Sleep(forgetAfter - time.Second)
			}
		}, 0},
		"not once the server has ended": {func(r *releaser) { r.begin(); r.end(); r.stop(); time.Sleep(time.Hour) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				forgotten := 0
				r := newReleaser(func() bool { forgotten++; return true })
				defer r.stop()
				tc.calls(r)
				synctest.Wait()
				if forgotten != tc.want {
					t.Errorf("forgotten %d times, want %d", forgotten, tc.want)
				}
			})
		})
	}
}

// graphRoam answers queries from a graph in memory, and counts them.
type graphRoam struct {
	conn  *graphdb.Conn
	asked atomic.Int64
}

func (g *graphRoam) Call(ctx context.Context, _ localapi.Graph, _ localapi.Token, action string, args ...any) (localapi.Reply, error) {
	if action != "data.q" {
		return localapi.Reply{Result: json.RawMessage(`{"guidelines":null}`)}, nil
	}
	g.asked.Add(1)
	query, err := datalog.Parse(args[0].(string))
	if err != nil {
		return localapi.Reply{}, err
	}
	sent, err := json.Marshal(args[1:])
	if err != nil {
		return localapi.Reply{}, err
	}
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.UseNumber()
	var inputs []any
	if err := decoder.Decode(&inputs); err != nil {
		return localapi.Reply{}, err
	}
	result, err := datalog.Run(ctx, g.conn.DB(), query, inputs, datalog.Options{})
	if err != nil {
		return localapi.Reply{}, err
	}
	text, err := result.JSON(datalog.Stripped)
	return localapi.Reply{Result: text}, err
}

func (g *graphRoam) TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo {
	return localapi.TokenInfo{Status: localapi.TokenUnknown}
}

// write makes a page, as another client of Roam does.
func (g *graphRoam) write(t *testing.T, title string) {
	t.Helper()
	_, err := g.conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		w := outline.NewWriter(tx, outline.Author{Now: time.Now()}, graphtest.UIDs(1))
		if _, err := w.EnsurePage(title); err != nil {
			return err
		}
		_, err := w.CreateBlocks(outline.Location{PageTitle: title}, []outline.Block{{String: "a line"}})
		return err
	})
	require.NoError(t, err)
}

func TestAGraphThatWasForgottenIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(path, []byte(configText("Work")), 0o600))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		conn, err := graphdb.Load(ctx, graphdb.RoamSchema(), graphtest.Datoms(graphtest.Options{Blocks: 100, Seed: 1}))
		require.NoError(t, err)
		roam := &graphRoam{conn: conn}
		serve := func() (*Server, func() string) {
			server, err := New(ctx, Options{Store: configstore.New(path), Roam: roam, Profile: "notes"})
			require.NoError(t, err)
			session := connectClient(ctx, t, server, nil)
			t.Cleanup(func() { _ = session.Close() })
			return server, func() string {
				result, err := session.CallTool(ctx, callOf("get_notes", `{"search":"meanwhile"}`))
				require.NoError(t, err)
				return result.Content[0].(*mcp.TextContent).Text
			}
		}
		server, ask := serve()
		other, askOther := serve()
		defer server.Close()
		defer other.Close()
		ask()
		loaded := roam.asked.Load()
		time.Sleep(forgetAfter - time.Minute)
		askOther()
		roam.write(t, "Written meanwhile")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if server.mirrors.keeper != nil || other.mirrors.keeper == nil {
			t.Fatal("want the graph forgotten by the server that nobody called, and by no other")
		}
		before := roam.asked.Load()
		if text := ask(); !strings.Contains(text, "Written meanwhile") {
			t.Errorf("what was written meanwhile is not there: %.200s", text)
		}
		if asked := roam.asked.Load() - before; asked < loaded {
			t.Errorf("the graph was read with %d questions, the first time with %d", asked, loaded)
		}
	})
}
