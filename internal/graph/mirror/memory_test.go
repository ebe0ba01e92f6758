package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// memory answers queries from a graph in memory, for tests that need no Roam.
type memory struct {
	t     testing.TB
	conn  *graphdb.Conn
	graph string // its name

	mu    sync.Mutex
	calls []string
	// before is called before each query; an error fails the call. nil: nothing is done.
	before func(ctx context.Context, query string) error
}

func newMemory(t testing.TB, options graphtest.Options) *memory {
	t.Helper()
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), graphtest.Datoms(options))
	require.NoError(t, err)
	return &memory{t: t, conn: conn, graph: "memory"}
}

func (r *memory) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	query := args[0].(string)
	r.mu.Lock()
	before := r.before
	r.calls = append(r.calls, query)
	r.mu.Unlock()
	if before != nil {
		if err := before(ctx, query); err != nil {
			return nil, err
		}
	}
	if action != "data.q" {
		return nil, fmt.Errorf("the action %s is not here", action)
	}
	parsed, err := datalog.Parse(query)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(args[1:])
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var inputs []any
	if err := decoder.Decode(&inputs); err != nil {
		return nil, err
	}
	result, err := datalog.Run(ctx, r.conn.DB(), parsed, inputs, datalog.Options{})
	if err != nil {
		return nil, err
	}
	return result.JSON(datalog.Stripped)
}

func (r *memory) set(before func(ctx context.Context, query string) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = before
}

// count returns how many queries there were since it was called last.
func (r *memory) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.calls)
	r.calls = nil
	return n
}

func (r *memory) source() Source {
	graph := testGraph
	graph.Name = r.graph
	return Source{Graph: graph, Key: "key", Ask: r.ask}
}

func (r *memory) view(k *Cache, need Need) *View {
	r.t.Helper()
	v, err := k.View(r.t.Context(), r.source(), need)
	if err != nil {
		r.t.Fatalf("View: %v", err)
	}
	return v
}

// edit changes the graph.
func (r *memory) edit(at time.Time, write func(w *outline.Writer) error) {
	r.t.Helper()
	_, err := r.conn.Transact(r.t.Context(), func(tx *graphdb.Tx) error {
		return write(outline.NewWriter(tx, outline.Author{Now: at}, graphtest.UIDs(uint64(at.UnixMilli()))))
	})
	require.NoError(r.t, err)
}
