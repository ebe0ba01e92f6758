package notes

import (
	"errors"
	"fmt"
	"slices"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// The codes of JSON-RPC errors that Memento throws.
const (
	codeInvalidRequest = -32600
	codeInternalError  = -32603
)

// errInternal is under an error of a note that is not there where Memento calls that an
// internal error: in update_note and delete_note.
var errInternal = errors.New("internal error")

// missing is the error of an id that is no note's.
func missing(under error) *problem.Error {
	return &problem.Error{
		Code: localapi.CodeNotFound, Message: "Note not found", Retry: problem.RetryNever, Err: under,
		Hint: say("%s lists the notes with their ids.", problem.ListNotes),
	}
}

// fail makes of an error the JSON-RPC error that Memento throws: an invalid request
// where the arguments are wrong, name no note or rest on what is not so, else an internal error. Its data has
// the error as TOOLS.md, "Errors of our own", has it.
//
// Most clients tell the model nothing but the message. One of a note that was not shown, or
// that others change, has no counterpart at Memento, and says all in it.
func fail(e *problem.Error, world problem.World, max int) surface.Failure {
	code := codeInternalError
	switch {
	case errors.Is(e, errInternal):
	case slices.Contains([]problem.Code{surface.CodeInvalidParams, localapi.CodeNotFound, shown.CodeReadFirst, shown.CodeChangedSinceRead, shown.CodePartOnly, ops.CodeUnwritableMark}, e.Code):
		code = codeInvalidRequest
	}
	return surface.Failure{
		Code:    int64(code),
		Message: fmt.Sprintf("MCP error %d: %s", code, surface.WholeMessage(e, world)),
		Data:    rawjson.Parse(rawjson.Parse([]byte(surface.FailureJSON(e, world, max))).Get("error")).Without("message").JSON(),
	}
}
