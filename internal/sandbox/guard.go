package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/desk"
)

// maxBody bounds the body of a request, in bytes. Files are sent in it as base64
// (LOCAL_API.md 1.8).
const maxBody = 64 << 20

const (
	codeForbiddenHost   problem.Code = "FORBIDDEN_HOST"
	codeForbiddenOrigin problem.Code = "FORBIDDEN_ORIGIN"
	codeTooLarge        problem.Code = "PAYLOAD_TOO_LARGE"
	codeWrongMethod     problem.Code = "METHOD_NOT_ALLOWED"
)

// guard refuses requests of web pages, which Roam does not: those with a foreign
// Origin header and, against DNS rebinding, those whose Host header is not a
// loopback name. It also answers for handlers that panic.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set(homeHeader, homeID(s.options.Home))
		header.Set("Access-Control-Allow-Origin", "*") // as Roam has it
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-store")
		defer func() {
			if cause := recover(); cause != nil {
				if cause == http.ErrAbortHandler { // net/http is to cut the connection
					panic(cause)
				}
				s.options.Log.Error("a call panicked", "path", r.URL.Path, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
				send(w, http.StatusInternalServerError, reply{Error: &wireError{localapi.CodeInternal, "Internal error"}})
			}
		}()
		switch {
		case !isLoopback(r.Host) && r.Host != s.page.Host():
			refuseWith(w, refuse(http.StatusForbidden, codeForbiddenHost, "The sandbox answers to 127.0.0.1 and localhost only."))
		case !s.isOwnOrigin(r):
			refuseWith(w, refuse(http.StatusForbidden, codeForbiddenOrigin, "The sandbox does not answer web pages."))
		default:
			r.Body = http.MaxBytesReader(w, r.Body, s.maxBody)
			if r.Host == s.page.Host() {
				s.page.ServeHTTP(w, r) // and none of the API's routes
				return
			}
			next.ServeHTTP(w, r)
		}
	})
}

func refuseWith(w http.ResponseWriter, err error) {
	status, answer := failure(err)
	send(w, status, answer)
}

func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	switch strings.ToLower(strings.Trim(host, "[]")) {
	case "127.0.0.1", "localhost", "::1":
		return true
	}
	return false
}

// isOwnOrigin reports whether a request comes from no web page, or from the
// sandbox's own, which calls nothing but itself.
func (s *Server) isOwnOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin == "" || r.Host == s.page.Host() && origin == "http://"+r.Host
}

// readBody reads a request's body to its end, even if nothing is expected: only then
// does net/http cancel the context when the connection is closed.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, refuse(http.StatusRequestEntityTooLarge, codeTooLarge,
			fmt.Sprintf("The request is larger than %d bytes.", tooLarge.Limit))
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, localapi.CodeValidation, "The request broke off.")
	}
	return body, nil
}

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
	return http.StatusInternalServerError, reply{Error: &wireError{Message: actions.ErrorText(err)}}
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
	large := r.Result
	if len(large) > maxCopied {
		r.Result = json.RawMessage("0")
	}
	parts := [][]byte{rawjson.Encode(r)}
	if len(large) > maxCopied {
		const field = `"result":`
		before, after, _ := bytes.Cut(parts[0], []byte(field+"0"))
		parts = [][]byte{append(before, field...), large, after} // field is copied over itself
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	header.Set("Content-Length", strconv.Itoa(size))
	w.WriteHeader(status)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return // the client is gone
		}
	}
}

// maxCopied is the size in bytes up to which a result is copied into its reply.
const maxCopied = 64 << 10
