// Package linkgraph answers questions about which nodes lead to which: degrees,
// shortest paths, PageRank, orphans and clusters.
//
// It promises the same answer for the same edges in whatever order they are
// given, time that grows no faster than nodes and edges, and safe use by several
// goroutines. Nodes are numbers; it does not know what they stand for.
package linkgraph

import (
	"math"
	"slices"
	"sync"
)

// Edge leads from one node to another. The weight is at least 1.
type Edge struct{ From, To, Weight int32 }

// Graph is an immutable directed graph. Its nodes are the numbers from 0 to
// Len()-1, and what is said to be in node order is in the order of these
// numbers. Methods panic where a node is not one of them, as an index of a slice
// does.
type Graph struct {
	out, in rows
	weights []int32 // of the edges in out

	scratch sync.Pool // of *search
	rank    func() []float64
}

// rows holds the neighbors of every node in one slice (compressed sparse rows).
type rows struct {
	start []int32 // of node n: from start[n] to start[n+1]
	nodes []int32
}

func (r rows) of(node int32) []int32 {
	from, to := r.start[node], r.start[node+1]
	return r.nodes[from:to:to]
}

// New returns the graph of the edges. The weights of equal edges are added up,
// to math.MaxInt32 at most. An edge from a node to itself is dropped, and so is
// one whose weight is below 1. It panics where an edge names a node that is not
// there.
func New(nodes int, edges []Edge) *Graph {
	kept := make([]Edge, 0, len(edges))
	for _, e := range edges {
		if e.From != e.To && e.Weight > 0 {
			kept = append(kept, e)
		}
	}
	// Sorted by the one end and then, stably, by the other.
	kept = sorted(nodes, kept, func(e Edge) int32 { return e.To })
	kept = merged(sorted(nodes, kept, func(e Edge) int32 { return e.From }))
	g := &Graph{weights: make([]int32, len(kept))}
	for i, e := range kept {
		g.weights[i] = e.Weight
	}
	g.out = newRows(nodes, kept, func(e Edge) (int32, int32) { return e.From, e.To })
	kept = sorted(nodes, kept, func(e Edge) int32 { return e.To })
	g.in = newRows(nodes, kept, func(e Edge) (int32, int32) { return e.To, e.From })
	g.scratch.New = func() any { return &search{distance: make([]int32, nodes), seen: make([]int32, 0, nodes)} }
	g.rank = sync.OnceValue(g.pageRank)
	return g
}

// sorted returns the edges in the order of one of their ends, and leaves those
// that are equal in it in the order that they had (counting sort).
func sorted(nodes int, edges []Edge, end func(Edge) int32) []Edge {
	next := make([]int32, nodes+1)
	for _, e := range edges {
		next[end(e)+1]++
	}
	for n := range nodes {
		next[n+1] += next[n]
	}
	placed := make([]Edge, len(edges))
	for _, e := range edges {
		n := end(e)
		placed[next[n]] = e
		next[n]++
	}
	return placed
}

// merged makes one of equal edges that follow each other, in place.
func merged(edges []Edge) []Edge {
	kept := edges[:0]
	for _, e := range edges {
		if n := len(kept); n > 0 && kept[n-1].From == e.From && kept[n-1].To == e.To {
			kept[n-1].Weight = int32(min(int64(kept[n-1].Weight)+int64(e.Weight), math.MaxInt32))
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// newRows takes edges in the order of the first of the ends that ends returns.
func newRows(nodes int, edges []Edge, ends func(Edge) (row, neighbor int32)) rows {
	r := rows{start: make([]int32, nodes+1), nodes: make([]int32, len(edges))}
	for i, e := range edges {
		row, neighbor := ends(e)
		r.start[row+1]++
		r.nodes[i] = neighbor
	}
	for n := range nodes {
		r.start[n+1] += r.start[n]
	}
	return r
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.out.start) - 1 }

// Out returns the nodes that an edge leads to from the node, each once, in node
// order. The caller must not change them.
func (g *Graph) Out(node int32) []int32 { return g.out.of(node) }

// In returns the nodes that an edge leads from to the node, each once, in node
// order. The caller must not change them.
func (g *Graph) In(node int32) []int32 { return g.in.of(node) }

// Weight returns the weight of the edge between two nodes, 0 where there is none.
func (g *Graph) Weight(from, to int32) int32 {
	at, found := slices.BinarySearch(g.Out(from), to)
	if !found {
		return 0
	}
	return g.weights[int(g.out.start[from])+at]
}
