package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// getNoteHistory answers get_note_history.
func getNoteHistory(ctx context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, errUnderway(c.ToolName())
}
