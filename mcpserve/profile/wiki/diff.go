package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// diffNoteVersions answers diff_note_versions.
func diffNoteVersions(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_, _ = a.Has("from_version"), a.Has("to_version")
	return surface.Reply{}, errUnderway(c.ToolName())
}
