package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// restoreNoteVersion answers restore_note_version.
func restoreNoteVersion(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_ = a.Has("version")
	return surface.Reply{}, errUnderway(c.ToolName())
}
