package graph

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"roam-mcp/graphdb/note"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/mirror"
)

// maxNeighbors is how many neighbors get_node shows.
const maxNeighbors = 20

// opened is a call with the mirror of its graph as it is now.
type opened struct {
	surface.Call
	view *mirror.View
}

func open(ctx context.Context, c surface.Call, need mirror.Need) (opened, error) {
	view, err := c.Mirror(ctx, need)
	return opened{c, view}, err
}

// named returns the uid of what an id names: of a page, or of what the mirror does not
// know and may be a block. It is empty where there is nothing.
func (o opened) named(id string) string {
	if uid, _ := o.view.Names().Resolve(id, o.Now(), true); uid != "" {
		return uid
	}
	return blockUID(id)
}

var uidPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{9}$`)

// blockUID returns the uid in an id that has the form of one, bare or as a reference;
// else it is empty.
func blockUID(id string) string {
	id = strings.TrimSpace(id)
	if inside, ok := strings.CutPrefix(id, "(("); ok {
		return strings.TrimSpace(strings.TrimSuffix(inside, "))"))
	}
	if uidPattern.MatchString(id) {
		return id
	}
	return ""
}

// whole shapes a node that is shown by itself, with all that there is to warn of.
func (o opened) whole(n note.Node) nodeResponse {
	e := whole()
	e.skip = o.Args().Number("offset", 0)
	shaped := shape(n, e)
	if page, ok := o.view.Page(n.UID); ok && page.Kind == note.Word && !n.Exists() {
		shaped.Kind = note.Word
	}
	shaped.warn(emptyPages(n)...)
	shaped.warn(o.view.Notices(n.UID)...)
	return shaped
}

// shaped shapes those of some nodes that are there, in the order of their uids; add may
// add to each.
func (o opened) shaped(uids []string, nodes map[string]note.Node, e extent, add func(*nodeResponse, note.Node)) []nodeResponse {
	list := []nodeResponse{}
	for _, uid := range uids {
		n, ok := nodes[uid]
		if !ok || n.Hidden {
			continue
		}
		each := shape(n, e)
		each.warn(o.view.Notices(uid)...)
		if add != nil {
			add(&each, n)
		}
		list = append(list, each)
	}
	return list
}

// null is the answer where there is no such node.
func null() surface.Reply { return surface.Reply{JSON: json.RawMessage("null")} }

// page returns a part of a list, from an offset on.
func page[T any](list []T, offset, limit int) []T {
	list = list[min(offset, len(list)):]
	return list[:min(limit, len(list))]
}

// window returns the arguments offset and limit of a call.
func window(c surface.Call, otherwise int) (offset, limit int) {
	return c.Args().Number("offset", 0), c.Args().Number("limit", otherwise)
}

// getNode answers get_node.
func getNode(ctx context.Context, c surface.Call) (surface.Reply, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	uid := o.named(c.Args().Text("id"))
	if uid == "" {
		return null(), nil
	}
	if c.Args().Number("depth", 0) == 1 {
		return o.withContext(ctx, uid)
	}
	n, ok, err := o.Graph().ReadNote(ctx, uid)
	if err != nil || !ok || n.Hidden {
		return null(), err
	}
	return surface.Reply{JSON: rawjson.Encode(o.whole(n)), Note: o.goesOn(n)}, nil
}

// goesOn says how to read the content of a node on; empty where it was read to its end.
func (o opened) goesOn(n note.Node) string {
	from, all := o.Args().Number("offset", 0), utf8.RuneCountInString(contentOf(n))
	if to := from + wholeContent; to < all {
		return o.World().Say(say("Shown characters %d to %d of %d of the content; call %s with offset %d.", from+1, to, all, task.ReadPage, to))
	}
	return ""
}

// withContext answers get_node with depth 1: the node and its neighbors are read in one
// query, but for a block's.
func (o opened) withContext(ctx context.Context, uid string) (surface.Reply, error) {
	around, err := o.around(ctx, uid, directionBoth)
	if err != nil {
		return surface.Reply{}, err
	}
	near := around.all[:min(len(around.all), maxNeighbors)]
	nodes := around.nodes
	if nodes == nil {
		nodes, err = o.Graph().ReadNotes(ctx, append([]string{uid}, uidsOf(near)...))
	}
	n, ok := nodes[uid]
	if err != nil || !ok || n.Hidden {
		return null(), err
	}
	reply := nodeWithContext{nodeResponse: o.whole(n), IncomingCount: around.in, OutgoingCount: around.out, Neighbors: []nodeResponse{}}
	for _, each := range near {
		if there, ok := nodes[each.uid]; ok && !there.Hidden {
			shaped := shape(there, neighbor())
			shaped.Direction = each.direction
			reply.Neighbors = append(reply.Neighbors, shaped)
		}
	}
	return surface.Reply{JSON: rawjson.Encode(reply), Note: o.goesOn(n)}, nil
}

// getNeighbors answers get_neighbors.
func getNeighbors(ctx context.Context, c surface.Call) (surface.Reply, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	direction := c.Args().Text("direction")
	if direction == "" {
		direction = directionBoth
	}
	around := surroundings{}
	if uid := o.named(c.Args().Text("id")); uid != "" {
		if around, err = o.around(ctx, uid, direction); err != nil {
			return surface.Reply{}, err
		}
	}
	offset, limit := window(c, 20)
	near := page(around.all, offset, limit)
	directions := map[string]string{}
	for _, each := range near {
		directions[each.uid] = each.direction
	}
	nodes := around.nodes
	if nodes == nil {
		if nodes, err = o.Graph().ReadNotes(ctx, uidsOf(near)); err != nil {
			return surface.Reply{}, err
		}
	}
	shaped := o.shaped(uidsOf(near), nodes, listed(), func(r *nodeResponse, n note.Node) { r.Direction = directions[n.UID] })
	return surface.Reply{JSON: rawjson.Encode(shaped), Total: len(around.all)}, nil
}
