package graphtest

import (
	"slices"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/testutil/require"
)

func load(t *testing.T, o Options) *graphdb.DB {
	t.Helper()
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), Datoms(o))
	require.NoError(t, err)
	return conn.DB()
}

func TestAGraphHasTheBlocksThatWereAsked(t *testing.T) {
	for _, blocks := range []int{0, 1, 7, 1000, 10_000, 20_000} {
		o := Options{Blocks: blocks, Seed: 3}
		db := load(t, o)
		if got := db.Count(graphdb.BlockString); got != blocks {
			t.Errorf("%d blocks, want %d", got, blocks)
		}
		if got := db.Count(graphdb.NodeTitle); got != o.Pages() {
			t.Errorf("%d pages, want %d", got, o.Pages())
		}
	}
}

func TestEqualOptionsGiveEqualDatoms(t *testing.T) {
	list := func(o Options) (all []graphdb.Datom) {
		for d := range Datoms(o) {
			all = append(all, d)
		}
		return all
	}
	if !slices.Equal(list(Options{Blocks: 500, Seed: 1}), list(Options{Blocks: 500, Seed: 1})) {
		t.Error("they differ")
	}
	if slices.Equal(list(Options{Blocks: 500, Seed: 1}), list(Options{Blocks: 500, Seed: 2})) {
		t.Error("the seed does nothing")
	}
}

// What the generator derives must be what the outline would have derived.
func TestAGraphIsWhole(t *testing.T) {
	db := load(t, Options{Blocks: 12_000, Seed: 1})
	for e := range db.Entities(graphdb.BlockString) {
		above := outline.Ancestors(db, e)
		if len(above) == 0 || db.Ref(e, graphdb.BlockPage) != above[0] || !outline.IsPage(db, above[0]) {
			t.Fatalf("block %d is on page %d, below %v", e, db.Ref(e, graphdb.BlockPage), above)
		}
		slices.Sort(above)
		if got := db.Refs(e, graphdb.BlockParents); !slices.Equal(got, above) {
			t.Fatalf("block %d has the ancestors %v, want %v", e, got, above)
		}
		var mentioned []graphdb.EID
		text := outline.TextOf(db, e)
		for _, r := range roamtext.References(text) {
			to := outline.PageByTitle(db, r.Content(text))
			if r.Kind == roamtext.BlockRef {
				to = outline.ByUID(db, r.Content(text))
			}
			mentioned = append(mentioned, to)
		}
		slices.Sort(mentioned)
		if got := db.Refs(e, graphdb.BlockRefs); !slices.Equal(got, slices.Compact(mentioned)) {
			t.Fatalf("block %d refers to %v, its text to %v", e, got, mentioned)
		}
	}
	for parent := range db.Entities(graphdb.BlockChildren) {
		for i, kid := range outline.Children(db, parent) {
			if order, _ := db.Int(kid, graphdb.BlockOrder); int(order) != i {
				t.Fatalf("child %d of %d has the order %d", i, parent, order)
			}
		}
	}
	for e, title := range db.Entities(graphdb.NodeTitle) {
		if uid, is := outline.DailyUIDOf(title.Text()); is != db.Has(e, graphdb.LogID) || is && uid != db.String(e, graphdb.BlockUID) {
			t.Fatalf("page %s has the uid %s", title.Text(), db.String(e, graphdb.BlockUID))
		}
	}
	big := outline.ByUID(db, PageUID(BigPage))
	if n := len(outline.Subtree(db, big)) - 1; n != BigPageBlocks {
		t.Errorf("the big page has %d blocks", n)
	}
}
