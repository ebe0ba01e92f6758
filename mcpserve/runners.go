package mcpserve

import (
	"context"
	"encoding/json"

	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// runner runs a tool whose task is the server's own.
type runner func(ctx context.Context, c *call) (json.RawMessage, error)

// runners returns the tasks of the server itself.
func runners() map[problem.Task]runner {
	return map[problem.Task]runner{
		task.ListGraphs:     listGraphs,
		task.SelectGraph:    selectGraph,
		task.CurrentGraph:   currentGraph,
		task.ReadGuidelines: readGuidelines,
		task.SetUpGraph:     setUpGraph,
	}
}
