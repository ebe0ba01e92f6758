package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// listPages answers list_pages.
func listPages(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("include_journals"), c.Args().Has("limit"), c.Args().Has("offset"))
}

// getPageContent answers get_page_content.
func getPageContent(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("page_name"), c.Args().Has("format"), c.Args().Has("include_properties"), c.Args().Has("include_blocks"), c.Args().Has("block_depth"))
}
