package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/problem"
)

// Created is what is known of a creation that was done.
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
	Order    int            `json:"order"`
	Children []createdBlock `json:"children"`
}

// shownBlock is one of the blocks that were created, in reading order.
type shownBlock struct {
	createdBlock
	depth int
}

const createdPattern = `[:block/uid :block/string :block/order {[:block/children :limit nil] ...}]`

// createdBelow asks for the blocks with these uids and all below them, in the order
// of the uids; nothing where that can't be had. It is one query, and made once: a
// creation is done whether its blocks can be named or not.
func (g *Graph) createdBelow(ctx context.Context, uids []string) []shownBlock {
	var rows [][]createdBlock
	if len(uids) == 0 || g.glance(ctx, &rows, `[:find (pull ?e `+createdPattern+`) :in $ [?u ...] :where [?e :block/uid ?u]]`, uids) != nil {
		return nil
	}
	byUID := map[string]createdBlock{}
	for _, row := range rows {
		for _, each := range row {
			byUID[each.UID] = each
		}
	}
	var blocks []shownBlock
	for _, uid := range uids {
		if each, ok := byUID[uid]; ok {
			blocks = appendShown(blocks, each, 0)
		}
	}
	return blocks
}

// createdOn asks for all blocks of a page, as createdBelow does.
func (g *Graph) createdOn(ctx context.Context, pageUID string) []shownBlock {
	var rows [][]createdBlock
	if g.glance(ctx, &rows, `[:find (pull ?e `+createdPattern+`) :in $ ?u :where [?e :block/uid ?u]]`, pageUID) != nil || len(rows) != 1 || len(rows[0]) != 1 {
		return nil
	}
	var blocks []shownBlock
	for _, each := range inOrder(rows[0][0].Children) {
		blocks = appendShown(blocks, each, 0)
	}
	return blocks
}

func appendShown(blocks []shownBlock, b createdBlock, depth int) []shownBlock {
	blocks = append(blocks, shownBlock{b, depth})
	for _, child := range inOrder(b.Children) {
		blocks = appendShown(blocks, child, depth+1)
	}
	return blocks
}

func inOrder(blocks []createdBlock) []createdBlock {
	return slices.SortedFunc(slices.Values(blocks), func(a, b createdBlock) int { return cmp.Compare(a.Order, b.Order) })
}

// glance runs a query once, for the reply to a write that was done.
func (g *Graph) glance(ctx context.Context, into any, query string, inputs ...any) error {
	ctx, cancel := context.WithTimeout(ctx, g.operations.options.LookTimeout)
	defer cancel()
	reply, err := g.caller.Look(ctx, plainQuery, append([]any{query}, inputs...)...)
	if err != nil {
		return err
	}
	return json.Unmarshal(reply.Result, into)
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

// tellsAll reports whether the uids of the topmost blocks are those of all that
// markdown made: each block takes a line at least.
func tellsAll(uids []string, markdown string) bool {
	lines := 0
	for line := range strings.Lines(markdown) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	return lines <= len(uids)
}
