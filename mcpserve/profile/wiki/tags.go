package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// listTags answers list_tags.
func listTags(ctx context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, errUnderway(c.ToolName())
}
