package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// deleteNote answers delete_note.
func deleteNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, errUnderway(c.ToolName())
}
