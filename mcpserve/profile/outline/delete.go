package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// deletePage answers delete_page.
func deletePage(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("page_name"), c.Args().Has("force"))
}

// deleteBlock answers delete_block.
func deleteBlock(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("block_uuid"), c.Args().Has("recursive"))
}
