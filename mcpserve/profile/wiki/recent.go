package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// recentNotes answers recent_notes.
func recentNotes(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_ = a.Has("since")
	return surface.Reply{}, errUnderway(c.ToolName())
}
