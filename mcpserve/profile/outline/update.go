package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// updatePage answers update_page.
func updatePage(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("page_name"), c.Args().Has("content_append"), c.Args().Has("properties"))
}

// updateBlock answers update_block.
func updateBlock(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("block_uuid"), c.Args().Has("content"), c.Args().Has("properties"), c.Args().Has("replace_content"))
}
