package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// search answers search.
func search(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("query"), c.Args().Has("limit"), c.Args().Has("include_blocks"), c.Args().Has("include_pages"), c.Args().Has("include_files"))
}
