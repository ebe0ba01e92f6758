package graph

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"roam-mcp/graphdb/note"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mirror"
)

// maxRead is how many nodes one query reads.
const maxRead = 50

// taggedNode is a node that has some of the tags that were asked for.
type taggedNode struct {
	uid  string
	node int32 // its place in node order
	tags int   // how many of them it has
	time int64 // when it was updated; 0: unknown
}

// searchByTags answers search_by_tags.
func searchByTags(ctx context.Context, c surface.Call) (surface.Reply, error) {
	keys := keysOf(c.Args().List("tags"))
	if len(keys) == 0 {
		return surface.Reply{}, surface.Invalid(c.ToolName(), "tags is a list without a tag; it takes at least one.")
	}
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	found := o.tagged(keys)
	if c.Args().Text("mode") == modeAll {
		found = slices.DeleteFunc(found, func(t taggedNode) bool { return t.tags < len(keys) })
	}
	offset, limit := window(c, 20)
	shown, err := o.newestFirst(ctx, found, offset, limit)
	if err != nil {
		return surface.Reply{}, err
	}
	return surface.Reply{JSON: rawjson.Encode(shown), Total: len(found)}, nil
}

// keysOf returns the keys of tags, each once.
func keysOf(tags []string) []string {
	distinct, _ := distinctTags(tags)
	keys := make([]string, len(distinct))
	for i, tag := range distinct {
		keys[i] = note.Key(tag)
	}
	return keys
}

// tagged returns the nodes that have at least one of some tags, in node order.
func (o opened) tagged(keys []string) []taggedNode {
	counts := map[int32]int{}
	for _, key := range keys {
		for _, page := range o.view.Tagged(key) {
			if at, ok := o.view.NodeOf(page.UID); ok {
				counts[at]++
			}
		}
	}
	var found []taggedNode
	for at, n := range counts {
		found = append(found, taggedNode{uid: o.view.PageAt(at).UID, node: at, tags: n})
	}
	slices.SortFunc(found, func(a, b taggedNode) int { return cmp.Compare(a.node, b.node) })
	return found
}

// newestFirst shows a part of the nodes that have tags: those with more of them first,
// then what was updated last, then in node order. Where they are more than one query
// reads, another one asks for the times.
func (o opened) newestFirst(ctx context.Context, found []taggedNode, offset, limit int) ([]nodeResponse, error) {
	uids := make([]string, len(found))
	for i, each := range found {
		uids[i] = each.uid
	}
	times := map[string]int64{}
	var nodes map[string]note.Node
	var err error
	if len(found) <= maxRead {
		nodes, err = o.Graph().ReadNotes(ctx, uids)
		for uid, n := range nodes {
			times[uid] = n.UpdatedAt()
		}
	} else {
		times, err = o.Graph().LastEdits(ctx, uids)
	}
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].time = times[found[i].uid]
	}
	slices.SortFunc(found, func(a, b taggedNode) int {
		return cmp.Or(cmp.Compare(b.tags, a.tags), cmp.Compare(b.time, a.time), cmp.Compare(a.node, b.node))
	})
	part := []string{}
	for _, each := range page(found, offset, limit) {
		part = append(part, each.uid)
	}
	if nodes == nil {
		if nodes, err = o.Graph().ReadNotes(ctx, part); err != nil {
			return nil, err
		}
	}
	return o.shaped(part, nodes, listed(), nil), nil
}

// drawn is how many nodes are drawn and read at a time, since some are empty.
const drawn = 10

// randomNode answers random_node.
func randomNode(ctx context.Context, c surface.Call) (surface.Reply, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	for uids := range slices.Chunk(o.shuffled(c), drawn) {
		nodes, err := o.Graph().ReadNotes(ctx, uids)
		if err != nil {
			return surface.Reply{}, err
		}
		for _, uid := range uids {
			if n, ok := nodes[uid]; ok && n.Exists() {
				return surface.Reply{JSON: rawjson.Encode(o.whole(n))}, nil
			}
		}
	}
	return null(), nil
}

// shuffled returns the uids that random_node draws from, in the order in which they are
// drawn.
func (o opened) shuffled(c surface.Call) []string {
	var uids []string
	if tags := c.Args().List("tags"); len(tags) > 0 {
		for _, each := range o.tagged(keysOf(tags)) {
			uids = append(uids, each.uid)
		}
	} else {
		for at := range o.view.Links().Len() {
			uids = append(uids, o.view.PageAt(int32(at)).UID)
		}
	}
	rand.Shuffle(len(uids), func(i, j int) { uids[i], uids[j] = uids[j], uids[i] })
	return uids
}
