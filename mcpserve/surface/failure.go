package surface

import (
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// The details of errors that are cut where an error would be too long.
const (
	DetailGraphs     = "available_graphs"
	DetailGuidelines = "guidelines"
	DetailTicket     = "ticket"
	DetailResults    = "results"
	DetailUID        = "uid"
)

// Invalid makes an INVALID_PARAMS of the tool, or of the part of its arguments,
// that is named.
func Invalid(toolName, format string, args ...any) *problem.Error {
	return &problem.Error{Code: CodeInvalidParams, Message: toolName + ": " + fmt.Sprintf(format, args...)}
}

// Failure is the answer to a call that failed: a result that reports an error, or a
// JSON-RPC error where Code is not 0.
type Failure struct {
	Text string // of the result
	// Reason is sent in the result's _meta where Text does not have the code; empty: it does.
	Reason  problem.Code
	Code    int64  // of JSON-RPC, such as -32603; 0: the answer is a result
	Message string // of the JSON-RPC error
	Data    json.RawMessage
}

// ErrorObject returns an error as TOOLS.md, "Errors of our own", has it: code,
// message, hint, its details, and what helps to take the next step.
func ErrorObject(e *problem.Error, world problem.World) rawjson.Object {
	object := rawjson.With("code", e.Code).With("message", e.Message)
	add := func(key string, value any) { object = object.With(key, value) }
	if hint := world.Say(e.Hint); hint != "" {
		add("hint", hint)
	}
	for _, d := range e.Details {
		add(d.Name, d.Value)
	}
	if next := world.ToolName(e.Next); next != "" {
		add("suggested_next_tool", next)
	}
	switch e.Retry {
	case problem.RetryLater:
		add("retryable", true)
	case problem.RetryNever:
		add("retryable", false)
	case problem.RetryUnknown:
	}
	if e.Status() != 0 {
		add("httpStatus", e.Status())
	}
	if e.Action() != "" {
		add("action", e.Action())
	}
	return object
}

// FailureJSON is the error form of profiles that have none of their own:
// {"error": {…}} in at most max tokens. Guidelines that would make it too long are
// left to the tool that reads them, and graphs to the one that lists them. A uid
// that makes it so is none of Roam's, and the message quotes it.
func FailureJSON(e *problem.Error, world problem.World, max int) string {
	whole := func() string {
		return string(rawjson.With("error", ErrorObject(e, world).JSON()).JSON())
	}
	out := whole()
	if !Fits(out, max) && e.Detail(DetailGuidelines) != nil {
		e = without(e, DetailGuidelines, DetailTicket)
		e.Next = problem.ReadGuidelines
		out = whole()
	}
	for _, name := range []string{DetailGraphs, DetailResults} {
		least := 0
		if name == DetailGraphs {
			least = 1
		}
		hint := e.Hint
		for !Fits(out, max) {
			list := rawjson.Elements(rawjson.Encode(e.Detail(name)))
			if len(list) <= least {
				break
			}
			list = list[:len(list)/2]
			e = e.With(name, rawjson.Array(list))
			if name == DetailResults {
				e.Hint = hint.Then("Only the first %d of results fit here.", len(list))
			}
			out = whole()
		}
		if name == DetailGraphs && !Fits(out, max) {
			e = without(e, DetailUID)
			out = whole()
		}
	}
	return out
}

// WholeMessage returns the message of an error for clients that tell the model nothing else:
// that of a note which was not shown, or which others change, says what to do about it, and
// what somebody else has changed.
func WholeMessage(e *problem.Error, world problem.World) string {
	switch e.Code {
	case shown.CodeReadFirst, shown.CodePartOnly, shown.CodeChangedSinceRead, ops.CodeChangedMeanwhile, ops.CodeBusy:
		said := e.Message + " " + world.Say(e.Hint)
		return strings.Join(append([]string{said}, shown.Lines(e)...), "\n")
	}
	return e.Message
}

// without returns a copy of e that lacks some details.
func without(e *problem.Error, names ...string) *problem.Error {
	changed := *e
	changed.Details = nil
	for _, d := range e.Details {
		keep := true
		for _, name := range names {
			keep = keep && d.Name != name
		}
		if keep {
			changed.Details = append(changed.Details, d)
		}
	}
	return &changed
}
