package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/require"
)

// searchMeaning returns the texts of what is found.
func searchMeaning(t testing.TB, x *MeaningIndex, db *graphdb.DB, q MeaningQuery) []string {
	t.Helper()
	q.Limit = cmp.Or(q.Limit, 10)
	found, err := x.Search(t.Context(), db, q)
	require.NoError(t, err)
	var texts []string
	for _, e := range found {
		texts = append(texts, outline.TextOf(db, e))
	}
	return texts
}

// Two words for one thing never stand together, but with the same others.
func TestWordsThatKeepTheSameCompanyAreAlike(t *testing.T) {
	g := newGraph(t)
	r := rand.New(rand.NewPCG(3, 4))
	about := func(field, name string) string {
		picked := []string{name}
		for range 5 {
			picked = append(picked, fmt.Sprint(field, r.IntN(30), "x"))
		}
		return strings.Join(picked, " ")
	}
	for i := range 200 {
		g.page(fmt.Sprint("road ", i/10), about("road", []string{"car", "automobile"}[i/10%2]))
		g.page(fmt.Sprint("food ", i/10), about("food", []string{"cake", "tart"}[i/10%2]))
	}
	x := NewMeaningIndex()
	if first := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "cake", Limit: 1}); !strings.Contains(first[0], "cake") {
		t.Errorf("the word itself comes first, not %q", first)
	}
	found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "automobile", Limit: 400, Scope: outline.ScopeBlocks})
	cars := 0
	for _, text := range found {
		if strings.HasPrefix(text, "car ") {
			cars++
		}
		if strings.Contains(text, "cake") || strings.Contains(text, "tart") {
			t.Fatalf("%q has nothing to do with it", text)
		}
	}
	if cars < 50 {
		t.Errorf("%d of 100 blocks about a car were found among %d", cars, len(found))
	}
}

func TestASearchIsForPagesOrBlocks(t *testing.T) {
	g := newGraph(t)
	g.page("Bread", "flour and water", "bread needs salt")
	g.page("Tides", "low water at noon")
	x := NewMeaningIndex()
	for scope, want := range map[outline.Scope]string{
		outline.ScopePages:  "Bread",
		outline.ScopeBlocks: "flour and water, bread needs salt",
		"":                  "flour and water, Bread, bread needs salt",
	} {
		found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "bread of flour", Scope: scope})
		if got := strings.Join(found, ", "); got != want {
			t.Errorf("among %q: %s, want %s", scope, got, want)
		}
	}
	if found := searchMeaning(t, NewPageMeaningIndex(), g.DB(), MeaningQuery{Text: "low bread of flour"}); !slices.Equal(found, []string{"Bread", "Tides"}) {
		t.Errorf("an index of pages finds %q", found)
	}
	if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "flour", Limit: 1}); len(found) != 1 {
		t.Errorf("a limit of one gives %q", found)
	}
	for _, nothing := range []string{"", "the", "granite", "((", "https://example.com"} {
		if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: nothing}); len(found) != 0 {
			t.Errorf("%q finds %q", nothing, found)
		}
	}
}

func TestTheIndexFollowsTheGraph(t *testing.T) {
	g := newGraph(t)
	for i := range 40 {
		g.page(fmt.Sprintf("p%d", i), fmt.Sprintf("block %d about bread", i))
	}
	x := NewMeaningIndex()
	if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "lighthouse"}); len(found) != 0 {
		t.Fatalf("found %q", found)
	}
	g.do(func(w *outline.Writer) error {
		_, err := w.CreateBlocks(outline.Location{PageTitle: "p3"}, []outline.Block{{UID: "light", String: "a lighthouse"}})
		return err
	})
	if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "lighthouse"}); !slices.Equal(found, []string{"a lighthouse", "p3"}) {
		t.Errorf("a new block: found %q", found)
	}
	g.do(func(w *outline.Writer) error {
		text := "a harbour #.rm-private"
		return w.UpdateBlock("light", outline.BlockUpdate{String: &text})
	})
	for _, gone := range []string{"lighthouse", "harbour"} {
		if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: gone}); len(found) != 0 {
			t.Errorf("%s is hidden: found %q", gone, found)
		}
	}
	g.do(func(w *outline.Writer) error {
		text := "a harbour"
		return w.UpdateBlock("light", outline.BlockUpdate{String: &text})
	})
	if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "harbour"}); len(found) != 2 {
		t.Errorf("shown again: found %q", found)
	}
	g.do(func(w *outline.Writer) error {
		_, err := w.DeleteBlock("light")
		return err
	})
	if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "harbour"}); len(found) != 0 {
		t.Errorf("deleted: found %q", found)
	}
	if n := len(x.docs); n != 81 || len(x.place) != n { // pages, blocks, and the page that hides
		t.Errorf("%d documents, %d places", n, len(x.place))
	}
}

func TestWhatABlockRefersToIsReadWithIt(t *testing.T) {
	g := newGraph(t)
	g.page("A", "seen")
	g.do(func(w *outline.Writer) error {
		_, err := w.CreateBlocks(outline.Location{PageTitle: "B"}, []outline.Block{
			{UID: "target", String: "a lighthouse"}, {UID: "secret", String: "treasure #.rm-hide"},
		})
		return err
	})
	g.page("A", "by ((target))", "by ((secret))")
	x := NewMeaningIndex()
	if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "lighthouse", Scope: outline.ScopeBlocks}); len(found) != 2 {
		t.Errorf("found %q", found)
	}
	if found := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "treasure"}); len(found) != 0 {
		t.Errorf("found %q, which refers to what is hidden", found)
	}
}

// A mirror of a graph has no :block/parents and :block/page.
func TestAGraphThatKeepsChildrenOnlyIsSearchedAlike(t *testing.T) {
	whole := importGraph(t, "..", "..", "..", "assets", "demo.json")
	hidden := &graph{whole, t, rand.NewChaCha8([32]byte{1})}
	hidden.page("Bread", "flour #.rm-private", "((ovenPrice)) and ((treasure))")
	hidden.do(func(w *outline.Writer) error {
		_, err := w.CreateBlocks(outline.Location{PageTitle: "Oven Fund"}, []outline.Block{
			{String: "secret #.rm-hide", Children: []outline.Block{{String: "gold", Children: []outline.Block{{UID: "treasure", String: "oven of gold"}}}}},
		})
		return err
	})
	db := whole.DB()
	kept := func(yield func(graphdb.Datom, error) bool) {
		for d := range db.All() {
			if d.A != graphdb.BlockParents && d.A != graphdb.BlockPage && !yield(d, nil) {
				return
			}
		}
	}
	bare, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), kept)
	require.NoError(t, err)
	for _, text := range []string{"bread", "a walk by the sea", "dough temperature", "oven of gold"} {
		for _, scope := range []outline.Scope{outline.ScopeAll, outline.ScopePages, outline.ScopeBlocks} {
			query := MeaningQuery{Text: text, Scope: scope, Limit: 1000}
			want, err := NewMeaningIndex().SearchScored(t.Context(), db, query)
			require.NoError(t, err)
			got, err := NewMeaningIndex().SearchScored(t.Context(), bare.DB(), query)
			require.NoError(t, err)
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%q: %v without parents, %v with them", text, got, want)
			}
			for i, found := range want {
				if found.Score <= 0 || found.Score > 1 || i > 0 && found.Score > want[i-1].Score {
					t.Fatalf("%q: the scores are %v", text, want)
				}
				if found.E == outline.ByUID(db, "treasure") {
					t.Errorf("%q finds a block below a hidden one", text)
				}
			}
		}
	}
}

func TestASearchThatIsCutShortHarmsNothing(t *testing.T) {
	g := newGraph(t)
	for i := range 1200 {
		g.page("P", fmt.Sprintf("bread %d", i))
	}
	x := NewMeaningIndex()
	want := searchMeaning(t, NewMeaningIndex(), g.DB(), MeaningQuery{Text: "bread 7"})
	for _, after := range []int{0, 1, 2, 3, 5, 8} {
		ctx := &brief{Context: t.Context(), left: after}
		if _, err := x.Search(ctx, g.DB(), MeaningQuery{Text: "bread", Limit: 1}); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if got := searchMeaning(t, x, g.DB(), MeaningQuery{Text: "bread 7"}); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// brief is a context that ends after it was asked some times.
type brief struct {
	context.Context
	left int
}

func (b *brief) Err() error {
	if b.left--; b.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestTheSameGraphGivesTheSameOrder(t *testing.T) {
	db := importGraph(t, "..", "..", "..", "assets", "demo.json").DB()
	for _, text := range []string{"bread", "a walk by the sea", "who owes us money"} {
		a, b := searchMeaning(t, NewMeaningIndex(), db, MeaningQuery{Text: text, Limit: 50}), searchMeaning(t, NewMeaningIndex(), db, MeaningQuery{Text: text, Limit: 50})
		if !slices.Equal(a, b) {
			t.Errorf("%q gives %q and %q", text, a, b)
		}
	}
}

// Sums of fractions depend on the order in which they are added.
func TestBlocksWithTheSameTextStayInTheirOrder(t *testing.T) {
	g := newGraph(t)
	for i := range 40 { // words of many different weights
		g.page(fmt.Sprint("page ", i), strings.Join(strings.Fields("oven dealer harbour seeds starter library allergen compass")[:1+i%8], " "))
	}
	twins := make([]string, 50)
	for i := range twins {
		twins[i] = "oven dealer harbour seeds starter library allergen compass"
	}
	g.page("twins", twins...)
	query := MeaningQuery{Text: twins[0], Limit: 50, Scope: outline.ScopeBlocks}
	found, err := NewMeaningIndex().Search(t.Context(), g.DB(), query)
	require.NoError(t, err)
	if len(found) != 50 || !slices.IsSorted(found) {
		t.Errorf("equal blocks are in the order %v", found)
	}
}

func TestSearchesMayRunAtTheSameTime(t *testing.T) {
	g := newGraph(t)
	g.page("P", "bread")
	x := NewMeaningIndex()
	done := make(chan error)
	for i := range 4 {
		go func() {
			for range 5 {
				if _, err := x.Search(t.Context(), g.DB(), MeaningQuery{Text: "bread", Limit: 1}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		g.page(fmt.Sprint("Q", i), "more bread")
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

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
