package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

func texts(t *testing.T, g *Graph, list ...string) {
	t.Helper()
	write(t, g, func(tx *graphdb.Tx) error {
		for _, s := range list {
			if err := tx.Set(tx.NewEntity(), graphdb.BlockString, graphdb.StringValue(s)); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestStemsFindOtherFormsOfWords(t *testing.T) {
	g := create(t, openFolder(t, t.TempDir()), notes)
	texts(t, g, "Baking bread", "she bakes breads", "a baker", "BREAD, baked", "Café")
	for query, want := range map[string]string{
		"bake":          "[2 3 5]",
		"breads baking": "[2 3 5]",
		`"bread" OR (*`: "[]",
		"cafe":          "[6]",
		"start":         "[1]", // a title
		"nothing":       "[]",
	} {
		if _, found, ok := g.WithStems(t.Context(), query, 9); !ok || fmt.Sprint(found) != want {
			t.Errorf("%s: %v %v, want %s", query, found, ok, want)
		}
	}
	for name, query := range map[string]string{"no words": "?! –", "empty": "", "too many hits": "a"} {
		if _, found, ok := g.WithStems(t.Context(), query, 0); ok {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestTheFullTextFollowsEveryChange(t *testing.T) {
	path := t.TempDir()
	g := create(t, openFolder(t, path), notes)
	check := func(when, want string) {
		t.Helper()
		for name, graph := range map[string]*Graph{"here": g, "from disk": crash(t, path)} {
			_, stems, _ := graph.WithStems(t.Context(), "flour", 9)
			_, parts, _ := graph.Containing(t.Context(), []string{"lour"}, 9)
			if fmt.Sprint(stems) != want || fmt.Sprint(parts) != want {
				t.Errorf("%s, %s: %v and %v, want %s", when, name, stems, parts, want)
			}
		}
	}
	texts(t, g, "rye", "Flour and water")
	check("created", "[3]")
	write(t, g, func(tx *graphdb.Tx) error { return tx.Set(2, graphdb.BlockString, graphdb.StringValue("rye FLOUR")) })
	check("changed", "[2 3]")
	write(t, g, func(tx *graphdb.Tx) error { return tx.RetractEntity(3) })
	check("deleted", "[2]")
	undo(t, g)
	check("undone", "[2 3]")
	write(t, g, func(tx *graphdb.Tx) error { return tx.Set(1, graphdb.NodeTitle, graphdb.StringValue("Flour")) })
	check("renamed", "[1 2 3]")
}

// Containing may list too much; what it leaves out would be lost.
func TestContainingLeavesNothingOut(t *testing.T) {
	_, g := generated(t, graphtest.Options{Blocks: 2000, Seed: 2})
	texts(t, g, "ÄPFEL und Öl", "İstanbul ıŞıK", "a\x00bcdef", "😀 smile😀y", `"quoted" OR NEAR`, "ΣΊΣΥΦΟΣ", "K\u212Aelvin ſharp")
	random := rand.New(rand.NewPCG(3, 4))
	var all []string
	for _, v := range g.DB().Entities(graphdb.BlockString) {
		all = append(all, v.Text())
	}
	known := 0
	for range 400 {
		letters := []rune(strings.ToLower(all[random.IntN(len(all))]))
		if random.IntN(20) == 0 {
			letters = []rune(strings.ToLower(all[len(all)-1-random.IntN(7)]))
		}
		if len(letters) == 0 {
			continue
		}
		from := random.IntN(len(letters))
		words := strings.Fields(string(letters[from : from+min(len(letters)-from, 1+random.IntN(12))]))
		_, found, ok := g.Containing(t.Context(), words, 3000)
		if !ok {
			continue
		}
		known++
		for e, v := range g.DB().Entities(graphdb.BlockString) {
			if containsAll(strings.ToLower(v.Text()), words) && !slices.Contains(found, e) {
				t.Fatalf("%q is not among what contains %q", v.Text(), words)
			}
		}
	}
	if known < 100 {
		t.Errorf("only %d queries were answered", known)
	}
}

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

func TestContainingSaysWhenItDoesNotKnow(t *testing.T) {
	g := create(t, openFolder(t, t.TempDir()), notes)
	texts(t, g, "flour", "flour", "flour")
	for name, words := range map[string][]string{"short words": {"fl", "o"}, "none": nil, "a NUL": {"flour", "a\x00b"}, "no text": {"flo\xff"}} {
		if _, found, ok := g.Containing(t.Context(), words, 99); ok {
			t.Errorf("%s: %v", name, found)
		}
	}
	if _, found, ok := g.Containing(t.Context(), []string{"flour"}, 2); ok {
		t.Errorf("more than was asked for: %v", found)
	}
	g.mu.Lock() // as while something is written
	if _, found, ok := g.Containing(t.Context(), []string{"flour"}, 9); ok {
		t.Errorf("during a write: %v", found)
	}
	g.mu.Unlock()
	require.NoError(t, g.Close())
	if _, found, ok := g.Containing(t.Context(), []string{"flour"}, 9); ok {
		t.Errorf("after Close: %v", found)
	}
}

func TestAGraphFromDatomsIsTheGraphOfThoseDatoms(t *testing.T) {
	shape := graphtest.Options{Blocks: 3000, Seed: 9}
	folder, g := generated(t, shape)
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), graphtest.Datoms(shape))
	require.NoError(t, err)
	if dump(g.DB()) != dump(conn.DB()) || replayed(t, g) != dump(conn.DB()) {
		t.Error("they differ")
	}
	write(t, g, page("More"))
	if again := crash(t, folder.Path()); dump(again.DB()) != dump(g.DB()) {
		t.Error("the disk has something else after a write")
	}
	bad := func(yield func(graphdb.Datom, error) bool) {
		yield(graphdb.Datom{E: 1, A: graphdb.BlockOrder, V: graphdb.StringValue("x"), Added: true}, nil)
	}
	other := notes
	other.Name = "other"
	if _, err := folder.CreateFrom(t.Context(), other, Options{}, "a", bad); err == nil {
		t.Error("datoms that contradict the schema made a graph")
	}
	if graphs, err := folder.Graphs(); err != nil || len(graphs) != 1 {
		t.Errorf("%v %v", graphs, err)
	}
}
