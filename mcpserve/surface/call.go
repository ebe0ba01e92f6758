package surface

import (
	"context"
	"encoding/json"
	"time"

	"roam-mcp/problem"
)

// Call is one call of a tool, or one reading of a resource, as its handler sees
// it: checked arguments, and the graph it works on.
type Call interface {
	Args() Arguments
	// Ask runs an action that only reads, on the graph that the call works on.
	Ask(ctx context.Context, action string, args ...any) (json.RawMessage, error)
	// World says hints with the names of the tools that are offered now.
	World() problem.World
	Now() time.Time
	// MaxReply is how many bytes a reply may have.
	MaxReply() int
	// Guidelines reads the graph's guidelines; empty where it has none.
	Guidelines(ctx context.Context) (string, error)
}
