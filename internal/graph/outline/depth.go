package outline

import (
	"slices"

	"roam-mcp/internal/graph/graphdb"
)

// MaxDepth is how many levels of blocks a page may have, in all that makes, moves,
// imports and exports blocks. What is deeper is put on the last level where a whole
// outline is written, and refused where one block is.
const MaxDepth = 200

// levelBelow returns the level of blocks right below a page or block, from 1.
func levelBelow(tx *graphdb.Tx, parent graphdb.EID) (int, error) {
	level := len(tx.Refs(parent, graphdb.BlockParents)) + 1
	if level > MaxDepth {
		return 0, invalid("No block can be below %s: it is on level %d of its page, and a page has at most %d.",
			quoted(tx.String(parent, graphdb.BlockUID)), level-1, MaxDepth)
	}
	return level, nil
}

// checkDepth refuses to put a block with all below it under a parent if the lowest
// would be below MaxDepth.
func checkDepth(tx *graphdb.Tx, e, parent graphdb.EID) error {
	level, err := levelBelow(tx, parent)
	if err != nil {
		return err
	}
	above, below := len(tx.Refs(e, graphdb.BlockParents)), 0
	for _, b := range Subtree(tx, e) {
		below = max(below, len(tx.Refs(b, graphdb.BlockParents))-above)
	}
	if level+below > MaxDepth {
		return invalid("Block %s can't be moved there: what is below it would be on level %d of the page, and a page has at most %d.",
			quoted(tx.String(e, graphdb.BlockUID)), level+below, MaxDepth)
	}
	return nil
}

// flatten returns trees whose topmost blocks are on a level, with those below
// MaxDepth on that level, in order of reading, and the number of the latter.
func flatten(blocks []Block, level int) (flat []Block, moved int) {
	if level == MaxDepth {
		flat = inReadingOrder(nil, blocks)
		return flat, len(flat) - len(blocks)
	}
	flat = slices.Clone(blocks)
	for i := range flat {
		below, n := flatten(flat[i].Children, level+1)
		flat[i].Children, moved = below, moved+n
	}
	return flat, moved
}

// inReadingOrder adds the blocks and all below them, without children.
func inReadingOrder(to, blocks []Block) []Block {
	for _, b := range blocks {
		below := b.Children
		b.Children = nil
		to = inReadingOrder(append(to, b), below)
	}
	return to
}

// height returns the number of levels of trees.
func height(blocks []Block) int {
	most := 0
	for _, b := range blocks {
		most = max(most, 1+height(b.Children))
	}
	return most
}
