package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
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
// know and may be a block. It is empty where there is nothing. A uid means itself, also
// that of a block which another page has as its title.
func (o opened) named(ctx context.Context, id string) (string, error) {
	m := o.view.Names().Resolve(id, o.Now(), true)
	uid := blockUID(id)
	switch {
	case m.Several:
		return "", severalNodes(id, m.Candidates)
	case m.UID == "":
		return uid, nil
	case m.UID == uid || !ops.LooksLikeUID(uid):
		return m.UID, nil
	}
	found, err := o.Graph().ReadTexts(ctx, []string{uid})
	if _, isBlock := found[uid]; isBlock {
		return uid, err
	}
	return m.UID, err
}

// blockUID returns the uid in an id that has the form of one, bare, as a reference or in
// an address; else it is empty.
func blockUID(id string) string {
	id = strings.TrimSpace(id)
	if ops.LooksLikeUID(id) {
		return id
	}
	return note.ParseName(id, time.Time{}).Reference()
}

// whole shapes a node that is shown by itself from a character on, with all that there is
// to warn of. Its links, and warnings of them, stand in the first part alone.
func (o opened) whole(n note.Node, content string, from int) nodeResponse {
	shaped := shapeWith(n, content, whole())
	if page, ok := o.view.Page(n.UID); ok && page.Kind == note.Word && !n.Exists() {
		shaped.Kind = note.Word
	}
	if shaped.warn(emptyPages(n)...); from > 0 {
		shaped.Links, shaped.Warnings = []linkInfo{}, nil
	}
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

// missing is the answer to an id of which there is no node. It names titles that may be
// meant.
func (o opened) missing(id string) surface.Reply {
	reply := null()
	var near []string
	for _, title := range o.view.Names().Resolve(id, o.Now(), true).Candidates {
		near = append(near, textsafe.Quote(title))
	}
	if len(near) > 0 {
		reply.Note = fmt.Sprintf("There is no node %s. Near: %s.", textsafe.Quote(id), strings.Join(near, ", "))
	}
	return reply
}

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
	uid, err := o.named(ctx, c.Args().Text("id"))
	if err != nil || uid == "" {
		return o.missing(c.Args().Text("id")), err
	}
	if c.Args().Number("depth", 0) == 1 {
		return o.withContext(ctx, uid)
	}
	n, ok, err := o.Graph().ReadNote(ctx, uid)
	if err != nil || !ok || n.Hidden {
		return o.missing(c.Args().Text("id")), err
	}
	r, from := rendering(n), o.Args().Number("offset", 0)
	shown := showing(o.whole(n, r.Text, from), n, r, from)
	shown.Note = laterPart(n, from)
	return shown, nil
}

// laterPart says of a part of a node that is not its first where the links stand; empty
// where there is nothing to say.
func laterPart(n note.Node, from int) string {
	if from == 0 || len(note.Links(n)) == 0 {
		return ""
	}
	return "The links stand in the first part."
}

// showing replies with a node of which a part of the content is shown, from a character on.
func showing(shaped any, n note.Node, r note.Rendering, from int) surface.Reply {
	reply := surface.Reply{JSON: rawjson.Encode(shaped), Passage: &surface.Passage{Field: "content", Text: r.Text, From: from, Most: wholeContent, Reads: problem.ReadPage}}
	if n.IsPage() {
		shows := listing(n)
		shows.Render, shows.From = func() note.Rendering { return r }, from
		reply.Shows = []surface.Showing{shows}
	}
	return reply
}

// listing is what a list shows of a page.
func listing(n note.Node) surface.Showing {
	now := current(n)
	return surface.Showing{Node: n, Content: now.Content, Lists: now.Lists}
}

// listings are what a list shows of nodes.
func listings(nodes map[string]note.Node) []surface.Showing {
	var shows []surface.Showing
	for _, n := range nodes {
		if n.IsPage() && !n.Hidden {
			shows = append(shows, listing(n))
		}
	}
	return shows
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
		return o.missing(o.Args().Text("id")), err
	}
	r, from := rendering(n), o.Args().Number("offset", 0)
	reply := nodeWithContext{nodeResponse: o.whole(n, r.Text, from), IncomingCount: around.in, OutgoingCount: around.out, Neighbors: []nodeResponse{}}
	for _, each := range near {
		if there, ok := nodes[each.uid]; ok && !there.Hidden {
			shaped := shape(there, neighbor())
			shaped.Direction = each.direction
			reply.Neighbors = append(reply.Neighbors, shaped)
		}
	}
	delete(nodes, uid)
	shown := showing(reply, n, r, from)
	shown.Note = laterPart(n, from)
	shown.Shows = append(shown.Shows, listings(nodes)...)
	return shown, nil
}

// getNeighbors answers get_neighbors.
func getNeighbors(ctx context.Context, c surface.Call) (surface.Reply, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	direction := cmp.Or(c.Args().Text("direction"), directionBoth)
	around := surroundings{}
	uid, err := o.named(ctx, c.Args().Text("id"))
	if err != nil {
		return surface.Reply{}, err
	}
	if uid != "" {
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
	return surface.Reply{JSON: rawjson.Encode(shaped), Total: len(around.all), Shows: listings(nodes)}, nil
}
