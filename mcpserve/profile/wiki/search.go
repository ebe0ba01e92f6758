package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// searchNotes answers search_notes.
func searchNotes(ctx context.Context, c surface.Call) (surface.Reply, error) {
	a := c.Args()
	_, _, _ = a.Has("query"), a.Has("limit"), a.Has("cursor")
	return surface.Reply{}, errUnderway(c.ToolName())
}
