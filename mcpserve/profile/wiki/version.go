package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// getNoteVersion answers get_note_version.
func getNoteVersion(ctx context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, errUnderway(c.ToolName())
}
