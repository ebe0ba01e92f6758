package outline

import (
	"fmt"

	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// The error codes of the Logseq skill (docs/PROFILES.md, "Errors of outline").
const (
	CodeCapabilityMissing problem.Code = "CAPABILITY_MISSING" // the token, the server or this Roam does not permit it
	CodeNotFound          problem.Code = "NOT_FOUND"          // there is no such page or block
	CodeInvalidInput      problem.Code = "INVALID_INPUT"      // the arguments are wrong
	CodeTimeout           problem.Code = "TIMEOUT"            // it took too long
	CodeInternal          problem.Code = "INTERNAL"           // Roam, or the way to it, failed
)

// fail makes the answer to a call that failed, as the skill's clients expect it.
func fail(e *problem.Error, world problem.World, most int) surface.Failure {
	return surface.Failure{Text: surface.FailureJSON(e, world, most)}
}

// notYet is the error of a tool that is not built yet, whose arguments are named.
func notYet(c surface.Call, _ ...bool) error {
	return &problem.Error{Code: CodeInternal, Message: fmt.Sprintf("%s is not built yet.", c.ToolName()), Retry: problem.RetryNever}
}
