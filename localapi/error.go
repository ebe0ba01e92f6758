package localapi

import (
	"fmt"
	"strings"
)

// Code names a kind of failure. Roam's codes are an open set: unknown ones pass
// through as they came. LOCAL_API.md 6.2 lists those that Roam sends; the ones
// marked "ours" are made here, from the status, the text or the connection.
type Code string

const (
	CodeVersionMismatch        Code = "VERSION_MISMATCH"
	CodeValidation             Code = "VALIDATION_ERROR"
	CodeMissingToken           Code = "MISSING_TOKEN"
	CodeInvalidTokenFormat     Code = "INVALID_TOKEN_FORMAT"
	CodeWrongGraphType         Code = "WRONG_GRAPH_TYPE"
	CodeTokenNotFound          Code = "TOKEN_NOT_FOUND"
	CodeInsufficientScope      Code = "INSUFFICIENT_SCOPE"
	CodeScopeExceedsPermission Code = "SCOPE_EXCEEDS_PERMISSION"
	CodeUserRejected           Code = "USER_REJECTED"
	CodeGraphBlocked           Code = "GRAPH_BLOCKED"
	CodeTimeout                Code = "TIMEOUT"
	CodeRequestInProgress      Code = "REQUEST_IN_PROGRESS"
	CodeCancelled              Code = "CANCELLED"
	CodeUnknownAction          Code = "UNKNOWN_ACTION"
	CodeInternal               Code = "INTERNAL_ERROR"
	CodeTokenFileCorrupted     Code = "TOKEN_FILE_CORRUPTED"

	CodeConnectionFailed Code = "CONNECTION_FAILED"  // ours: nothing answers, or the connection broke
	CodeNotRoam          Code = "NOT_ROAM"           // ours: something answers that is not Roam
	CodeInvalidReply     Code = "INVALID_REPLY"      // ours: a reply that can't be understood
	CodeDisabled         Code = "LOCAL_API_DISABLED" // ours: the Local API is switched off
	CodeAccessDenied     Code = "ACCESS_DENIED"      // ours: a 403 that says no more
	CodeUnauthorized     Code = "UNAUTHORIZED"       // ours: a 401 that says no more
	CodeNotFound         Code = "NOT_FOUND"          // ours from a 500's text; Roam's in delete reports
	CodeAlreadyExists    Code = "ALREADY_EXISTS"     // ours, from a 500's text
	CodeQueryTimeout     Code = "QUERY_TIMEOUT"      // ours, from a 500's text
	CodeRateLimited      Code = "RATE_LIMITED"       // ours, from a 500's text
	CodeWindowClosed     Code = "WINDOW_CLOSED"      // ours, from a 500's text
	CodeGraphNotListed   Code = "GRAPH_NOT_LISTED"   // ours: Roam does not list the graph
)

// Explanation is what every error of this program that a person may see can
// give: a code, a sentence on what happened and a sentence on what to do.
// Todo is empty where there is nothing to do.
type Explanation struct {
	Code Code
	What string
	Todo string
}

// Explainer is implemented by the error types of all packages.
type Explainer interface {
	error
	Explain() Explanation
}

// Error is a call to the Local API that failed.
type Error struct {
	Code    Code
	Status  int    // HTTP status; 0 where no reply came
	Message string // what happened, with Roam's own text where it sent one
	Advice  string // what to do; may be empty

	// RoamText is the error text as Roam sent it, empty where it sent none.
	RoamText string
	// Action is the action or route that was called.
	Action string
	// APIVersion is the version Roam stamped on the reply, empty on old builds.
	APIVersion string
	// Sent reports whether the request may have reached Roam. Where it is
	// false the request can be made again without doing anything twice.
	Sent bool
	// Err is the error underneath, if any.
	Err error

	// codeSent reports whether Roam itself sent the code, rather than classify.
	codeSent bool
}

var _ Explainer = (*Error)(nil)

// Error gives code and message; never a token.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Explain implements Explainer.
func (e *Error) Explain() Explanation {
	return Explanation{Code: e.Code, What: e.Message, Todo: e.Advice}
}
