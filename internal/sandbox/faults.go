package sandbox

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/switches"
)

// Switches returns the switches that make the server misbehave, or behave like an
// older one, while it runs. What they do to requests and replies as such is in
// package switches; what they mean for tokens and graphs is here.
func (s *Server) Switches() *switches.Set { return s.switches }

// decide has a token request answered: at the desk, unless a switch says how it
// ends. A public graph of somebody else is granted for reading only.
func (s *Server) decide(ctx context.Context, access desk.Access) (desk.Grant, error) {
	if s.isPublic(access.Graph) && localapi.ReadOnly.LowerThan(access.AccessLevel) {
		access.AccessLevel = localapi.ReadOnly
	}
	ending, settled := endingOf(s.switches.Value(switches.Exchange))
	if !settled {
		return s.desk.RequestAccess(ctx, access)
	}
	return s.desk.RequestEnding(ctx, access, ending)
}

func endingOf(value string) (desk.Ending, bool) {
	switch value {
	case switches.ExchangeAllow, switches.ExchangeNoToken:
		return desk.Ending{}, true
	case string(localapi.ReadOnly), string(localapi.ReadAppend):
		return desk.Ending{AccessLevel: localapi.AccessLevel(value)}, true
	case switches.ExchangeDeny:
		return desk.Ending{Code: localapi.CodeUserRejected}, true
	case switches.ExchangeNever:
		return desk.Ending{Code: localapi.CodeGraphBlocked}, true
	case switches.ExchangeTimeout:
		return desk.Ending{Code: localapi.CodeTimeout}, true
	case switches.ExchangeBusy:
		return desk.Ending{Code: localapi.CodeRequestInProgress}, true
	case switches.ExchangeCancel:
		return desk.Ending{Code: localapi.CodeCancelled}, true
	case switches.ExchangeError:
		return desk.Ending{Code: localapi.CodeInternal}, true
	}
	return desk.Ending{}, false
}

// checkToken checks a token at the desk, unless a switch spoils every token
// (LOCAL_API.md 1.6).
func (s *Server) checkToken(secret string, graph localapi.Graph) (desk.TokenInfo, error) {
	switch s.switches.Value(switches.Tokens) {
	case switches.TokensRevoked:
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeTokenNotFound, "Token not recognized for graph "+graph.Name+".")
	case switches.TokensWrong:
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeTokenNotFound, "Token not valid for this graph.")
	case switches.TokensWrongType:
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeWrongGraphType,
			"This token is for the other graph named "+graph.Name+": check whether the URL should have ?type=offline.")
	case switches.TokensCloud:
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeInvalidTokenFormat, "This endpoint requires a local API token")
	case switches.TokensCorrupt:
		return desk.TokenInfo{}, errors.New("the token file is corrupt: local-api-tokens.edn can't be read")
	}
	return s.desk.Check(secret, graph)
}

// checkPermission makes the second of Roam's two checks, what the signed-in user
// may do (LOCAL_API.md 1.4): everything, unless a switch says otherwise.
func (s *Server) checkPermission(graph localapi.Graph, scope desk.Scope) error {
	if scope == desk.Read || !s.switches.On(switches.Demoted) && !s.isPublic(graph) {
		return nil
	}
	return refuse(http.StatusForbidden, localapi.CodeScopeExceedsPermission,
		"The signed-in user may only read this graph, so the token's "+string(scope)+" scope can't be used.")
}

func (s *Server) isPublic(graph localapi.Graph) bool {
	return graph.Type == localapi.Hosted && s.switches.Covers(switches.Public, graph.Name)
}

// isEncrypted reports whether a graph counts as encrypted.
func (s *Server) isEncrypted(graph localapi.Graph) bool {
	return s.switches.Covers(switches.Encrypted, graph.Name)
}

// isListed reports whether a graph is in one of the lists (LOCAL_API.md 1.3.2).
func (s *Server) isListed(graph GraphStatus, openOnly bool) bool {
	if s.switches.On(switches.SignedOut) {
		return openOnly && graph.Open && graph.Type == localapi.Offline
	}
	if openOnly {
		return graph.Open
	}
	return !s.isPublic(graph.Graph)
}

// errWindowClosed has Roam's text, by which clients recognize it (LOCAL_API.md 1.7).
var errWindowClosed = errors.New("the window was closed: Promise error")

// awaitWindow fails or waits as a graph's window would, if switches say so.
func (s *Server) awaitWindow(ctx context.Context, action string) error {
	if s.switches.On(switches.WindowClosed) {
		return errWindowClosed
	}
	if text, fails := s.switches.Failure(switches.Fail, action); fails {
		return errors.New(text)
	}
	return s.awaitPassword(ctx)
}

// delayWrite lets the reads pass that are sent while a write is under way, if a switch
// says so.
func (s *Server) delayWrite(ctx context.Context, scope desk.Scope) error {
	const delay = 200 * time.Millisecond
	if scope == desk.Read || s.switches.Found("overlap") != "read-first" {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// playWrongCall gives the error of a wrong call the status and code that a switch says.
func (s *Server) playWrongCall(err error) error {
	found := s.switches.Found(wrongCallOf(err))
	if found == "" {
		return err
	}
	digits, code, _ := strings.Cut(found, " ")
	status, _ := strconv.Atoi(digits) // the switch has checked it
	_, usual := failure(err)
	return refuse(status, problem.Code(code), usual.Error.Message)
}

// wrongCallOf returns the id of what a call does wrong; empty where nobody asks for it.
func wrongCallOf(err error) string {
	if wrong, ok := errors.AsType[*actions.WrongCall](err); ok {
		return wrong.ID
	}
	_, usual := failure(err)
	switch usual.Error.Code {
	case localapi.CodeUnknownAction:
		return "error-action"
	case localapi.CodeVersionMismatch:
		return "error-version"
	case localapi.CodeMissingToken:
		return "error-no-token"
	case localapi.CodeTokenNotFound:
		return "error-token"
	}
	return ""
}

// awaitPassword waits while the switch Locked is on, for the time it says at most.
func (s *Server) awaitPassword(ctx context.Context) error {
	began := time.Now()
	for {
		changed := s.switches.Changed()
		most := s.switches.Duration(switches.Locked)
		if most == 0 {
			return nil
		}
		limit := time.NewTimer(most - time.Since(began))
		select {
		case <-changed:
			limit.Stop()
		case <-limit.C:
			return refuse(http.StatusGatewayTimeout, "", "The graph did not become ready in time.")
		case <-ctx.Done():
			limit.Stop()
			return ctx.Err()
		}
	}
}
