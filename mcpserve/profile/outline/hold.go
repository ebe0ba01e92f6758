package outline

import (
	"context"

	"roam-mcp/internal/graph/note"
	"roam-mcp/mcpserve/surface"
)

// pageToWrite reads the page that a call is to change, and holds it: until release is
// called, other calls that change it wait, also those of other servers. If it returns an
// error nothing is held.
func pageToWrite(ctx context.Context, c surface.Call) (page note.Node, release func(), err error) {
	name := c.Args().Text(paramPage)
	found, err := findPage(ctx, c, name)
	if err != nil {
		return note.Node{}, nil, err
	}
	page, there, release, err := c.Graph().HoldNote(ctx, found.whole)
	if err == nil && !there {
		err = pageMissing(ctx, c, barePage(name))
	}
	return page, release, err
}

// blockToWrite reads the block that a call is to change, as readBlock does, and holds its
// page. If it returns an error nothing is held.
func blockToWrite(ctx context.Context, c surface.Call) (block note.Node, release func(), err error) {
	if block, err = readBlock(ctx, c); err != nil {
		return note.Node{}, nil, err
	}
	block, there, release, err := c.Graph().HoldNote(ctx, block)
	switch {
	case err != nil:
		return note.Node{}, nil, err
	case !there:
		return note.Node{}, nil, blockMissing(c.Args().Text(paramBlock))
	case block.Hidden:
		release()
		return note.Node{}, nil, blockMissing(c.Args().Text(paramBlock))
	}
	return block, release, nil
}
