package localapi

import (
	"fmt"

	"roam-mcp/problem"
)

// The codes of failed calls. Roam's are an open set: unknown ones pass through as
// they came. LOCAL_API.md 6.2 lists those that Roam sends; the ones marked "ours"
// are made here, from the status, the text or the connection.
const (
	CodeVersionMismatch        problem.Code = "VERSION_MISMATCH"
	CodeValidation             problem.Code = "VALIDATION_ERROR"
	CodeMissingToken           problem.Code = "MISSING_TOKEN"
	CodeInvalidTokenFormat     problem.Code = "INVALID_TOKEN_FORMAT"
	CodeWrongGraphType         problem.Code = "WRONG_GRAPH_TYPE"
	CodeTokenNotFound          problem.Code = "TOKEN_NOT_FOUND"
	CodeInsufficientScope      problem.Code = "INSUFFICIENT_SCOPE"
	CodeScopeExceedsPermission problem.Code = "SCOPE_EXCEEDS_PERMISSION"
	CodeUserRejected           problem.Code = "USER_REJECTED"
	CodeGraphBlocked           problem.Code = "GRAPH_BLOCKED"
	CodeTimeout                problem.Code = "TIMEOUT"
	CodeRequestInProgress      problem.Code = "REQUEST_IN_PROGRESS"
	CodeCancelled              problem.Code = "CANCELLED"
	CodeUnknownAction          problem.Code = "UNKNOWN_ACTION"
	CodeInternal               problem.Code = "INTERNAL_ERROR"
	CodeTokenFileCorrupted     problem.Code = "TOKEN_FILE_CORRUPTED"

	CodeConnectionFailed problem.Code = "CONNECTION_FAILED"  // ours: nothing answers, or the connection broke
	CodeNotRoam          problem.Code = "NOT_ROAM"           // ours: something answers that is not Roam
	CodeInvalidReply     problem.Code = "INVALID_REPLY"      // ours: a reply that can't be understood
	CodeDisabled         problem.Code = "LOCAL_API_DISABLED" // ours: the Local API is switched off
	CodeAccessDenied     problem.Code = "ACCESS_DENIED"      // ours: a 403 that says no more
	CodeUnauthorized     problem.Code = "UNAUTHORIZED"       // ours: a 401 that says no more
	CodeNotFound         problem.Code = "NOT_FOUND"          // ours from a 500's text; Roam's in delete reports
	CodeAlreadyExists    problem.Code = "ALREADY_EXISTS"     // ours, from a 500's text
	CodeQueryTimeout     problem.Code = "QUERY_TIMEOUT"      // ours, from a 500's text
	CodeRateLimited      problem.Code = "RATE_LIMITED"       // ours, from a 500's text
	CodeWindowClosed     problem.Code = "WINDOW_CLOSED"      // ours, from a 500's text
	CodeGraphNotListed   problem.Code = "GRAPH_NOT_LISTED"   // ours: Roam does not list the graph
)

// invalidName says of a name that no graph can have it: the call is not made.
func invalidName(action, name string) *problem.Error {
	return &problem.Error{Code: CodeValidation, Call: &problem.Call{Action: action}, Message: fmt.Sprintf("%q can't be a graph's name.", name)}
}
