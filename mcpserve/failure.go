package mcpserve

import (
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// The codes of this package's own errors (TOOLS.md, "Errors of our own"). Roam's
// come as they are, those of other packages too.
const (
	CodeGraphNotSelected problem.Code = "GRAPH_NOT_SELECTED"
	CodeGraphDisabled    problem.Code = "GRAPH_DISABLED"
	CodeTicketRequired   problem.Code = "TICKET_REQUIRED"
	CodeTicketWrongGraph problem.Code = "TICKET_WRONG_GRAPH"
	CodeTicketStale      problem.Code = "TICKET_STALE"
	CodeReadOnly                      = surface.CodeReadOnly
	CodeWritesPaused                  = surface.CodeWritesPaused
	CodeToolNotOffered                = surface.CodeToolNotOffered
	CodeUnknownProfile   problem.Code = "UNKNOWN_PROFILE"
)

// explained makes any error fit to be answered.
func explained(err error) *problem.Error {
	e := ops.Explained(err)
	if e.Call != nil && e.Retry == problem.RetryUnknown {
		return explainRoam(e)
	}
	return e
}

// explainRoam returns a copy of an error of Roam's that says whether the same
// call can succeed later.
func explainRoam(roam *problem.Error) *problem.Error {
	e := *roam
	if e.Message == "" {
		e.Message = "The call failed."
	}
	e.Retry = problem.RetryNever
	switch e.Code {
	case localapi.CodeConnectionFailed, localapi.CodeTimeout, localapi.CodeRateLimited, localapi.CodeWindowClosed,
		localapi.CodeRequestInProgress, "PEER_NOT_READY":
		e.Retry = problem.RetryLater
	case localapi.CodeCancelled:
		e.Retry = problem.RetryUnknown
	}
	return &e
}
