package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// editNote answers edit_note.
func editNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_, _, _, _, _ = a.Has("append"), a.Has("prepend"), a.Has("find"), a.Has("replace"), a.Has("all")
	return surface.Reply{}, errUnderway(c.ToolName())
}
