package linkgraph

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive is a graph as a matrix of weights.
type naive [][]int64

func newNaive(nodes int, edges []Edge) naive {
	m := make(naive, nodes)
	for n := range m {
		m[n] = make([]int64, nodes)
	}
	for _, e := range edges {
		if e.From != e.To && e.Weight > 0 {
			m[e.From][e.To] += int64(e.Weight)
		}
	}
	return m
}

func (m naive) neighbors(linked func(other int) bool) []int32 {
	var found []int32
	for n := range m {
		if linked(n) {
			found = append(found, int32(n))
		}
	}
	return found
}

// path enumerates all ways without a circle, and returns the best.
func (m naive) path(source, target int32, undirected bool) []int32 {
	var best []int32
	var walk func(way []int32)
	walk = func(way []int32) {
		at := way[len(way)-1]
		if at == target {
			if best == nil || len(way) < len(best) || len(way) == len(best) && slices.Compare(way, best) < 0 {
				best = slices.Clone(way)
			}
			return
		}
		for n := range m {
			if (m[at][n] > 0 || undirected && m[n][at] > 0) && !slices.Contains(way, int32(n)) {
				walk(append(slices.Clone(way), int32(n)))
			}
		}
	}
	walk([]int32{source})
	return best
}

// pageRank solves r = (1-d)/n + d·M·r as linear equations by elimination.
func (m naive) pageRank() []float64 {
	n := len(m)
	equations := make([][]float64, n)
	for to := range equations {
		equations[to] = make([]float64, n+1)
		equations[to][n] = 0.15 / float64(n)
		for from := range m {
			degree := len(m.neighbors(func(other int) bool { return m[from][other] > 0 }))
			switch {
			case degree == 0:
				equations[to][from] = -0.85 / float64(n)
			case m[from][to] > 0:
				equations[to][from] = -0.85 / float64(degree)
			}
		}
		equations[to][to]++
	}
	for pivot := range equations { // diagonally dominant by columns: no rows change places
		for row := range equations {
			if factor := equations[row][pivot] / equations[pivot][pivot]; row != pivot {
				for column := range equations[row] {
					equations[row][column] -= factor * equations[pivot][column]
				}
			}
		}
	}
	ranks := make([]float64, n)
	for i := range ranks {
		ranks[i] = equations[i][n] / equations[i][i]
	}
	return ranks
}

// components spreads the least number over edges until nothing changes.
func (m naive) components() [][]int32 {
	label := make([]int, len(m))
	for n := range label {
		label[n] = n
	}
	for changed := true; changed; {
		changed = false
		for a := range m {
			for b := range m {
				if least := min(label[a], label[b]); m[a][b] > 0 && label[a] != label[b] {
					label[a], label[b], changed = least, least, true
				}
			}
		}
	}
	var found [][]int32
	for n := range m {
		if one := m.neighbors(func(other int) bool { return label[other] == n }); len(one) > 0 {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b []int32) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0]))
	})
	return found
}

// compare returns what the graph of the edges says otherwise than the matrix.
func compare(nodes int, edges []Edge) error {
	g, m := New(nodes, edges), newNaive(nodes, edges)
	for a := range int32(nodes) {
		out := m.neighbors(func(other int) bool { return m[a][other] > 0 })
		in := m.neighbors(func(other int) bool { return m[other][a] > 0 })
		if !slices.Equal(g.Out(a), out) || !slices.Equal(g.In(a), in) {
			return fmt.Errorf("node %d: out %v and in %v, not %v and %v", a, g.Out(a), g.In(a), out, in)
		}
		for b := range int32(nodes) {
			if got, want := int64(g.Weight(a, b)), min(m[a][b], math.MaxInt32); got != want {
				return fmt.Errorf("weight %d to %d: %d, not %d", a, b, got, want)
			}
			if got, want := g.Path(a, b), m.path(a, b, false); !slices.Equal(got, want) {
				return fmt.Errorf("path %d to %d: %v, not %v", a, b, got, want)
			}
			if got, want := g.UndirectedPath(a, b), m.path(a, b, true); !slices.Equal(got, want) {
				return fmt.Errorf("undirected path %d to %d: %v, not %v", a, b, got, want)
			}
		}
	}
	for n, want := range m.pageRank() {
		if got := g.PageRank()[n]; math.Abs(got-want) > 1e-6 {
			return fmt.Errorf("rank of %d: %v, not %v", n, got, want)
		}
	}
	var clusters [][]int32
	var orphans []int32
	for _, each := range m.components() {
		if len(each) == 1 {
			orphans = append(orphans, each[0])
		} else {
			clusters = append(clusters, each)
		}
	}
	if got := g.Clusters(); !slices.EqualFunc(got, clusters, slices.Equal) {
		return fmt.Errorf("clusters: %v, not %v", got, clusters)
	}
	if got := g.Orphans(); !slices.Equal(got, orphans) {
		return fmt.Errorf("orphans: %v, not %v", got, orphans)
	}
	return nil
}

func TestRandomGraphsAreAsTheirMatrixSays(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 11))
		nodes := 1 + r.IntN(7)
		edges := make([]Edge, r.IntN(3*nodes))
		for i := range edges {
			edges[i] = Edge{r.Int32N(int32(nodes)), r.Int32N(int32(nodes)), r.Int32N(4)}
		}
		if err := compare(nodes, edges); err != nil {
			t.Fatalf("seed %d: %d nodes, %v: %v", seed, nodes, edges, err)
		}
		r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		if err := compare(nodes, edges); err != nil {
			t.Fatalf("seed %d, in another order: %v", seed, err)
		}
	}
}

// The first byte is the number of nodes, each three that follow are an edge.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 0, 1, 1, 1, 2, 1, 2, 0, 1, 0, 1, 255})
	f.Add([]byte{6, 0, 4, 1, 0, 3, 1, 4, 5, 1, 3, 5, 1, 5, 5, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			data = []byte{0}
		}
		nodes := int(data[0] % 7)
		var edges []Edge
		for rest := data[1:]; len(rest) >= 3 && nodes > 0; rest = rest[3:] {
			weight := int32(rest[2])
			if weight > 250 {
				weight = math.MaxInt32
			}
			edges = append(edges, Edge{int32(rest[0]) % int32(nodes), int32(rest[1]) % int32(nodes), weight})
		}
		if err := compare(nodes, edges); err != nil {
			t.Errorf("%d nodes, %v: %v", nodes, edges, err)
		}
	})
}

// A line of nodes is the deepest graph that there is.
func TestALongLineIsWalkedToItsEnd(t *testing.T) {
	const nodes = 1 << 18
	var edges []Edge
	for n := range int32(nodes - 1) {
		edges = append(edges, Edge{n, n + 1, 1})
	}
	g := New(nodes, edges)
	if got := len(g.Path(0, nodes-1)); got != nodes {
		t.Errorf("the path has %d nodes", got)
	}
	if got := g.Path(nodes-1, 0); got != nil {
		t.Errorf("the way back has %d nodes", len(got))
	}
	if got := len(g.UndirectedPath(nodes-1, 0)); got != nodes {
		t.Errorf("the undirected way back has %d nodes", got)
	}
	if clusters := g.Clusters(); len(clusters) != 1 || len(clusters[0]) != nodes {
		t.Errorf("there are %d clusters", len(clusters))
	}
}

func TestAPathAllocatesOnlyItself(t *testing.T) {
	nodes, edges := large()
	g := New(nodes, edges)
	source := int32(0)
	g.Path(source, int32(nodes-1))
	if n := testing.AllocsPerRun(50, func() {
		source++
		g.Path(source, int32(nodes-1))
	}); n > 2 { // a collection may empty the pool
		t.Errorf("%v allocations", n)
	}
}

// large is a graph of 50,000 nodes and 200,000 edges, some of whose nodes are
// linked to far more than others.
func large() (nodes int, edges []Edge) {
	nodes = 50_000
	r := rand.New(rand.NewPCG(1, 4))
	popular := rand.NewZipf(r, 1.1, 50, uint64(nodes-1))
	for range 4 * nodes {
		edges = append(edges, Edge{r.Int32N(int32(nodes)), int32(popular.Uint64()), 1})
	}
	return nodes, edges
}

// ways enumerates all shortest ways, and returns the best of them.
func (m naive) ways(source, target int32, undirected bool, most int) [][]int32 {
	linked := func(a, b int32) bool { return m[a][b] > 0 || undirected && m[b][a] > 0 }
	lists := [][]int32{{source}}
	for reached := source == target; !reached; {
		var next [][]int32
		for _, way := range lists {
			for n := range int32(len(m)) {
				if linked(way[len(way)-1], n) && !slices.Contains(way, n) {
					next = append(next, append(slices.Clone(way), n))
					reached = reached || n == target
				}
			}
		}
		if lists = next; len(lists) == 0 {
			return nil
		}
	}
	lists = slices.DeleteFunc(lists, func(way []int32) bool { return way[len(way)-1] != target })
	cost := func(way []int32) (sum int) {
		for _, at := range way[1:max(1, len(way)-1)] {
			for n := range m {
				sum += int(min(m[at][n], 1) + min(m[n][at], 1))
			}
		}
		return sum
	}
	slices.SortFunc(lists, func(a, b []int32) int { return cmp.Or(cmp.Compare(cost(a), cost(b)), slices.Compare(a, b)) })
	return lists[:min(len(lists), most)]
}

func TestWaysAreTheBestOfAllShortestOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 28))
	for range 400 {
		nodes := 1 + r.IntN(8)
		var edges []Edge
		for range r.IntN(3 * nodes) {
			edges = append(edges, Edge{r.Int32N(int32(nodes)), r.Int32N(int32(nodes)), 1})
		}
		g, m := New(nodes, edges), newNaive(nodes, edges)
		for a := range int32(nodes) {
			for b := range int32(nodes) {
				for _, undirected := range []bool{false, true} {
					most := 1 + r.IntN(4)
					got, want := g.Ways(a, b, undirected, most), m.ways(a, b, undirected, most)
					if !slices.EqualFunc(got, want, slices.Equal) {
						t.Fatalf("%v: %d to %d, undirected %v, at most %d: %v, not %v", edges, a, b, undirected, most, got, want)
					}
				}
			}
		}
	}
}
