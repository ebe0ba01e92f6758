package linkgraph

import (
	"math"
	"slices"
	"testing"
)

// The nodes of the example graph, in node order: title case folded, uid.
const (
	ada int32 = iota
	computing
	glossary
	grace
	inProgress
	january15
	meeting
	notes
	orphan
	project
	apollo
	gemini
	rocket
	saturn
	shopping
	tea
	all
)

// example is the graph of notes that all examples of the profiles are told by.
func example() *Graph {
	return New(int(all), []Edge{
		{apollo, saturn, 1}, {apollo, ada, 1}, {apollo, grace, 1}, {apollo, saturn, 1}, {saturn, ada, 1}, {saturn, grace, 1},
		{ada, apollo, 1}, {ada, tea, 1}, {grace, computing, 1}, {glossary, saturn, 1}, {glossary, ada, 1},
		{january15, apollo, 1}, {january15, grace, 1}, {january15, meeting, 1}, {january15, notes, 1}, {gemini, apollo, 1},
	})
}

func TestNew(t *testing.T) {
	g := New(4, []Edge{{2, 1, 3}, {0, 3, 1}, {2, 0, 1}, {2, 1, math.MaxInt32}, {1, 1, 5}, {0, 2, 0}, {0, 1, -1}, {0, 3, 4}})
	for name, each := range map[string]struct{ got, want []int32 }{
		"neighbors are in node order":           {g.Out(2), []int32{0, 1}},
		"equal edges are one":                   {g.Out(0), []int32{3}},
		"an edge to itself is dropped":          {g.Out(1), nil},
		"incoming edges are in node order":      {New(3, []Edge{{2, 0, 1}, {1, 0, 1}}).In(0), []int32{1, 2}},
		"a weight is the sum":                   {[]int32{g.Weight(0, 3)}, []int32{5}},
		"a weight does not overflow":            {[]int32{g.Weight(2, 1)}, []int32{math.MaxInt32}},
		"an edge with no weight is dropped":     {[]int32{g.Weight(0, 2), g.Weight(0, 1)}, []int32{0, 0}},
		"the weight of no edge is none":         {[]int32{g.Weight(3, 0)}, []int32{0}},
		"the number of nodes is kept":           {[]int32{int32(g.Len())}, []int32{4}},
		"a graph of nothing has nothing":        {New(0, nil).Orphans(), nil},
		"a neighbor list can't be grown into":   {append(g.Out(0), 9)[1:], []int32{9}},
		"... so the next node's is as it was":   {g.Out(2), []int32{0, 1}},
		"what leads to a node without any: nil": {g.In(2), nil},
	} {
		if !slices.Equal(each.got, each.want) {
			t.Errorf("%s: %v, not %v", name, each.got, each.want)
		}
	}
}

func TestAnEdgeToANodeThatIsNotTherePanics(t *testing.T) {
	for _, edge := range []Edge{{0, 2, 1}, {2, 0, 1}, {-1, 0, 1}, {0, -1, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is taken", edge)
				}
			}()
			New(2, []Edge{edge})
		}()
	}
}

func TestPath(t *testing.T) {
	g := example()
	// 0 and 5 are joined by three paths of two steps, and a longer one over less nodes.
	diamond := New(7, []Edge{{0, 4, 1}, {0, 3, 1}, {0, 1, 1}, {4, 5, 1}, {3, 5, 1}, {1, 2, 1}, {2, 5, 1}, {5, 6, 1}})
	for name, each := range map[string]struct{ got, want []int32 }{
		"takes the only way":                   {g.Path(gemini, grace), []int32{gemini, apollo, grace}},
		"takes the shortest way":               {g.Path(glossary, grace), []int32{glossary, saturn, grace}},
		"does not walk against an edge":        {g.Path(grace, ada), nil},
		"from a node to itself is that node":   {g.Path(ada, ada), []int32{ada}},
		"is not there to what nothing links":   {g.Path(ada, orphan), nil},
		"of equal ones it is the least":        {diamond.Path(0, 5), []int32{0, 3, 5}},
		"of longer equal ones it is the least": {diamond.Path(0, 6), []int32{0, 3, 5, 6}},
		"undirected walks against edges":       {g.UndirectedPath(grace, ada), []int32{grace, apollo, ada}},
		"undirected is the least both ways":    {diamond.UndirectedPath(6, 0), []int32{6, 5, 3, 0}},
		"undirected is not there to an orphan": {g.UndirectedPath(ada, orphan), nil},
		"undirected to itself is that node":    {g.UndirectedPath(orphan, orphan), []int32{orphan}},
	} {
		if !slices.Equal(each.got, each.want) {
			t.Errorf("%s: %v, not %v", name, each.got, each.want)
		}
	}
}

func TestPageRank(t *testing.T) {
	ranks := example().PageRank()
	sum := 0.0
	for _, each := range ranks {
		sum += each
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the ranks sum up to %v", sum)
	}
	for node, want := range map[int32]float64{computing: 0.1282, apollo: 0.1205, ada: 0.1179, grace: 0.1107} {
		if math.Abs(ranks[node]-want) > 0.00005 {
			t.Errorf("node %d has %v, not %v", node, ranks[node], want)
		}
	}
	// 0 and 1 are linked alike, by nodes in opposite orders.
	var edges []Edge
	for n, degree := range []int32{2, 3, 7, 5, 5, 7, 3, 2} {
		edges = append(edges, Edge{int32(2 + n), int32(n / 4), 1})
		for sink := range degree - 1 {
			edges = append(edges, Edge{int32(2 + n), 10 + sink, 1})
		}
	}
	if ranks := New(20, edges).PageRank(); ranks[0] != ranks[1] {
		t.Errorf("two nodes that are linked alike have %v and %v", ranks[0], ranks[1])
	}
	if got := New(0, nil).PageRank(); len(got) != 0 {
		t.Errorf("a graph without nodes has ranks: %v", got)
	}
	if got := New(4, nil).PageRank(); !slices.Equal(got, []float64{0.25, 0.25, 0.25, 0.25}) {
		t.Errorf("nodes without edges are not equal: %v", got)
	}
}

func TestOrphans(t *testing.T) {
	if got, want := example().Orphans(), []int32{inProgress, orphan, project, rocket, shopping}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

func TestClusters(t *testing.T) {
	for name, each := range map[string]struct {
		graph *Graph
		want  [][]int32
	}{
		"of the example are one":              {example(), [][]int32{{ada, computing, glossary, grace, january15, meeting, notes, apollo, gemini, saturn, tea}}},
		"are the greatest first":              {New(6, []Edge{{1, 0, 1}, {5, 4, 1}, {4, 2, 1}}), [][]int32{{2, 4, 5}, {0, 1}}},
		"are by their least node where equal": {New(6, []Edge{{5, 0, 1}, {2, 1, 1}, {3, 4, 1}}), [][]int32{{0, 5}, {1, 2}, {3, 4}}},
		"hold no orphans":                     {New(3, nil), nil},
	} {
		if got := each.graph.Clusters(); !slices.EqualFunc(got, each.want, slices.Equal) {
			t.Errorf("%s: %v, not %v", name, got, each.want)
		}
	}
}
