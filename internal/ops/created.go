package ops

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// Created describes a creation that was done.
type Created struct {
	// Reply is Roam's, with the blocks that were made as markdown where Roam's uids do
	// not name them all; nil where an old build sends none.
	Reply   rawjson.Object
	Warning problem.Hint // what was not done as the call wanted it
}

// createdBlock is a block that was created, as createdPattern pulls it.
type createdBlock struct {
	UID      string         `json:"uid"`
	Text     string         `json:"string"`
	Heading  int            `json:"heading"`
	Order    int            `json:"order"`
	In       []createdBlock `json:"_children"` // what it is directly below; with uid and text alone
	Children []createdBlock `json:"children"`  // in any order, unless sorted
}

// shownBlock is one of the blocks that were created, in reading order.
type shownBlock struct {
	createdBlock
	depth int
}

const createdPattern = `[[:block/uid :as "uid"] [:block/string :as "string"] [:block/heading :as "heading"] [:block/order :as "order"] ` +
	`{[:block/_children :as "_children"] [[:block/uid :as "uid"] [:block/string :as "string"]]} {[:block/children :as "children" :limit nil] ...}]`

func appendShown(blocks []shownBlock, b createdBlock, depth int) []shownBlock {
	blocks = append(blocks, shownBlock{b, depth})
	for _, child := range b.Children {
		blocks = appendShown(blocks, child, depth+1)
	}
	return blocks
}

// glance runs a query once, for the reply to a write that was done.
func (g *core) glance(ctx context.Context, into any, query string, inputs ...any) error {
	ctx, cancel := context.WithTimeout(ctx, g.operations.options.LookTimeout)
	defer cancel()
	reply, err := g.caller.Look(ctx, plainQuery, append([]any{query}, inputs...)...)
	if err != nil {
		return err
	}
	return decodePulled(reply.Result, into)
}

// markdownOf returns blocks as a read shows them, texts cut short.
func markdownOf(blocks []shownBlock) string {
	var out strings.Builder
	for _, b := range blocks {
		out.WriteString(strings.Repeat("  ", b.depth) + Line(b.UID, b.Text) + "\n")
	}
	return out.String()
}

// uidsIn returns the uids of a reply, those of the topmost new blocks.
func uidsIn(reply rawjson.Object) []string {
	var uids []string
	_ = json.Unmarshal(reply.Get("uids"), &uids) // none where it is no list of texts
	return uids
}

// madeIn returns the uids of the topmost blocks that a reply names, and whether it names all.
func madeIn(reply json.RawMessage) (uids []string, told bool) {
	object := rawjson.Parse(reply)
	uids = uidsIn(object)
	return uids, object.Get("uids") != nil && !slices.Contains(uids, "")
}
