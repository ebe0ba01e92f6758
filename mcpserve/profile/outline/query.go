package outline

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// datascriptQuery answers datascript_query.
func datascriptQuery(_ context.Context, c surface.Call) (surface.Reply, error) {
	return surface.Reply{}, notYet(c, c.Args().Has("query"), c.Args().Has("inputs"), c.Args().Has("limit"), c.Args().Has("timeout_ms"))
}
