package outline

import (
	"fmt"

	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// notYet is the error of a tool that is not built yet, whose arguments are named.
func notYet(c surface.Call, _ ...bool) error {
	return &problem.Error{Code: CodeInternal, Message: fmt.Sprintf("%s is not built yet.", c.ToolName()), Retry: problem.RetryNever}
}
