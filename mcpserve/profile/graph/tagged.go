package graph

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// taggedNode is a node that has some of the tags that were asked for.
type taggedNode struct {
	uid  string
	node int32 // its place in node order
	tags int   // how many of them it has
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
	nodes, err := o.newestFirst(ctx, found)
	if err != nil {
		return surface.Reply{}, err
	}
	offset, limit := window(c, 20)
	uids := []string{}
	for _, each := range page(found, offset, limit) {
		uids = append(uids, each.uid)
	}
	if nodes == nil {
		if nodes, err = o.Graph().ReadNotes(ctx, uids); err != nil {
			return surface.Reply{}, err
		}
	}
	reply := surface.Reply{JSON: rawjson.Encode(o.shaped(uids, nodes, listed(), nil)), Total: len(found), Shows: listings(nodes)}
	if len(found) > maxTimed {
		reply.Note = fmt.Sprintf("Of %d nodes the first %d by title are in the order of their last edits.", len(found), maxTimed)
	}
	return reply, nil
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

const (
	// maxRead is how many nodes one query reads.
	maxRead = 50
	// maxTimed is how many nodes are put in the order of their last edits.
	maxTimed = 500
)

// newestFirst puts nodes that have tags in order: those with more of them first, then
// what was updated last, then in node order. It returns the nodes where it had to read
// them all.
func (o opened) newestFirst(ctx context.Context, found []taggedNode) (map[string]note.Node, error) {
	slices.SortStableFunc(found, func(a, b taggedNode) int { return cmp.Compare(b.tags, a.tags) })
	timed := found[:min(len(found), maxTimed)]
	nodes, times, err := o.times(ctx, timed)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(timed, func(a, b taggedNode) int {
		return cmp.Or(cmp.Compare(b.tags, a.tags), cmp.Compare(times[b.uid], times[a.uid]))
	})
	return nodes, nil
}

// times returns when nodes were updated, in ms since 1970: as the mirror knows it if it has
// texts, else as Roam says. A few nodes are read as they will be shown.
func (o opened) times(ctx context.Context, found []taggedNode) (nodes map[string]note.Node, times map[string]int64, err error) {
	uids := make([]string, len(found))
	for i, each := range found {
		uids[i] = each.uid
	}
	times = map[string]int64{}
	switch {
	case len(found) <= maxRead:
		nodes, err = o.Graph().ReadNotes(ctx, uids)
		for uid, n := range nodes {
			times[uid] = n.UpdatedAt()
		}
	case o.view.DB() != nil:
		for _, uid := range uids {
			n, _ := o.view.Note(uid)
			times[uid] = n.UpdatedAt()
		}
	default:
		times, err = o.Graph().LastEdits(ctx, uids)
	}
	return nodes, times, err
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
				r := rendering(n)
				return showing(o.whole(n, r.Text, 0), n, r, 0), nil
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
