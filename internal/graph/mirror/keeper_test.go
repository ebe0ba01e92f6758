package mirror

import (
	"slices"
	"testing"

	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/helpgraph"
)

func TestView(t *testing.T) {
	t.Run("the stages say the same of pages, links and tags", func(t *testing.T) {
		exports := map[string]string{"examples": demograph.JSON}
		if _, there := helpgraph.Find("help.json"); there {
			exports["help"] = helpgraph.Read(t, "help.json")
		}
		for name, export := range exports {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, export)
				byQueries := links(w.view(w.keeper(Options{few: -1}), Links))
				t.Logf("links by queries: %d calls", w.count())
				whole := w.view(w.keeper(Options{}), Texts)
				t.Logf("texts: %d calls, %d datoms", w.count(), whole.DB().Size())
				if d := differ(byQueries, links(whole)); d != "" {
					t.Error(d)
				}
			})
		}
	})
	t.Run("the graph of the examples has its hubs and paths", func(t *testing.T) {
		w := newWorld(t, demograph.JSON)
		v := w.view(w.keeper(Options{}), Links)
		node := func(uid string) int32 {
			n, ok := v.NodeOf(uid)
			if !ok {
				t.Fatalf("no node %s", uid)
			}
			return n
		}
		g := v.Links()
		if g.Len() != 16 {
			t.Errorf("%d nodes, want 16", g.Len())
		}
		for uid, in := range map[string]int{"ada000001": 3, "grace0001": 3, "apollo001": 3, "saturnv01": 2, "stub00004": 1, "orphan001": 0} {
			if got := len(g.In(node(uid))); got != in {
				t.Errorf("%s: in %d, want %d", uid, got, in)
			}
		}
		path := g.Path(node("gloss0001"), node("grace0001"))
		if want := []int32{node("gloss0001"), node("saturnv01"), node("grace0001")}; !slices.Equal(path, want) {
			t.Errorf("path %v, want %v", path, want)
		}
	})
}
