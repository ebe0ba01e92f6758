package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// updateNote answers update_note.
func updateNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_, _, _, _ = a.Has("new_path"), a.Has("add_tags"), a.Has("remove_tags"), a.Has("update_backlinks")
	return surface.Reply{}, errUnderway(c.ToolName())
}
