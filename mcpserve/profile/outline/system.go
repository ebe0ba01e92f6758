package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// ping answers ping.
func ping(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c)
}

// getCapabilities answers get_capabilities.
func getCapabilities(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c)
}
