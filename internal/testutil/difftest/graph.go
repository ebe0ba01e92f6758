package difftest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"roam-mcp/internal/graph/graphdb"
)

const (
	pages  = 16
	blocks = 90
	users  = 3
	// tx is the one transaction of all datoms: a snapshot knows no other.
	tx = 536870913
)

var words = []string{"alpha", "beta", "gamma", "delta", "Epsilon", "zeta", "ETA", "theta", "ünï", "日本", "😀", "[[Page 3]]", "#tag", "TODO", "10", "2"}

// SmallGraph makes a graph of some hundred entities in Roam's schema from a
// seed, with a few attributes of its own so that every kind of value occurs.
func SmallGraph(seed uint64) []graphdb.Datom {
	g := &grower{rng: rand.New(rand.NewPCG(seed, 1))}
	for u := 1; u <= users; u++ {
		g.put(u, graphdb.UserUID, graphdb.StringValue(fmt.Sprintf("user%d", u)))
		if u > 1 {
			g.put(u, graphdb.UserEmail, graphdb.StringValue(fmt.Sprintf("u%d@example.com", u)))
		}
		g.put(u, graphdb.UserDisplayName, graphdb.StringValue(g.text(2)))
	}
	for p := range pages {
		g.page(users+1+p, p)
	}
	for b := range blocks {
		g.block(users+pages+1+b, b)
	}
	return g.datoms
}

type grower struct {
	rng     *rand.Rand
	datoms  []graphdb.Datom
	parents [][]int // of each block, the page first
}

func (g *grower) put(e int, a graphdb.Attr, v graphdb.Value) {
	g.datoms = append(g.datoms, graphdb.Datom{E: graphdb.EID(e), A: a, V: v, Tx: tx, Added: true})
}

func (g *grower) text(n int) string {
	s := ""
	for i := range n {
		if i > 0 {
			s += " "
		}
		s += words[g.rng.IntN(len(words))]
	}
	return s
}

func (g *grower) stamp(e int) {
	g.put(e, graphdb.CreateTime, graphdb.IntValue(1_600_000_000_000+int64(g.rng.IntN(40))*86_400_000))
	g.put(e, graphdb.CreateUser, graphdb.RefValue(graphdb.EID(1+g.rng.IntN(users))))
	if g.rng.IntN(4) > 0 {
		g.put(e, graphdb.EditTime, graphdb.IntValue(1_600_000_000_000+int64(g.rng.IntN(80))*86_400_000))
		g.put(e, graphdb.EditUser, graphdb.RefValue(graphdb.EID(1+g.rng.IntN(users))))
	}
}

func (g *grower) page(e, i int) {
	g.put(e, graphdb.NodeTitle, graphdb.StringValue(fmt.Sprintf("Page %d", i)))
	g.put(e, graphdb.BlockUID, graphdb.StringValue(fmt.Sprintf("page%05d", i)))
	g.stamp(e)
	if i%5 == 0 {
		g.put(e, graphdb.LogID, graphdb.IntValue(1_600_000_000_000+int64(i)))
	}
	if i%7 == 0 {
		g.put(e, graphdb.ChildrenViewType, graphdb.KeywordValue([]graphdb.Keyword{":numbered", ":document", ":bullet"}[i%3]))
	}
	if i%6 == 0 {
		g.put(e, graphdb.PageSidebar, graphdb.IntValue(int64(i/6)))
	}
}

func (g *grower) block(e, i int) {
	page := users + 1 + g.rng.IntN(pages)
	path := []int{page}
	if i > 0 && g.rng.IntN(3) > 0 {
		j := g.rng.IntN(i)
		path = append(append([]int{}, g.parents[j]...), users+pages+1+j)
		page = path[0]
	}
	g.parents = append(g.parents, path)
	g.put(e, graphdb.BlockUID, graphdb.StringValue(fmt.Sprintf("blk%06d", i)))
	g.put(e, graphdb.BlockString, graphdb.StringValue(g.text(1+g.rng.IntN(4))))
	g.put(e, graphdb.BlockOrder, graphdb.IntValue(int64(g.rng.IntN(5))))
	g.put(e, graphdb.BlockOpen, graphdb.BoolValue(g.rng.IntN(5) > 0))
	g.put(e, graphdb.BlockPage, graphdb.RefValue(graphdb.EID(page)))
	g.put(path[len(path)-1], graphdb.BlockChildren, graphdb.RefValue(graphdb.EID(e)))
	for _, p := range path {
		g.put(e, graphdb.BlockParents, graphdb.RefValue(graphdb.EID(p)))
	}
	seen := map[int]bool{}
	for range g.rng.IntN(3) {
		to := users + 1 + g.rng.IntN(pages+blocks)
		if !seen[to] {
			seen[to] = true
			g.put(e, graphdb.BlockRefs, graphdb.RefValue(graphdb.EID(to)))
		}
	}
	g.stamp(e)
	g.odd(e, i)
}

// odd adds what few blocks have.
func (g *grower) odd(e, i int) {
	if i%9 == 0 {
		g.put(e, graphdb.BlockHeading, graphdb.IntValue(int64(1+i%3)))
	}
	if i%11 == 0 {
		g.put(e, ":score", graphdb.FloatValue(float64(g.rng.IntN(50))/4))
	}
	if i%13 == 0 {
		g.put(e, graphdb.BlockViewType, graphdb.KeywordValue([]graphdb.Keyword{":outline", ":tabs", ":view/popout"}[i%3]))
	}
	if i%17 == 0 {
		g.put(e, graphdb.BlockProps, graphdb.OpaqueValue(graphdb.Opaque(fmt.Sprintf(`{:width %d, "kind" [:a "b"]}`, i))))
	}
	switch i % 20 { // one attribute with values of several kinds
	case 3:
		g.put(e, ":mixed", graphdb.StringValue("12"))
	case 7:
		g.put(e, ":mixed", graphdb.IntValue(12))
	case 11:
		g.put(e, ":mixed", graphdb.KeywordValue(":twelve"))
	case 15:
		g.put(e, ":mixed", graphdb.BoolValue(true))
	}
}

// Load makes a graph of datoms in a schema.
func Load(ctx context.Context, schema *graphdb.Schema, datoms []graphdb.Datom) (*graphdb.DB, error) {
	c, err := graphdb.Load(ctx, schema, func(yield func(graphdb.Datom, error) bool) {
		for _, d := range datoms {
			if !yield(d, nil) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return c.DB(), nil
}
