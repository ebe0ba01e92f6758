package localapi

import (
	"fmt"
	"strconv"
	"strings"

	"roam-mcp/internal/problem"
)

// describe writes the two sentences of an error that Roam reported: what
// happened, always with Roam's own text where it sent one, and what to do.
func describe(e *problem.Error, expected string) (what string, todo problem.Hint) {
	what, todo = sentences(e, expected)
	if what == "" {
		what = fmt.Sprintf("Roam answered with status %d.", e.Status())
		if e.Call.Text != "" {
			what = "Roam says: " + period(e.Call.Text)
		}
		return what, todo
	}
	if e.Call.Text != "" && !strings.Contains(what, e.Call.Text) {
		what += " Roam says: " + period(e.Call.Text)
	}
	return what, todo
}

// sentences holds the texts by code; codes it does not know give none.
func sentences(e *problem.Error, expected string) (what string, todo problem.Hint) {
	switch e.Code {
	case CodeVersionMismatch:
		return "Roam and roam-mcp speak different versions of the Local API.", VersionAdvice(e.Call.APIVersion, expected).
			Then("To use it as it is, at your own risk: %s, or apiVersion of the graph in the configuration file.", problem.Run("serve").With("--api-version", AnyVersion))
	case CodeMissingToken:
		return "The call carried no token.", problem.Say("Re-authorize the graph.")
	case CodeInvalidTokenFormat:
		return "Roam does not accept this kind of token.", problem.Say("Use a Local API token: Roam, Settings > Graph > Local API Tokens; a token for the cloud API does not work here.")
	case CodeWrongGraphType:
		return "The token belongs to the other graph of that name: hosted and offline are mixed up.", problem.Say("Re-authorize the graph with the right type.")
	case CodeTokenNotFound, CodeUnauthorized:
		return "Roam does not know this token for this graph: it was revoked, or made for another graph.", problem.Say("Re-authorize the graph.")
	case CodeInsufficientScope:
		return "The token does not allow this.", problem.Say("Raise its level in Roam, Settings > Graph > Local API Tokens, or re-authorize with more access.")
	case CodeScopeExceedsPermission:
		return "Your own right in this graph does not allow this.", problem.Say("Ask the graph's owner for more, or keep to reading.")
	case CodeUserRejected:
		return "The request was rejected in Roam. Nothing was saved.", problem.Say("Ask again when you mean to allow it, or ask for less access.")
	case CodeGraphBlocked:
		return "\"Never allow\" was chosen for this graph, so Roam refuses without asking.", problem.Say("To unblock: open the graph in Roam, Settings > Graph > Local API Tokens; then ask again.")
	case CodeTimeout:
		return "Nobody answered the request in Roam in time.", problem.Say("Ask again when you are at Roam.")
	case CodeRequestInProgress:
		return "Another request for this graph is open in Roam.", problem.Say("Answer or close that dialog in Roam, then ask again.")
	case CodeCancelled:
		return "The request was cancelled.", problem.Say("Start again when you are ready.")
	case CodeDisabled:
		// Only older builds of Roam can switch it off (LOCAL_API.md 1.6).
		return "Roam's Local API is disabled.", problem.Say("Open Settings in Roam Desktop and switch the Local API on, or update Roam: newer builds always have it on.")
	}
	return serverSentences(e)
}

// serverSentences holds the texts for failures inside Roam.
func serverSentences(e *problem.Error) (what string, todo problem.Hint) {
	switch e.Code {
	case CodeUnknownAction:
		return "This build of Roam does not know the action " + strconv.Quote(e.Action()) + ".", problem.Say("Update %s.", problem.Roam)
	case CodeGraphNotFound:
		return "Roam does not have this graph. It may have been deleted or renamed, or Roam is signed in to another account.", problem.Say("Look in %s whether the graph is there.", problem.Roam)
	case CodeWindowClosed:
		return "The graph's window was closed, or the graph is still locked.", problem.Say("Open the graph in Roam, with its password if it is encrypted, and try again.")
	case CodeRequestTooLarge:
		return "The call is longer than Roam takes at once.", problem.Say("Send it in parts: less text, fewer items or a smaller file in each call.")
	case CodeRateLimited:
		return "Roam takes no more writes for the moment.", problem.Say("Wait a minute, then try again.")
	case CodeQueryTimeout:
		return "The query took too long.", problem.Say("Narrow it, or give it more time with :timeout.")
	case CodeTokenFileCorrupted:
		return "Roam can't read its own file of tokens.", problem.Say("Make the tokens anew in Roam, Settings > Graph > Local API Tokens.")
	case CodeAccessDenied:
		return "Roam refused the call.", problem.Say("Check the graph's permissions in Roam.")
	}
	return "", problem.Hint{}
}

// VersionAdvice says which side to update: the older one (LOCAL_API.md 1.5).
func VersionAdvice(roam, ours string) problem.Hint {
	switch newer := compareMajorMinor(roam, ours); {
	case newer > 0:
		return problem.Say("Update roam-mcp: Roam speaks %s, this roam-mcp speaks %s.", roam, ours)
	case newer < 0:
		return problem.Say("Update %s: it speaks %s, roam-mcp speaks %s.", problem.Roam, roam, ours)
	}
	return problem.Say("Update %s and roam-mcp.", problem.Roam)
}

// compareMajorMinor is 0 also where either version can't be read.
func compareMajorMinor(a, b string) int {
	var majorA, minorA, majorB, minorB int
	if n, _ := fmt.Sscanf(a, "%d.%d", &majorA, &minorA); n != 2 {
		return 0
	}
	if n, _ := fmt.Sscanf(b, "%d.%d", &majorB, &minorB); n != 2 {
		return 0
	}
	if majorA != majorB {
		return majorA - majorB
	}
	return minorA - minorB
}

func period(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

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
	CodeOtherUser        problem.Code = "OTHER_USER"         // ours: another user listens on the port
	CodeInvalidReply     problem.Code = "INVALID_REPLY"      // ours: a reply that can't be understood
	CodeDisabled         problem.Code = "LOCAL_API_DISABLED" // ours: the Local API is switched off
	CodeAccessDenied     problem.Code = "ACCESS_DENIED"      // ours: a 403 that says no more
	CodeUnauthorized     problem.Code = "UNAUTHORIZED"       // ours: a 401 that says no more
	CodeNotFound         problem.Code = "NOT_FOUND"          // ours from a 500's text; Roam's in delete reports
	CodeAlreadyExists    problem.Code = "ALREADY_EXISTS"     // ours, from a 500's text
	CodeQueryTimeout     problem.Code = "QUERY_TIMEOUT"      // ours, from a 500's text
	CodeUnsupportedRoam  problem.Code = "UNSUPPORTED_ROAM"   // ours: Roam lacks what every Roam has that is supported
	CodeRequestTooLarge  problem.Code = "REQUEST_TOO_LARGE"  // ours: a 413
	CodeRateLimited      problem.Code = "RATE_LIMITED"       // ours, from a 500's text
	CodeWindowClosed     problem.Code = "WINDOW_CLOSED"      // ours, from a 500's text
	CodeGraphNotListed   problem.Code = "GRAPH_NOT_LISTED"   // ours: Roam does not list the graph
	CodeGraphNotFound    problem.Code = "GRAPH_NOT_FOUND"    // ours, from a text that says that the graph is not there
)

// invalidName says of a name that no graph can have it: the call is not made.
func invalidName(action, name string) *problem.Error {
	return &problem.Error{Code: CodeValidation, Call: &problem.Call{Action: action}, Message: fmt.Sprintf("%q can't be a graph's name.", name)}
}
