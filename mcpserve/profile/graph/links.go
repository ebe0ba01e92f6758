package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/linkgraph"
	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// findPath answers find_path.
func findPath(ctx context.Context, c surface.Call) (surface.Reply, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	var ends [2]int32
	for i, id := range []string{c.Args().Text("source"), c.Args().Text("target")} {
		node, ok, err := o.nodeNamed(ctx, id)
		if err != nil || !ok {
			return o.missing(id), err
		}
		ends[i] = node
	}
	links, undirected := o.view.Links(), c.Args().Flag("undirected", false)
	var way []int32
	if undirected {
		way = links.UndirectedPath(ends[0], ends[1])
	} else {
		way = links.Path(ends[0], ends[1])
	}
	if way == nil {
		return o.noPath(ends, undirected), nil
	}
	reply := pathResponse{Path: []string{}, Length: len(way) - 1, Titles: []string{}}
	for _, at := range way {
		page := o.view.PageAt(at)
		reply.Path, reply.Titles = append(reply.Path, page.UID), append(reply.Titles, page.Title)
	}
	if undirected {
		reply.Steps = steps(links, way)
	}
	return surface.Reply{JSON: rawjson.Encode(reply)}, nil
}

// noPath is the answer where no path was found. It says whether there is one that follows
// links both ways, where these were not followed.
func (o opened) noPath(ends [2]int32, undirected bool) surface.Reply {
	reply := null()
	from, to := textsafe.Quote(o.view.PageAt(ends[0]).Title), textsafe.Quote(o.view.PageAt(ends[1]).Title)
	reply.Note = fmt.Sprintf("No links connect %s and %s, whichever way they are followed.", from, to)
	if undirected {
		return reply
	}
	if way := o.view.Links().UndirectedPath(ends[0], ends[1]); way != nil {
		reply.Note = fmt.Sprintf("No links lead from %s to %s; with undirected true there is a path of length %d.", from, to, len(way)-1)
	}
	return reply
}

// nodeNamed returns the node of the link graph that an id names.
func (o opened) nodeNamed(ctx context.Context, id string) (node int32, ok bool, err error) {
	uid, err := o.named(ctx, id)
	node, ok = o.view.NodeOf(uid)
	return node, ok, err
}

// steps says of each step of a path which way it went: out where the first links to the
// second, in where the second links to the first, both where each does.
func steps(g *linkgraph.Graph, way []int32) []string {
	list := []string{}
	for i := 1; i < len(way); i++ {
		forth, back := g.Weight(way[i-1], way[i]) > 0, g.Weight(way[i], way[i-1]) > 0
		switch {
		case forth && back:
			list = append(list, directionBoth)
		case forth:
			list = append(list, directionOut)
		default:
			list = append(list, directionIn)
		}
	}
	return list
}

// getHubs answers get_hubs.
func getHubs(ctx context.Context, c surface.Call) (surface.Reply, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	offset, limit := window(c, 10)
	score, hubs := o.metric(c.Args().Text("metric")), []hubResponse{}
	for _, at := range page(ranked(o.view.Links().Len(), score, offset+limit), offset, limit) {
		page := o.view.PageAt(at)
		hubs = append(hubs, hubResponse{page.UID, page.Title, score(at)})
	}
	return surface.Reply{JSON: rawjson.Encode(hubs), Total: o.view.Links().Len()}, nil
}

// metric returns the score of each node.
func (o opened) metric(name string) func(int32) float64 {
	links := o.view.Links()
	switch name {
	case metricOut:
		return func(at int32) float64 { return float64(len(links.Out(at))) }
	case metricPageRank:
		ranks := links.PageRank()
		return func(at int32) float64 { return rounded(ranks[at], 9) }
	}
	return func(at int32) float64 { return float64(len(links.In(at))) }
}

// ranked returns the first most nodes by their score, the greatest first, and then in node
// order.
func ranked(nodes int, score func(int32) float64, most int) []int32 {
	first, scores := []int32{}, make([]float64, nodes)
	before := func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) }
	for i := range scores {
		at := int32(i)
		scores[at] = score(at)
		if first = append(first, at); len(first) >= 2*most+64 { // what is beyond most is not among the first of all
			slices.SortFunc(first, before)
			first = first[:most]
		}
	}
	slices.SortFunc(first, before)
	return first[:min(len(first), most)]
}
