package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
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
	answers, err := o.answering(ctx, c.Args().Text("query"), offset+limit+1, c.Args().Float("threshold", 0))
	if err != nil {
		return surface.Reply{}, err
	}
	scores := map[string]foundNode{}
	uids := []string{}
	for _, each := range page(answers, offset, limit) {
		scores[each.uid] = each
		uids = append(uids, each.uid)
	}
	nodes, err := o.Graph().ReadNotes(ctx, uids)
	if err != nil {
		return surface.Reply{}, err
	}
	shown := o.shaped(uids, nodes, found(), func(r *nodeResponse, n note.Node) {
		score := rounded(scores[n.UID].score, 4)
		r.Score, r.Match = &score, matchIn(n, scores[n.UID].block)
		if r.Match != nil {
			r.Content = surface.CutCharacters(contentOf(n), foundContent)
		}
		if all := len(r.Tags); all > foundTags {
			r.Tags = r.Tags[:foundTags]
			r.warn(fmt.Sprintf("Only the first %d of %d tags are listed", foundTags, all))
		}
	})
	return surface.Reply{JSON: rawjson.Encode(shown), Total: len(answers), Shows: listings(nodes)}, nil
}

// What search ranks by: words, and meaning beside them.
const (
	wordsWeight, meaningWeight = 0.8, 0.2

	// partWeight is the score that a node can have which lacks a part of the question.
	partWeight = 0.5

	// usualScore is the score by words of what has a good part of a question.
	usualScore = 5.0
	// rankedNodes is how many nodes are ranked at least, so that pages of one list agree.
	rankedNodes = 200
)

// answering returns the nodes that answer a question best, by its words, and by meaning
// beside them, most at most. Where it wants no words, meaning alone counts.
func (o opened) answering(ctx context.Context, text string, most int, threshold float64) ([]foundNode, error) {
	ranked := rankedNodes
	for ranked < most {
		ranked *= 2
	}
	meant, err := o.meant(ctx, text, ranked)
	if err != nil {
		return nil, err
	}
	likely, err := o.view.Rank(ctx, text)
	if err != nil {
		return nil, err
	}
	if len(likely) > 0 {
		meant = added(meant, likely, func(uid string) bool { _, ok := o.view.NodeOf(uid); return ok })
	}
	meant = slices.DeleteFunc(meant, func(n foundNode) bool { return n.score <= 0 || n.score < threshold })
	return meant[:min(len(meant), most)], nil
}

// added returns nodes that were found by meaning or by words, best first.
func added(meant []foundNode, likely []mirror.RankedPage, isNode func(uid string) bool) []foundNode {
	nodes, at := make([]foundNode, 0, len(meant)+len(likely)), map[string]int{}
	for _, page := range likely {
		if !isNode(page.UID) {
			continue
		}
		n := foundNode{uid: page.UID, score: scoreByWords(page), block: page.Block}
		at[n.uid] = len(nodes)
		nodes = append(nodes, n)
	}
	for _, n := range meant {
		n.score = partWeight * meaningWeight * min(1, max(0, n.score))
		if i, ok := at[n.uid]; ok {
			nodes[i].score += n.score
			continue
		}
		nodes = append(nodes, n)
	}
	slices.SortStableFunc(nodes, func(a, b foundNode) int { return cmp.Compare(b.score, a.score) })
	return nodes
}

// scoreByWords returns the score of a page from 0 to 1: over one half where all is there.
func scoreByWords(page mirror.RankedPage) float64 {
	score := partWeight * wordsWeight * page.Score / (page.Score + usualScore)
	if page.Whole {
		score += 1 - partWeight
	}
	return score
}

// meant returns the nodes that are nearest to a text in meaning, best first, most at
// most. The score of a node is that of its title or of its best block, whichever is
// greater.
func (o opened) meant(ctx context.Context, text string, most int) ([]foundNode, error) {
	for ask := 8 * most; ; ask *= 4 {
		scored, err := o.view.Search(ctx, text, outline.ScopeAll, ask)
		if err != nil {
			return nil, err
		}
		nodes := []foundNode{}
		seen := map[string]bool{}
		for _, each := range scored {
			node, block := o.placeOf(each.E)
			if _, ok := o.view.NodeOf(node); !ok || seen[node] {
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
