package mcpserve

import (
	"context"
	"errors"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
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
	CodeReadOnly         problem.Code = "READ_ONLY"
	CodeWritesPaused     problem.Code = "WRITES_PAUSED"
	CodeToolNotOffered   problem.Code = "TOOL_NOT_OFFERED"
	CodeUnknownProfile   problem.Code = "UNKNOWN_PROFILE"
)

// explained makes any error fit to be answered. Errors of this program keep
// their code and their sentences; what nobody has explained is named an internal
// error, with a line of its text.
func explained(err error) *problem.Error {
	if e, ok := problem.As(err); ok {
		if e.Call != nil && e.Retry == problem.RetryUnknown {
			return explainRoam(e)
		}
		return e
	}
	if errors.Is(err, context.Canceled) {
		return &problem.Error{Code: localapi.CodeCancelled, Message: "The call was cancelled.", Err: err}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &problem.Error{Code: localapi.CodeTimeout, Message: "No answer came in time.", Retry: problem.RetryLater, Err: err}
	}
	return &problem.Error{Code: localapi.CodeInternal, Message: "roam-mcp failed: " + safetext.Redact(safetext.Line(err.Error(), 300)), Err: err}
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
