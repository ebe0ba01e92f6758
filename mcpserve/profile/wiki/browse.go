package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// browse answers browse.
func browse(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_ = a.Has("offset")
	return surface.Reply{}, errUnderway(c.ToolName())
}
