package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// getNote answers get_note.
func getNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_ = a.Has("line")
	return surface.Reply{}, errUnderway(c.ToolName())
}
