package mcpserve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/problem"
)

// The codes of this package's own errors (TOOLS.md, "Errors of our own").
// Roam's come as they are, configstore's too.
const (
	CodeConfigNotFound     problem.Code = "CONFIG_NOT_FOUND"
	CodeConfigInvalid      problem.Code = "CONFIG_INVALID"
	CodeGraphNotConfigured problem.Code = "GRAPH_NOT_CONFIGURED"
	CodeGraphNotSelected   problem.Code = "GRAPH_NOT_SELECTED"
	CodeGraphDisabled      problem.Code = "GRAPH_DISABLED"
	CodeTicketRequired     problem.Code = "TICKET_REQUIRED"
	CodeTicketWrongGraph   problem.Code = "TICKET_WRONG_GRAPH"
	CodeTicketStale        problem.Code = "TICKET_STALE"
	CodeInvalidParams      problem.Code = "INVALID_PARAMS"
	CodeReadOnly           problem.Code = "READ_ONLY"
	CodeWritesPaused       problem.Code = "WRITES_PAUSED"
	CodeToolNotOffered     problem.Code = "TOOL_NOT_OFFERED"
	CodeOutcomeUnknown     problem.Code = "OUTCOME_UNKNOWN"
	CodeTruncatedSource    problem.Code = "TRUNCATED_SOURCE"
	CodeReplyTooLarge      problem.Code = "REPLY_TOO_LARGE"
	CodeUnknownProfile     problem.Code = "UNKNOWN_PROFILE"
	CodeUnknownToolset     problem.Code = "UNKNOWN_TOOLSET"
)

// failure is an error as a model reads it: what happened, the next step, and
// what helps to take it. The order of the fields is the order on the wire.
type failure struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitempty"`

	advice problem.Hint // what to do, where Hint is empty

	Applied  *applied `json:"applied,omitempty"` // OUTCOME_UNKNOWN only
	Evidence string   `json:"evidence,omitempty"`

	AvailableGraphs   []graphChoice `json:"available_graphs,omitempty"`
	SuggestedNextTool string        `json:"suggested_next_tool,omitempty"`
	Retryable         *bool         `json:"retryable,omitempty"`
	HTTPStatus        int           `json:"httpStatus,omitempty"`
	Action            string        `json:"action,omitempty"`
	UID               string        `json:"uid,omitempty"`

	// Of a batch of which nothing was done, or whose report can't be read.
	Succeeded *int            `json:"succeeded,omitempty"`
	Failed    *int            `json:"failed,omitempty"`
	Results   json.RawMessage `json:"results,omitempty"`
	Payload   json.RawMessage `json:"payload,omitempty"`

	// TICKET_STALE brings what one retry needs.
	Graph          string          `json:"graph,omitempty"`
	Guidelines     json.RawMessage `json:"guidelines,omitempty"`
	GuidelinesHash string          `json:"guidelines_hash,omitempty"`
	Ticket         string          `json:"ticket,omitempty"`

	err error
}

// graphChoice is a graph that the caller may name.
type graphChoice struct {
	Nickname    string               `json:"nickname"`
	Name        string               `json:"name"`
	AccessLevel localapi.AccessLevel `json:"accessLevel,omitempty"`
	TokenStatus string               `json:"lastKnownTokenStatus,omitempty"`
}

var _ localapi.Explainer = (*failure)(nil)

func (f *failure) Error() string { return string(f.Code) + ": " + f.Message }

func (f *failure) Unwrap() error { return f.err }

// Explain implements localapi.Explainer.
func (f *failure) Explain() localapi.Explanation {
	return localapi.Explanation{Code: f.Code, What: f.Message, Todo: cmp.Or(f.Hint, problem.World{}.Say(f.advice))}
}

func (f *failure) retryable(yes bool) *failure {
	f.Retryable = &yes
	return f
}

// applied says whether a write whose reply was lost happened: true, false, or
// null where nobody can tell.
type applied int

const (
	appliedUnknown applied = iota
	appliedYes
	appliedNo
)

var _ json.Marshaler = applied(0)

func (a applied) MarshalJSON() ([]byte, error) {
	switch a {
	case appliedYes:
		return []byte("true"), nil
	case appliedNo:
		return []byte("false"), nil
	case appliedUnknown:
	}
	return []byte("null"), nil
}

// desktop is Roam as hints of this program call it.
const desktop = "Roam Desktop"

// hint says what to do about a failure, in the world that is served.
func (s *Server) hint(f *failure) string {
	if f.Hint == "" {
		return s.options.World.Say(f.advice)
	}
	return s.forThisWorld(f.Hint)
}

// forThisWorld puts into a text of ours the name of the Roam that is served, and
// the flags with which its commands work on the configuration that is served.
func (s *Server) forThisWorld(text string) string {
	command := s.options.World.Command(problem.Run(""))
	replaced := []string{
		": " + command + " ", ": " + command + " ", // has its flags already
		": roam-mcp ", ": " + command + " ",
	}
	if s.options.World.Roam != "" {
		replaced = append(replaced, desktop, s.options.World.Roam)
	}
	return strings.NewReplacer(replaced...).Replace(text)
}

func invalid(toolName, format string, args ...any) *failure {
	return &failure{Code: CodeInvalidParams, Message: toolName + ": " + fmt.Sprintf(format, args...)}
}

// failureOf makes any error fit to be answered. Errors of other packages keep
// their code and their two sentences; what nobody has explained is named an
// internal error, with nothing of its text but the kind.
func failureOf(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	if told, ok := localapi.Explained(err); ok && told.Call != nil {
		return failureOfRoam(told)
	} else if ok {
		return &failure{Code: told.Code, Message: told.Message, advice: told.Hint, err: err}
	}
	if errors.Is(err, context.Canceled) {
		return &failure{Code: localapi.CodeCancelled, Message: "The call was cancelled.", err: err}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return (&failure{Code: localapi.CodeTimeout, Message: "No answer came in time.", err: err}).retryable(true)
	}
	return &failure{Code: localapi.CodeInternal, Message: "roam-mcp failed: " + redact(printable(err.Error(), 300)), err: err}
}

func failureOfRoam(e *problem.Error) *failure {
	f := &failure{Code: e.Code, Message: e.Message, advice: e.Hint, HTTPStatus: e.Status(), Action: e.Action(), err: e}
	if f.Message == "" {
		f.Message = "The call failed."
	}
	switch e.Code {
	case localapi.CodeConnectionFailed, localapi.CodeTimeout, localapi.CodeRateLimited, localapi.CodeWindowClosed,
		localapi.CodeRequestInProgress, "PEER_NOT_READY":
		return f.retryable(true)
	case localapi.CodeCancelled:
		return f
	}
	return f.retryable(false)
}

// unauthorized reports whether the token is what Roam refuses, so that a new
// one is the way on.
func unauthorized(e *problem.Error) bool { return e.Status() == 401 }

func quote(s string) string { return safetext.Quote(s) }

func printable(s string, n int) string { return safetext.Line(s, n) }

func redact(s string) string { return safetext.Redact(s) }
