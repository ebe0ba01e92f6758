package mcpserve

import (
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// Explained makes any error fit to be answered.
func Explained(err error) *problem.Error {
	e := ops.Explained(err)
	if e.Call != nil && e.Retry == problem.RetryUnknown {
		return ExplainRoam(e)
	}
	return e
}

// ExplainRoam returns a copy of an error of Roam's that says whether the same
// call can succeed later.
func ExplainRoam(roam *problem.Error) *problem.Error {
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
