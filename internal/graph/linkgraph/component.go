package linkgraph

import (
	"cmp"
	"slices"
)

// Orphans returns the nodes without an edge, in node order.
func (g *Graph) Orphans() []int32 {
	var found []int32
	for n := range int32(g.Len()) {
		if len(g.Out(n)) == 0 && len(g.In(n)) == 0 {
			found = append(found, n)
		}
	}
	return found
}

// Clusters returns the weakly connected components of two nodes and more: the
// greatest first, equal ones by their least node, the nodes of each in node
// order.
func (g *Graph) Clusters() [][]int32 {
	var found [][]int32
	seen := make([]bool, g.Len())
	nodes := make([]int32, 0, g.Len()) // of all components, one behind the other
	for first := range int32(g.Len()) {
		if seen[first] {
			continue
		}
		begin := len(nodes)
		seen[first], nodes = true, append(nodes, first)
		for i := begin; i < len(nodes); i++ {
			for _, each := range []rows{g.out, g.in} {
				for _, n := range each.of(nodes[i]) {
					if !seen[n] {
						seen[n], nodes = true, append(nodes, n)
					}
				}
			}
		}
		if cluster := nodes[begin:len(nodes):len(nodes)]; len(cluster) > 1 {
			slices.Sort(cluster)
			found = append(found, cluster)
		}
	}
	// Found in the order of their least nodes, which a stable sort keeps.
	slices.SortStableFunc(found, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	return found
}
