package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/switches"
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
		case !isLoopback(r.Host):
			refuseWith(w, refuse(http.StatusForbidden, codeForbiddenHost, "The sandbox answers to 127.0.0.1 and localhost only."))
		case !s.isOwnOrigin(r.Header.Get("Origin")) && !s.isLax(r):
			refuseWith(w, refuse(http.StatusForbidden, codeForbiddenOrigin, "The sandbox does not answer web pages."))
		case r.Method == http.MethodOptions && s.isLax(r):
			// A preflight request.
			header.Set("Access-Control-Allow-Methods", "GET, POST")
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
			w.WriteHeader(http.StatusNoContent)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, s.maxBody)
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

// isOwnOrigin also holds for an empty origin: only browsers send one.
func (s *Server) isOwnOrigin(origin string) bool {
	port := strconv.Itoa(s.port)
	return origin == "" || origin == "http://127.0.0.1:"+port || origin == "http://localhost:"+port
}

// isLax reports whether a page of any origin may make this request, as with Roam.
// The sandbox's own routes never allow that.
func (s *Server) isLax(r *http.Request) bool {
	return s.switches.On(switches.LaxOrigin) && strings.HasPrefix(r.URL.Path, "/api/")
}

// readBody reads a request's body to its end, even if nothing is expected: only then
// does net/http cancel the context when the connection is closed.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, refuse(http.StatusRequestEntityTooLarge, codeTooLarge,
			fmt.Sprintf("The request is larger than %d bytes.", tooLarge.Limit))
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, localapi.CodeValidation, "The request broke off.")
	}
	return body, nil
}
