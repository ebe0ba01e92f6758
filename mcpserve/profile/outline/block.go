package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// getBlock answers get_block.
func getBlock(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("block_uuid"), c.Args().Has("include_children"), c.Args().Has("depth"))
}
