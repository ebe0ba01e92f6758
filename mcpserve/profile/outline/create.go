package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// createPage answers create_page.
func createPage(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("title"), c.Args().Has("content"), c.Args().Has("properties"), c.Args().Has("create_first_block"))
}

// createBlock answers create_block.
func createBlock(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("parent_block_uuid"), c.Args().Has("page_name"), c.Args().Has("content"), c.Args().Has("position"), c.Args().Has("sibling_block_uuid"), c.Args().Has("properties"))
}
