package surface

import (
	"context"
	"time"

	"roam-mcp/mcpserve/ops"
	"roam-mcp/problem"
)

// Call is one call of a tool, or one reading of a resource, as its handler sees
// it: checked arguments, and the graph it works on.
type Call interface {
	Args() Arguments
	// ToolName returns the name of the tool that is called.
	ToolName() string
	// Graph returns the graph that the call works on. Its operations tell the client
	// that they wait, and open Roam where they may.
	Graph() *ops.Graph
	// World says hints with the names of the tools that are offered now.
	World() problem.World
	Now() time.Time
	// MaxReply is how many bytes a reply may have.
	MaxReply() int
	// Guidelines reads the graph's guidelines; empty where it has none.
	Guidelines(ctx context.Context) (string, error)
}
