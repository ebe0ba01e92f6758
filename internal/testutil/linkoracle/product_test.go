package linkoracle_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/cases"

	"roam-mcp/assets"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/linkgraph"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/linkoracle"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
)

// exports are the graphs that the product is compared on.
func exports() map[string]func(*testing.T) string {
	all := map[string]func(*testing.T) string{
		"the graph of the examples": func(*testing.T) string { return demograph.JSON },
		"the sample graph":          func(*testing.T) string { return string(assets.DemoGraph()) },
		"a generated graph":         func(*testing.T) string { return generated(7) },
	}
	if !race.Enabled { // under which it takes most of a minute
		all["the help graph"] = func(t *testing.T) string { return helpgraph.Read(t, "help.json") }
	}
	return all
}

func TestLinksOfNotesAreAsTheOracleSays(t *testing.T) {
	for name, export := range exports() {
		t.Run(name, func(t *testing.T) {
			text := export(t)
			oracle, err := linkoracle.Read(text)
			require.NoError(t, err)
			product := linksOfNotes(graphtest.FromJSON(t, text))
			product.comparePages(t, oracle)
			product.compareRanks(t, oracle)
			product.comparePaths(t, oracle)
		})
	}
}

func TestLinksOfGeneratedNotesAreAsTheOracleSays(t *testing.T) {
	for seed := range uint64(40) {
		text := generated(seed)
		oracle, err := linkoracle.Read(text)
		require.NoError(t, err)
		product := linksOfNotes(graphtest.FromJSON(t, text))
		product.comparePages(t, oracle)
		product.compareRanks(t, oracle)
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, text)
		}
	}
}

// links are those of the product; the number of a node is its place in titles.
type links struct {
	titles []string
	*linkgraph.Graph
}

func (l links) names(nodes []int32) []string {
	var titles []string
	for _, n := range nodes {
		titles = append(titles, l.titles[n])
	}
	return titles
}

func (l links) node(title string) int32 { return int32(slices.Index(l.titles, title)) }

// comparePages compares the pages, their order, and what each links to and is
// linked by.
func (l links) comparePages(t *testing.T, oracle *linkoracle.Graph) {
	t.Helper()
	var titles []string
	for _, page := range oracle.Pages {
		titles = append(titles, page.Title)
	}
	for i := range min(len(titles), len(l.titles)) {
		if l.titles[i] != titles[i] {
			t.Fatalf("page %d is %q, not %q", i, l.titles[i], titles[i])
		}
	}
	if len(l.titles) != len(titles) {
		t.Fatalf("there are %d pages, not %d", len(l.titles), len(titles))
	}
	for i, title := range titles {
		node := int32(i)
		if got, want := l.names(l.Out(node)), oracle.Out(title); !slices.Equal(got, want) {
			t.Errorf("%q links to %q, not %q", title, got, want)
		}
		if got, want := l.names(l.In(node)), oracle.In(title); !slices.Equal(got, want) {
			t.Errorf("%q is linked by %q, not %q", title, got, want)
		}
		for to, want := range oracle.Weights[title] {
			if got := l.Weight(node, l.node(to)); int(got) != want {
				t.Errorf("%d blocks of %q link to %q, not %d", got, title, to, want)
			}
		}
	}
}

func (l links) compareRanks(t *testing.T, oracle *linkoracle.Graph) {
	t.Helper()
	ranks := oracle.PageRank()
	for i, got := range l.PageRank() {
		if want := ranks[l.titles[i]]; math.Abs(got-want) > 1e-8 {
			t.Errorf("%q has the rank %v, not %v", l.titles[i], got, want)
		}
	}
}

// comparePaths compares paths between pages of which there may be one.
func (l links) comparePaths(t *testing.T, oracle *linkoracle.Graph) {
	t.Helper()
	var sources, targets []int32
	for n := range int32(l.Len()) {
		if len(l.Out(n)) > 0 {
			sources = append(sources, n)
		}
		if len(l.In(n)) > 0 {
			targets = append(targets, n)
		}
	}
	r, lengths := rand.New(rand.NewPCG(1, 5)), map[int]int{}
	for range 2000 {
		a, b := sources[r.IntN(len(sources))], targets[r.IntN(len(targets))]
		got, want := l.names(l.Path(a, b)), oracle.Path(l.titles[a], l.titles[b])
		if !slices.Equal(got, want) {
			t.Errorf("the path from %q to %q is %q, not %q", l.titles[a], l.titles[b], got, want)
		}
		lengths[len(want)]++
	}
	t.Logf("%d pages, paths by their numbers of pages: %v", l.Len(), lengths)
}

// linksOfNotes links the notes of a snapshot by what package note reads in them.
func linksOfNotes(db *graphdb.DB) links {
	c := collection{pages: map[string]note.Node{}, pageOf: map[string]string{}, named: map[string]bool{}, words: map[string]bool{}}
	for e := range db.Entities(graphdb.NodeTitle) {
		if n, ok := note.FromDB(db, e); ok {
			c.pages[n.Title] = n.Visible()
			c.place(n.Title, n.Children, false)
		}
	}
	for title, page := range c.pages {
		c.read(title, page.Children, true)
	}
	return c.links()
}

// collection is what is known of the pages of a graph, by title.
type collection struct {
	pages  map[string]note.Node
	pageOf map[string]string // of a visible block, by its uid
	named  map[string]bool   // pages that are mentioned in a link or tag
	words  map[string]bool   // and as the name of a component or attribute
	found  [][2]string       // links, one for each block
}

// place notes which blocks a page has, hidden ones included, and makes the pages
// that they mention: an import makes none.
func (c *collection) place(title string, blocks []note.Node, hidden bool) {
	for _, b := range blocks {
		if !hidden && !b.Hidden {
			c.pageOf[b.UID] = title
		}
		facts := note.Read(b.Text, false)
		for _, name := range slices.Concat(facts.Links, facts.Words) {
			if _, there := c.pages[name]; !there {
				c.pages[name] = note.Node{}
			}
		}
		c.place(title, b.Children, hidden || b.Hidden)
	}
}

func (c *collection) read(title string, blocks []note.Node, direct bool) {
	for _, b := range blocks {
		facts, targets := note.Read(b.Text, direct), map[string]bool{}
		for _, name := range facts.Links {
			c.named[name], targets[name] = true, true
		}
		for _, name := range facts.Words {
			c.words[name] = true
		}
		for _, uid := range facts.Blocks {
			if on, there := c.pageOf[uid]; there {
				targets[on] = true
			}
		}
		for target := range targets {
			if !facts.Reserved {
				c.found = append(c.found, [2]string{title, target})
			}
		}
		c.read(title, b.Children, false)
	}
}

func (c *collection) links() links {
	var l links
	for title, page := range c.pages {
		if note.KindOfTitle(title) != note.System && (page.Exists() || c.named[title] || !c.words[title]) {
			l.titles = append(l.titles, title)
		}
	}
	fold := cases.Fold()
	slices.SortFunc(l.titles, func(a, b string) int {
		return cmp.Or(strings.Compare(fold.String(a), fold.String(b)), strings.Compare(c.pages[a].UID, c.pages[b].UID))
	})
	var edges []linkgraph.Edge
	for _, each := range c.found {
		if from, to := l.node(each[0]), l.node(each[1]); from >= 0 && to >= 0 {
			edges = append(edges, linkgraph.Edge{From: from, To: to, Weight: 1})
		}
	}
	l.Graph = linkgraph.New(len(l.titles), edges)
	return l
}
