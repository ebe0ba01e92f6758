package search

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/require"
)

// importGraph makes a graph from an export beside the package or the project.
func importGraph(t testing.TB, path ...string) *graphdb.Conn {
	t.Helper()
	file, err := os.Open(filepath.Join(path...))
	if err != nil {
		t.Skipf("the graph is not here: %v", err)
	}
	defer file.Close()
	conn := graphdb.NewConn(graphdb.RoamSchema())
	_, err = conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		w := outline.NewWriter(tx, outline.Author{Now: time.UnixMilli(1_700_000_000_000)}, rand.NewChaCha8([32]byte{1}))
		_, err := w.ImportJSON(t.Context(), file, outline.ImportOptions{})
		return err
	})
	require.NoError(t, err)
	return conn
}

func uidsOf(db *graphdb.DB, entities []graphdb.EID) []string {
	var uids []string
	for _, e := range entities {
		uids = append(uids, db.String(e, graphdb.BlockUID))
	}
	return uids
}

// A block is found by the tags of its page, and what has all words before what has some.
func TestTheTagsOfAPageSayWhatItsBlocksAreAbout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.json")
	require.NoError(t, os.WriteFile(path, []byte(demograph.JSON), 0o600))
	db := importGraph(t, path).DB()
	found, err := NewMeaningIndex().Search(t.Context(), db, MeaningQuery{Text: "which engine did the rocket have", Limit: 3})
	require.NoError(t, err)
	if got, want := uidsOf(db, found), []string{"saturnv01", "sv0000001", "stub00002"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// Questions about the sample graph in words of one's own, and a block that
// answers each.
func TestAParaphraseFindsTheBlockThatIsMeant(t *testing.T) {
	db := importGraph(t, "..", "..", "..", "assets", "demo.json").DB()
	x := NewMeaningIndex()
	const among = 5
	reciprocal, byText := 0.0, 0
	questions := []struct{ text, uid string }{
		{"what the dealer wants for the oven", "ovenPrice"},
		{"sum the members have promised for the oven", "oven-pled"},
		{"low tide times for crossing to the bay", "tabl-harb"},
		{"which corner of the oven does not get hot", "oven-cold"},
		{"feeding instructions for weeks away", "feed-writ"},
		{"how long may the starter stay in the fridge or cold store", "star-days"},
		{"miller of the bakery flour", "tide-pryc"},
		{"keeping the bakery's books", "tide-remi"},
		{"why we do not use a wood fired oven", "oven-chim"},
		{"loaves of club members who are away", "club-away"},
		{"rooms for the second night of the hike", "walk-beds"},
		{"boots for the coast walk", "walk-febr"},
		{"dough temperature and weather made it late", "nv18-behi"},
		{"allergens on the rye labels", "club-labe"},
		{"giving old bread to the library", "inbo-libr"},
		{"can the floor carry the weight of the new oven", "meet-floo"},
		{"soaking seeds before baking", "rye-soaks"},
		{"changing quotes", "rule-quot"},
		{"packing the stove and the map", "walk-tarp"},
		{"room at the inn above the mill", "nv11-owen"},
	}
	for _, q := range questions {
		found, err := x.Search(t.Context(), db, MeaningQuery{Text: q.text, Limit: 200})
		require.NoError(t, err)
		rank := slices.Index(uidsOf(db, found), q.uid) + 1
		if rank == 0 || rank > among {
			t.Errorf("%q: %s is at %d of %d, the first is %q", q.text, q.uid, rank, len(found), outline.TextOf(db, found[0]))
			continue
		}
		reciprocal += 1 / float64(rank)
		plain, err := outline.Search(t.Context(), db, outline.SearchOptions{Query: q.text, Limit: among})
		require.NoError(t, err)
		if slices.Contains(uidsOf(db, plain.Hits), q.uid) {
			byText++
		}
	}
	if mean := reciprocal / float64(len(questions)); mean < 0.75 {
		t.Errorf("the mean reciprocal rank is %.2f", mean)
	}
	if byText > 2 {
		t.Errorf("search for text finds %d of %d too: these questions test nothing", byText, len(questions))
	}
}
