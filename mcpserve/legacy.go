package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

const (
	CodeInvalidParams                = surface.CodeInvalidParams
	CodeOutcomeUnknown  problem.Code = "OUTCOME_UNKNOWN"
	CodeTruncatedSource problem.Code = "TRUNCATED_SOURCE"
)

func (s *Server) explained(err error) *problem.Error {
	var f *failure
	if errors.As(err, &f) {
		return f.problem(s.offering)
	}
	return explained(err)
}

// failure is an error as a model reads it: what happened, the next step, and
// what helps to take it. The order of the fields is the order on the wire.
type failure struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitempty"`

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

	err    error
	advice problem.Hint // what to do, where Hint is empty
}

func (f *failure) Error() string { return string(f.Code) + ": " + f.Message }

func (f *failure) Unwrap() error { return f.err }

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

func quote(s string) string { return safetext.Quote(s) }

func printable(s string, n int) string { return safetext.Line(s, n) }

func redact(s string) string { return safetext.Redact(s) }

func invalid(toolName, format string, args ...any) *failure {
	return &failure{Code: surface.CodeInvalidParams, Message: toolName + ": " + fmt.Sprintf(format, args...)}
}

// failureOf makes any error one of this package.
func failureOf(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return failureFrom(explained(err))
}

func failureOfRoam(e *problem.Error) *failure { return failureFrom(explainRoam(e)) }

func failureFrom(e *problem.Error) *failure {
	f := &failure{Code: e.Code, Message: e.Message, advice: e.Hint, HTTPStatus: e.Status(), Action: e.Action(), err: e}
	if e.Retry != problem.RetryUnknown {
		f.retryable(e.Retry == problem.RetryLater)
	}
	return f
}

// problemOf is the failure as the error value of this program.
func (f *failure) problem(o offering) *problem.Error {
	e := &problem.Error{Code: f.Code, Message: f.Message, Hint: f.advice, Err: f.err}
	if f.Hint != "" {
		e.Hint = problem.Say("%s", f.Hint)
	}
	if f.Retryable != nil {
		e.Retry = problem.RetryNever
		if *f.Retryable {
			e.Retry = problem.RetryLater
		}
	}
	if t, ok := o.profile.Find(f.SuggestedNextTool); ok {
		e.Next = t.Task
	}
	if f.HTTPStatus != 0 || f.Action != "" {
		e.Call = &problem.Call{Status: f.HTTPStatus, Action: f.Action}
	}
	for _, m := range rawjson.Parse(rawjson.Encode(f)) {
		switch m.Key {
		case "code", "message", "hint", "suggested_next_tool", "retryable", "httpStatus", "action":
		default:
			e.Details = append(e.Details, problem.Detail{Name: m.Key, Value: m.Value})
		}
	}
	return e
}

// arguments are those of one call.
type arguments struct{ surface.Arguments }

func (a arguments) text(name string) string               { return a.Text(name) }
func (a arguments) has(name string) bool                  { return a.Has(name) }
func (a arguments) list(name string) []string             { return a.List(name) }
func (a arguments) values(name string) []json.RawMessage  { return a.Values(name) }
func (a arguments) number(name string, otherwise int) int { return a.Number(name, otherwise) }
func (a arguments) flag(name string, otherwise bool) bool { return a.Flag(name, otherwise) }
func (a arguments) pick(into map[string]any, names ...string) map[string]any {
	return a.Pick(into, names...)
}

func (a arguments) objects(name string) []arguments {
	var list []arguments
	for _, each := range a.Objects(name) {
		list = append(list, arguments{each})
	}
	return list
}

func (c *call) onlyOne(names ...string) (string, error) {
	return c.args.OnlyOne(c.tool.Name, names...)
}

func (c *call) roam(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	return c.Ask(ctx, action, args...)
}

func (c *call) send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.Send(ctx, action, args...)
}

// As makes a *problem.Error of f, for those who have no tool to answer with it.
func (f *failure) As(target any) bool {
	found, ok := target.(**problem.Error)
	if !ok {
		return false
	}
	e := &problem.Error{Code: f.Code, Message: f.Message, Hint: f.advice, Err: f.err}
	if f.Hint != "" {
		e.Hint = problem.Say("%s", f.Hint)
	}
	if roam, ok := problem.AsCall(f.err); ok {
		e.Call = roam.Call
	}
	*found = e
	return true
}
