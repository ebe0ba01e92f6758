package graph

import (
	"context"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mirror"
)

// foundNode is a node that search found.
type foundNode struct {
	uid   string
	score float64
	block string // uid of the block for which it was found; empty: its title
}

// searchAgain is how many times search asks for more pages and blocks than before,
// where many of them are of few nodes.
const searchAgain = 4

// search answers search.
func search(ctx context.Context, c surface.Call) (surface.Reply, error) {
	o, err := open(ctx, c, mirror.Texts)
	if err != nil {
		return surface.Reply{}, err
	}
	offset, limit := window(c, 10)
	found, err := o.meant(ctx, c.Args().Text("query"), offset+limit+1, c.Args().Float("threshold", 0))
	if err != nil {
		return surface.Reply{}, err
	}
	scores := map[string]foundNode{}
	uids := []string{}
	for _, each := range page(found, offset, limit) {
		scores[each.uid] = each
		uids = append(uids, each.uid)
	}
	nodes, err := o.Graph().ReadNotes(ctx, uids)
	if err != nil {
		return surface.Reply{}, err
	}
	shown := o.shaped(uids, nodes, listed(), func(r *nodeResponse, n note.Node) {
		score := rounded(scores[n.UID].score, 4)
		r.Score, r.Match = &score, matchIn(n, scores[n.UID].block)
	})
	return surface.Reply{JSON: rawjson.Encode(shown), Total: len(found), Shows: listings(nodes)}, nil
}

// meant returns the nodes that are nearest to a text in meaning, best first, most at
// most. The score of a node is that of its title or of its best block, whichever is
// greater.
func (o opened) meant(ctx context.Context, text string, most int, threshold float64) ([]foundNode, error) {
	for ask := 8 * most; ; ask *= 4 {
		scored, err := o.view.Search(ctx, text, outline.ScopeAll, ask)
		if err != nil {
			return nil, err
		}
		nodes := []foundNode{}
		seen := map[string]bool{}
		for _, each := range scored {
			node, block := o.placeOf(each.E)
			if _, ok := o.view.NodeOf(node); !ok || each.Score < threshold || seen[node] {
				continue
			}
			seen[node] = true
			nodes = append(nodes, foundNode{node, each.Score, block})
		}
		if len(nodes) >= most || len(scored) < ask || ask > 8*most*searchAgain*searchAgain {
			return nodes[:min(len(nodes), most)], nil
		}
	}
}

// placeOf returns the uid of the page that an entity of the mirror is or is on, and that
// of the block that it is, empty where it is the page.
func (o opened) placeOf(e graphdb.EID) (page, block string) {
	db := o.view.DB()
	uid := db.String(e, graphdb.BlockUID)
	above := outline.Ancestors(db, e)
	if len(above) == 0 {
		return uid, ""
	}
	return db.String(above[0], graphdb.BlockUID), uid
}

// matchIn returns the block of a page with a uid, as it reads now; nil where it is not
// there.
func matchIn(n note.Node, uid string) *match {
	block, ok := blockIn(n.Visible().Children, uid)
	if !ok {
		return nil
	}
	block.Children = nil
	return &match{uid, surface.CutCharacters(contentOf(block), matchContent)}
}

func blockIn(nodes []note.Node, uid string) (note.Node, bool) {
	for _, each := range nodes {
		if each.UID == uid {
			return each, true
		}
		if found, ok := blockIn(each.Children, uid); ok {
			return found, true
		}
	}
	return note.Node{}, false
}
