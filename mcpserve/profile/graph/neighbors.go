package graph

import (
	"cmp"
	"context"
	"slices"

	"roam-mcp/internal/graph/linkgraph"
	"roam-mcp/internal/graph/note"
)

// neighborOf is a node beside another one.
type neighborOf struct {
	uid       string
	direction string
}

func uidsOf(list []neighborOf) []string {
	uids := make([]string, len(list))
	for i, each := range list {
		uids[i] = each.uid
	}
	return uids
}

// surroundings are the neighbors of a node.
type surroundings struct {
	all     []neighborOf
	in, out int // how many link to it, and how many it links to

	nodes map[string]note.Node // those that were read already, by uid
}

// around returns the neighbors of a node in a direction. Those of a page are the
// mirror's. A block is in no link graph: Roam is asked for what it refers to, and for
// what refers to it.
func (o opened) around(ctx context.Context, uid, direction string) (surroundings, error) {
	if at, ok := o.view.NodeOf(uid); ok {
		links := o.view.Links()
		found := surroundings{in: len(links.In(at)), out: len(links.Out(at))}
		for _, each := range neighborsOf(links, at, direction) {
			found.all = append(found.all, neighborOf{o.view.PageAt(each.node).UID, each.direction})
		}
		return found, nil
	}
	if _, isPage := o.view.Page(uid); isPage { // a page that is no node: Roam's own, or a word
		return surroundings{}, nil
	}
	return o.aroundBlock(ctx, uid, direction)
}

// aroundBlock returns the neighbors of a block, those that are hidden left out; none of a
// block that is hidden itself.
func (o opened) aroundBlock(ctx context.Context, uid, direction string) (surroundings, error) {
	refs, err := o.Graph().RefsAround(ctx, uid)
	if err != nil {
		return surroundings{}, err
	}
	nodes, err := o.Graph().ReadNotes(ctx, slices.Concat([]string{uid}, refs.To, refs.From))
	if n, ok := nodes[uid]; err != nil || !ok || n.Hidden {
		return surroundings{}, err
	}
	hidden := func(uid string) bool {
		n, ok := nodes[uid]
		_, isPage := o.view.Page(uid)
		_, isNode := o.view.NodeOf(uid)
		return !ok || n.Hidden || isPage && !isNode
	}
	to, from := slices.DeleteFunc(refs.To, hidden), slices.DeleteFunc(refs.From, hidden)
	return surroundings{all: ofBlock(to, from, direction), in: len(from), out: len(to), nodes: nodes}, nil
}

// nodeNear is a node of a link graph beside another one.
type nodeNear struct {
	node      int32
	direction string
}

// neighborsOf returns the nodes that a node links to, and then those others that link to
// it, each by the weight of the link, the greatest first, and then in node order.
func neighborsOf(g *linkgraph.Graph, at int32, direction string) []nodeNear {
	var near []nodeNear
	if direction != directionIn {
		for _, to := range byWeight(g.Out(at), func(to int32) int32 { return g.Weight(at, to) }) {
			near = append(near, nodeNear{to, mutual(g.Weight(to, at) > 0, directionOut)})
		}
	}
	if direction != directionOut {
		for _, from := range byWeight(g.In(at), func(from int32) int32 { return g.Weight(from, at) }) {
			both := g.Weight(at, from) > 0
			if !both || direction == directionIn {
				near = append(near, nodeNear{from, mutual(both, directionIn)})
			}
		}
	}
	return near
}

// byWeight returns nodes by their weight, the greatest first; equal ones stay in their
// order.
func byWeight(nodes []int32, weight func(int32) int32) []int32 {
	sorted := slices.Clone(nodes)
	slices.SortStableFunc(sorted, func(a, b int32) int { return cmp.Compare(weight(b), weight(a)) })
	return sorted
}

func mutual(both bool, direction string) string {
	if both {
		return directionBoth
	}
	return direction
}

// ofBlock orders what a block refers to and what refers to it as neighborsOf does.
func ofBlock(to, from []string, direction string) []neighborOf {
	var near []neighborOf
	if direction != directionIn {
		for _, uid := range to {
			near = append(near, neighborOf{uid, mutual(slices.Contains(from, uid), directionOut)})
		}
	}
	if direction != directionOut {
		for _, uid := range from {
			both := slices.Contains(to, uid)
			if !both || direction == directionIn {
				near = append(near, neighborOf{uid, mutual(both, directionIn)})
			}
		}
	}
	return near
}
