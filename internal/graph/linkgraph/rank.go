package linkgraph

import "math"

// PageRank ends when a round changes the ranks by less than smallestChange in
// all, or after maxRounds.
const (
	damping        = 0.85
	smallestChange = 1e-9
	maxRounds      = 100
	// precision is what ranks are rounded to, so that nodes whose ranks differ by
	// the order of additions only have the same one.
	precision = 1e12
)

// PageRank returns the rank of every node, by its number; they sum up to 1. Start
// and teleport are uniform, and a node without edges out gives its rank to all
// alike. Ranks are rounded to 12 decimals. They are computed once; the caller must
// not change them.
func (g *Graph) PageRank() []float64 { return g.rank() }

func (g *Graph) pageRank() []float64 {
	nodes := g.Len()
	ranks, next, given := make([]float64, nodes), make([]float64, nodes), make([]float64, nodes)
	for n := range ranks {
		ranks[n] = 1 / float64(nodes)
	}
	for range maxRounds {
		idle := 0.0 // rank of nodes without edges out
		for n, rank := range ranks {
			if degree := len(g.Out(int32(n))); degree > 0 {
				given[n] = damping * rank / float64(degree)
			} else {
				idle += rank
			}
		}
		everyones := (1 - damping + damping*idle) / float64(nodes)
		change := 0.0
		for n := range next {
			rank := everyones
			for _, from := range g.In(int32(n)) {
				rank += given[from]
			}
			next[n] = rank
			change += math.Abs(rank - ranks[n])
		}
		ranks, next = next, ranks
		if change < smallestChange {
			break
		}
	}
	for n, rank := range ranks {
		ranks[n] = math.Round(rank*precision) / precision
	}
	return ranks
}
