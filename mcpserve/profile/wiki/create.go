package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// createNote answers create_note.
func createNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_, _, _, _ = a.Has("path"), a.Has("title"), a.Has("content"), a.Has("tags")
	return surface.Reply{}, errUnderway(c.ToolName())
}
