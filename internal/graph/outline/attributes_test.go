package outline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

// attributes lists what is said of a page or block, as "entity attribute value"; with
// the source in front where it is another.
func (n *notebook) attributes(uid string) []string {
	v, err := edn.Parse(n.DB().String(ByUID(n.DB(), uid), graphdb.EntityAttrs)+" ", edn.Limits{})
	if err != nil {
		return nil
	}
	var list []string
	for _, t := range v.(edn.Set) {
		var said []string
		for place, f := range t.(edn.Vector) {
			value, _ := f.(*edn.Map).Get(keyValue)
			text, isText := value.(string)
			if !isText {
				text = TextOf(n.DB(), ByUID(n.DB(), uidIn(t, place, keyValue)))
			}
			if source := uidIn(t, place, keySource); place != 1 && source != uidIn(t, place, keyValue) && source != uidIn(t, 1, keySource) {
				text = source + ">" + text
			}
			said = append(said, text)
		}
		list = append(list, strings.Join(said, " | "))
	}
	slices.Sort(list)
	return list
}

func TestAttributeBlocksSaySomethingOfWhatIsAbove(t *testing.T) {
	n := newNotebook(t)
	n.page("Book", "a|Author:: [[Ann]]\nb|Year:: 1999\nc|Topics::\n  c1|[[Bread]]\n  c2|some words\n  c3|See:: [[Ann]]\nd|Empty::\ne|Read by:: [[Ann]] #Bob\nf|By:: [[Ann]] and others\ng|plain\n  h|Kind:: x")
	n.page("Log", "r|[[Book]]\n  s|Rating:: 5\nu|((b))\n  v|Sure:: yes\nw|`Not:: this`")
	for uid, want := range map[string][]string{
		n.uidOf("Book"): {
			"Book | Author | Ann", "Book | By |  [[Ann]] and others", "Book | Read by | Ann", "Book | Read by | Bob",
			"Book | Topics | See:: [[Ann]]", "Book | Topics | c1>Bread", "Book | Topics | some words", "Book | Year |  1999", "r>Book | Rating |  5",
		},
		"c": {"Topics:: | See | Ann"},
		"g": {"plain | Kind |  x"},
		"b": {"u>Year:: 1999 | Sure |  yes"},
		"r": nil, "d": nil, n.uidOf("Log"): nil,
	} {
		if got := n.attributes(uid); !slices.Equal(got, want) {
			t.Errorf("%s has\n%s\nwant\n%s", uid, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	db := n.DB()
	var found []string
	for _, e := range db.Reverse(graphdb.AttrsLookup, PageByTitle(db, "Author")) {
		found = append(found, TextOf(db, e))
	}
	if !slices.Equal(found, []string{"Book"}) {
		t.Errorf("with an author: %v", found)
	}
}

func TestAttributesFollowEveryChange(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Writer) error
		want   []string // of the page Book
	}{
		"another value":           {func(w *Writer) error { return w.UpdateBlock("a", BlockUpdate{String: new("Author:: Bob")}) }, []string{"Book | Author |  Bob", "Book | Topics | c1>Bread", "r>Book | Rating |  5"}},
		"another attribute":       {func(w *Writer) error { return w.UpdateBlock("a", BlockUpdate{String: new("Editor:: [[Ann]]")}) }, []string{"Book | Editor | Ann", "Book | Topics | c1>Bread", "r>Book | Rating |  5"}},
		"no attribute any more":   {func(w *Writer) error { return w.UpdateBlock("a", BlockUpdate{String: new("Author: [[Ann]]")}) }, []string{"Book | Topics | c1>Bread", "r>Book | Rating |  5"}},
		"a value that changes":    {func(w *Writer) error { return w.UpdateBlock("c1", BlockUpdate{String: new("Cake")}) }, []string{"Book | Author | Ann", "Book | Topics | Cake", "r>Book | Rating |  5"}},
		"a value that is deleted": {func(w *Writer) error { return unlessRefused(second(w.DeleteBlock("c1"))) }, []string{"Book | Author | Ann", "r>Book | Rating |  5"}},
		"a value that is added": {func(w *Writer) error {
			return second(w.CreateBlocks(Location{ParentUID: "c"}, []Block{{String: "new"}}))
		}, []string{"Book | Author | Ann", "Book | Topics | c1>Bread", "Book | Topics | new", "r>Book | Rating |  5"}},
		"a block that is deleted":   {func(w *Writer) error { return second(w.DeleteBlock("a")) }, []string{"Book | Topics | c1>Bread", "r>Book | Rating |  5"}},
		"a block that is moved":     {func(w *Writer) error { return w.MoveBlock("a", Location{PageTitle: "Log"}) }, []string{"Book | Topics | c1>Bread", "r>Book | Rating |  5"}},
		"a block that is moved in":  {func(w *Writer) error { return w.MoveBlock("s", Location{PageTitle: "Book"}) }, []string{"Book | Author | Ann", "Book | Rating |  5", "Book | Topics | c1>Bread"}},
		"another subject":           {func(w *Writer) error { return w.UpdateBlock("r", BlockUpdate{String: new("on [[Book]]")}) }, []string{"Book | Author | Ann", "Book | Topics | c1>Bread"}},
		"an attribute page renamed": {func(w *Writer) error { return w.UpdatePage(w.uidOf("Author"), PageUpdate{Title: new("Writer")}, false) }, []string{"Book | Topics | c1>Bread", "Book | Writer | Ann", "r>Book | Rating |  5"}},
		"an attribute page deleted": {func(w *Writer) error { return second(w.DeletePage(w.uidOf("Author"))) }, []string{"Book | Topics | c1>Bread", "r>Book | Rating |  5"}},
		"a page of values merged":   {func(w *Writer) error { return w.UpdatePage(w.uidOf("Ann"), PageUpdate{Title: new("Bread")}, true) }, []string{"Book | Author | Bread", "Book | Topics | c1>Bread", "r>Book | Rating |  5"}},
		"the page that says it is deleted": {func(w *Writer) error { return second(w.DeletePage(w.uidOf("Log"))) },
			[]string{"Book | Author | Ann", "Book | Topics | c1>Bread"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			n.page("Book", "a|Author:: [[Ann]]\nc|Topics::\n  c1|[[Bread]]")
			n.page("Log", "r|[[Book]]\n  s|Rating:: 5")
			book := n.uidOf("Book")
			n.do(c.change)
			if got := n.attributes(book); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func (w *Writer) uidOf(title string) string {
	return w.tx.String(PageByTitle(w.tx, title), graphdb.BlockUID)
}

// TestAttributesFollowAnyChange makes random changes; the graph is checked after each.
func TestAttributesFollowAnyChange(t *testing.T) {
	texts := []string{"A:: [[P]]", "A::", "B:: x", "[[P]]", "[[Q]]", "((b1))", "x", "A:: ((b2)) [[Q]]", "C:: #P", "[[A]] y"}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := newNotebook(t)
		n.page("P", "b0|A:: x\nb1|[[R]]\n  b2|B::\n    b3|x")
		n.page("Q", "b4|y")
		count := 5
		pick := func() string { return fmt.Sprint("b", rng.IntN(count)) }
		for range 25 {
			var step func(*Writer) error
			text, uid, at := texts[rng.IntN(len(texts))], pick(), Location{ParentUID: pick(), Order: Order(rng.IntN(3) - 1)}
			switch rng.IntN(6) {
			case 0:
				step = func(w *Writer) error { return w.MoveBlock(uid, at) }
			case 1:
				step = func(w *Writer) error { return second(w.DeleteBlock(uid)) }
			case 2, 3:
				step = func(w *Writer) error { return w.UpdateBlock(uid, BlockUpdate{String: &text}) }
			default:
				made := fmt.Sprint("b", count)
				count++
				step = func(w *Writer) error {
					return second(w.CreateBlocks(at, []Block{{UID: made, String: text, Children: []Block{{String: texts[0]}}}}))
				}
			}
			if err := n.try(step); unlessRefused(err) != nil {
				t.Fatal(err)
			}
			checkWhole(t, n.DB())
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

// TestAttributesAreThoseThatRoamStored derives them from the blocks of the help graph.
// Of those that Roam stored some speak of blocks that are gone or have changed.
func TestAttributesAreThoseThatRoamStored(t *testing.T) {
	n := newNotebook(t)
	_, err := n.Transact(t.Context(), func(tx *graphdb.Tx) error {
		return second(graphdb.ImportEDN(t.Context(), tx, strings.NewReader(helpgraph.Read(t, "help.edn")), graphdb.ImportOptions{}))
	})
	require.NoError(t, err)
	db := n.DB()
	derived := map[string]bool{}
	for e := range db.Entities(graphdb.BlockString) {
		_, triples := triplesOf(db, e)
		for _, said := range triples {
			derived[said.print()] = true
		}
	}
	same, other := 0, 0
	for _, stored := range db.Entities(graphdb.EntityAttrs) {
		v, err := edn.Parse(stored.Text(), edn.Limits{})
		require.NoError(t, err)
		for _, said := range v.(edn.Set) {
			block := ByUID(db, uidIn(said, 1, keySource))
			page, _, ok := attributeBlock(db, db.String(block, graphdb.BlockString))
			switch {
			case derived[edn.Print(said)]:
				same++
			case ok && page == uidIn(said, 1, keyValue) && len(Ancestors(db, block)) > 0 && uidIn(said, 0, keySource) == db.String(Parent(db, block), graphdb.BlockUID):
				t.Errorf("it is not derived that %s", edn.Print(said))
			default:
				other++
			}
		}
	}
	if same < 500 || other > 60 {
		t.Errorf("%d are derived, %d speak of what is gone", same, other)
	}
}

func TestNoMoreIsKeptOfOnePageThanTheLimit(t *testing.T) {
	n := newNotebook(t)
	require.NoError(t, n.try(func(w *Writer) error {
		_, err := w.CreateBlocks(Location{PageTitle: "Long"}, slices.Repeat([]Block{{String: "A:: x"}}, maxTriples+10))
		return err
	}))
	if got := len(n.attributes(n.uidOf("Long"))); got != maxTriples {
		t.Errorf("%d triples are kept", got)
	}
}
