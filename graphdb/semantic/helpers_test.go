package semantic

import (
	"math/rand/v2"
	"testing"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/testutil/require"
)

// graph is a graph under test.
type graph struct {
	*graphdb.Conn
	t      testing.TB
	random *rand.ChaCha8
}

func newGraph(t testing.TB) *graph {
	return &graph{graphdb.NewConn(graphdb.RoamSchema()), t, rand.NewChaCha8([32]byte{1})}
}

func (g *graph) do(write func(w *outline.Writer) error) {
	g.t.Helper()
	_, err := g.Transact(g.t.Context(), func(tx *graphdb.Tx) error {
		return write(outline.NewWriter(tx, outline.Author{Now: time.UnixMilli(1_700_000_000_000)}, g.random))
	})
	require.NoError(g.t, err)
}

// page adds blocks to the end of a page, which is made if it is not there.
func (g *graph) page(title string, blocks ...string) {
	g.t.Helper()
	g.do(func(w *outline.Writer) error {
		if _, err := w.EnsurePage(title); err != nil || len(blocks) == 0 {
			return err
		}
		list := make([]outline.Block, len(blocks))
		for i, text := range blocks {
			list[i].String = text
		}
		_, err := w.CreateBlocks(outline.Location{PageTitle: title, Order: outline.Last}, list)
		return err
	})
}
