package sandbox

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/internal/wire"
)

// reply is the outer object of every reply (LOCAL_API.md 1.3). The token routes
// put their fields beside success.
type reply struct {
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result,omitempty"` // absent for JavaScript's undefined

	Token              string               `json:"token,omitempty"`
	GraphName          string               `json:"graphName,omitempty"`
	GraphType          localapi.GraphType   `json:"graphType,omitempty"`
	GrantedAccessLevel localapi.AccessLevel `json:"grantedAccessLevel,omitempty"`
	GrantedScopes      map[desk.Scope]bool  `json:"grantedScopes,omitempty"`
	Description        string               `json:"description,omitempty"`

	Error              *wireError      `json:"error,omitempty"`
	APIVersion         string          `json:"apiVersion"`
	ExpectedAPIVersion json.RawMessage `json:"expectedApiVersion,omitempty"`
}

// wireError is a failure as Roam sends it: handlers that throw have no code.
type wireError struct {
	Code    problem.Code `json:"code,omitempty"`
	Message string       `json:"message"`
}

// refusal is an error that has its own status and code on the wire.
type refusal struct {
	status  int
	code    problem.Code
	message string
	// expected is the version that the caller sent, for VERSION_MISMATCH.
	expected json.RawMessage
}

func (r *refusal) Error() string { return string(r.code) + ": " + r.message }

func refuse(status int, code problem.Code, message string) *refusal {
	return &refusal{status: status, code: code, message: message}
}

// failure returns the status and the reply for an error. One without a code of its
// own is that of a handler that threw: 500 and no code (LOCAL_API.md 1.6).
func failure(err error) (int, reply) {
	var refused *refusal
	if errors.As(err, &refused) {
		return refused.status, reply{Error: &wireError{refused.code, refused.message}, ExpectedAPIVersion: refused.expected}
	}
	if denied, ok := problem.As(err); ok {
		return statusOf(denied.Code), reply{Error: &wireError{denied.Code, denied.Message}}
	}
	return http.StatusInternalServerError, reply{Error: &wireError{Message: wire.ErrorText(err)}}
}

// statusOf returns the status of a code of the desk (LOCAL_API.md 1.3.3, 1.6).
func statusOf(code problem.Code) int {
	switch code {
	case localapi.CodeValidation:
		return http.StatusBadRequest
	case localapi.CodeInvalidTokenFormat, localapi.CodeWrongGraphType, localapi.CodeTokenNotFound:
		return http.StatusUnauthorized
	case localapi.CodeUserRejected, localapi.CodeGraphBlocked:
		return http.StatusForbidden
	case localapi.CodeTimeout:
		return http.StatusRequestTimeout
	case localapi.CodeRequestInProgress:
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// send writes header and body in one write. Two would cost 40 ms a call (Nagle and
// delayed ACK).
func send(w http.ResponseWriter, status int, r reply) {
	r.Success = r.Error == nil
	r.APIVersion = localapi.APIVersion
	body := rawjson.Encode(r)
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client is gone
}
