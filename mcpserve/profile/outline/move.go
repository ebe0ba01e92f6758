package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// moveBlock answers move_block.
func moveBlock(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("block_uuid"), c.Args().Has("target_parent_uuid"), c.Args().Has("target_page_name"), c.Args().Has("position"), c.Args().Has("sibling_block_uuid"))
}
