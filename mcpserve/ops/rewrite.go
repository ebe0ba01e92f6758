package ops

import (
	"context"
	"errors"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
)

// Rewritten says what a Rewrite has done.
type Rewritten struct {
	Updated, Inserted, Moved, Deleted int // numbers of blocks
	// Referred are blocks that refer to some that were deleted, MaxReferring at most.
	Referred []Referring
}

// Rewrite makes what is below a page or block equal to want, and keeps the uids of the
// blocks that stay. fresh is a read of it right before. Hidden blocks stay where they
// are, and so do the direct children that keep is true of; want has neither.
func (g *Graph) Rewrite(ctx context.Context, fresh note.Node, want []outline.Block, keep func(note.Node) bool) (Rewritten, error) {
	return Rewritten{}, errors.New("ops: Rewrite is not there yet")
}

// SetProperty sets the line "name:: value" that is a direct child of a page or block;
// the value "" removes it. fresh is a read of it right before.
func (g *Graph) SetProperty(ctx context.Context, fresh note.Node, name, value string) error {
	return errors.New("ops: SetProperty is not there yet")
}
