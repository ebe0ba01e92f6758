package linkgraph

import "slices"

// search is what one search for a path needs; it is used again.
type search struct {
	distance []int32 // of each node to the target, plus 1; 0: not seen
	seen     []int32 // nodes in the order in which they were found
}

// Path returns the nodes of a shortest path along the edges, source and target
// included: of all shortest ones the least, where paths are compared node by
// node in node order. From a node to itself it is that node. It is nil where
// there is no path.
func (g *Graph) Path(source, target int32) []int32 {
	return g.path(source, target, []rows{g.out}, []rows{g.in})
}

// UndirectedPath is Path where every edge may be walked both ways.
func (g *Graph) UndirectedPath(source, target int32) []int32 {
	both := []rows{g.out, g.in}
	return g.path(source, target, both, both)
}

// path finds the distances to the target against the direction of the edges,
// breadth first, and then walks from the source to the least node that is one
// step nearer.
func (g *Graph) path(source, target int32, onward, back []rows) []int32 {
	s := g.scratch.Get().(*search)
	defer g.scratch.Put(s)
	defer s.clear()
	if !s.measure(source, target, back) {
		return nil
	}
	path := make([]int32, 0, s.distance[source])
	for at := source; ; at = s.nearer(at, onward) {
		path = append(path, at)
		if at == target {
			return path
		}
	}
}

// measure notes the distances to the target of all nodes that are nearer to it
// than the source, and reports whether the source was reached.
func (s *search) measure(source, target int32, back []rows) bool {
	s.see(target, 1)
	for i := 0; i < len(s.seen) && s.distance[source] == 0; i++ {
		at := s.seen[i]
		for _, each := range back {
			for _, n := range each.of(at) {
				if s.distance[n] == 0 {
					s.see(n, s.distance[at]+1)
				}
			}
		}
	}
	return s.distance[source] > 0
}

func (s *search) see(node, distance int32) {
	s.distance[node] = distance
	s.seen = append(s.seen, node)
}

// nearer returns the least neighbor that is one step nearer to the target.
func (s *search) nearer(at int32, onward []rows) int32 {
	least := int32(-1)
	for _, each := range onward {
		row := each.of(at)
		i := slices.IndexFunc(row, func(n int32) bool { return s.distance[n] == s.distance[at]-1 })
		if i >= 0 && (least < 0 || row[i] < least) {
			least = row[i]
		}
	}
	return least
}

// clear forgets a search, in time that grows with what it has seen.
func (s *search) clear() {
	for _, n := range s.seen {
		s.distance[n] = 0
	}
	s.seen = s.seen[:0]
}
