package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// getBacklinks answers get_backlinks.
func getBacklinks(ctx context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, errUnderway(c.ToolName())
}
