package linkgraph

import (
	"cmp"
	"slices"
)

// Ways returns up to most shortest paths from one node to another, source and target
// included, of all shortest ones those that lead past the fewest links: the sum of the
// degrees of the nodes between is the least. Equal ones are in node order, compared node by
// node. From a node to itself it is that node; there are none where there is no path. With
// undirected every edge may be walked both ways.
func (g *Graph) Ways(source, target int32, undirected bool, most int) [][]int32 {
	onward, back := []rows{g.out}, []rows{g.in}
	if undirected {
		onward = []rows{g.out, g.in}
		back = onward
	}
	s := g.scratch.Get().(*search)
	defer g.scratch.Put(s)
	defer s.clear()
	if most < 1 || !s.measure(source, target, back) {
		return nil
	}
	w := &ways{Graph: g, search: s, onward: onward, most: most, best: map[int32][]rest{target: {{next: -1}}}}
	var found [][]int32
	for i := range w.from(source, target) {
		found = append(found, w.walk(source, i))
	}
	return found
}

// ways finds the best of all shortest paths.
type ways struct {
	*Graph
	*search
	onward []rows
	most   int
	best   map[int32][]rest // of each node on a shortest path, the best first
}

// rest is how a path goes on from a node: to the next one, and from there by one of its
// best.
type rest struct {
	cost int64 // sum of the degrees of the nodes between this one and the target
	next int32 // -1: this is the target
	by   int
}

// from returns the best paths from the source. It goes through the nodes on shortest paths
// step by step, and then back.
func (w *ways) from(source, target int32) []rest {
	steps := [][]int32{{source}}
	for range w.distance[source] - 1 {
		var next []int32
		for _, at := range steps[len(steps)-1] {
			w.ahead(at, func(n int32) { next = append(next, n) })
		}
		slices.Sort(next)
		steps = append(steps, slices.Compact(next))
	}
	for _, nodes := range slices.Backward(steps) {
		for _, at := range nodes {
			if at != target {
				w.best[at] = w.bestOf(at, target)
			}
		}
	}
	return w.best[source]
}

// ahead calls each with the neighbors that are one step nearer to the target. One may come
// twice.
func (w *ways) ahead(at int32, each func(int32)) {
	for _, rows := range w.onward {
		for _, n := range rows.of(at) {
			if w.distance[n] == w.distance[at]-1 && w.distance[n] > 0 {
				each(n)
			}
		}
	}
}

// bestOf returns the best paths from a node, where those of the nodes ahead are known.
func (w *ways) bestOf(at, target int32) []rest {
	var best []rest
	w.ahead(at, func(n int32) {
		degree := int64(len(w.Out(n)) + len(w.In(n)))
		if n == target {
			degree = 0
		}
		for by, r := range w.best[n] {
			found := rest{cost: degree + r.cost, next: n, by: by}
			place, twice := slices.BinarySearchFunc(best, found, func(a, b rest) int {
				return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.next, b.next), cmp.Compare(a.by, b.by))
			})
			if place == w.most {
				return // what comes behind it in this list is worse
			}
			if !twice {
				best = slices.Insert(best[:min(len(best), w.most-1)], place, found)
			}
		}
	})
	return best
}

// walk returns one of the best paths of a node.
func (w *ways) walk(at int32, by int) []int32 {
	path := []int32{at}
	for r := w.best[at][by]; r.next >= 0; r = w.best[at][by] {
		at, by = r.next, r.by
		path = append(path, at)
	}
	return path
}
