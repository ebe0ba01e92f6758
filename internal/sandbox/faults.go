package sandbox

import (
	"context"
	"errors"
	"net/http"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
)

// Switches returns the switches that make the server slow, broken or old while it runs.
func (s *Server) Switches() *SwitchSet { return s.switches }

// decide has a token request answered: at the desk, unless a switch says how it
// ends. A public graph of somebody else is granted for reading only.
func (s *Server) decide(ctx context.Context, access desk.Access) (desk.Grant, error) {
	if s.isPublic(access.Graph) && localapi.ReadOnly.LowerThan(access.AccessLevel) {
		access.AccessLevel = localapi.ReadOnly
	}
	ending, settled := endingOf(s.switches.value(exchangeEnd))
	if !settled {
		return s.desk.RequestAccess(ctx, access)
	}
	return s.desk.RequestEnding(ctx, access, ending)
}

func endingOf(value string) (desk.Ending, bool) {
	switch value {
	case exchangeAllow, exchangeNoToken:
		return desk.Ending{}, true
	case string(localapi.ReadOnly), string(localapi.ReadAppend):
		return desk.Ending{AccessLevel: localapi.AccessLevel(value)}, true
	case exchangeDeny:
		return desk.Ending{Code: localapi.CodeUserRejected}, true
	case exchangeNever:
		return desk.Ending{Code: localapi.CodeGraphBlocked}, true
	case exchangeTimeout:
		return desk.Ending{Code: localapi.CodeTimeout}, true
	case exchangeBusy:
		return desk.Ending{Code: localapi.CodeRequestInProgress}, true
	case exchangeCancel:
		return desk.Ending{Code: localapi.CodeCancelled}, true
	case exchangeError:
		return desk.Ending{Code: localapi.CodeInternal}, true
	}
	return desk.Ending{}, false
}

// checkToken checks a token at the desk, unless a switch spoils every token
// (LOCAL_API.md 1.6).
func (s *Server) checkToken(secret string, graph localapi.Graph) (desk.TokenInfo, error) {
	switch s.switches.value(tokens) {
	case tokensRevoked:
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeTokenNotFound, "Token not recognized for graph "+graph.Name+".")
	case tokensWrong:
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeTokenNotFound, "Token not valid for this graph.")
	case tokensWrongType:
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeWrongGraphType,
			"This token is for the other graph named "+graph.Name+": check whether the URL should have ?type=offline.")
	case tokensCloud:
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeInvalidTokenFormat, "This endpoint requires a local API token")
	case tokensCorrupt:
		return desk.TokenInfo{}, errors.New("the token file is corrupt: local-api-tokens.edn can't be read")
	}
	return s.desk.Check(secret, graph)
}

// checkPermission makes the second of Roam's two checks, what the signed-in user
// may do (LOCAL_API.md 1.4): everything, unless a switch says otherwise.
func (s *Server) checkPermission(graph localapi.Graph, scope desk.Scope) error {
	if scope == desk.Read || !s.switches.isOn(demoted) && !s.isPublic(graph) {
		return nil
	}
	return refuse(http.StatusForbidden, localapi.CodeScopeExceedsPermission,
		"The signed-in user may only read this graph, so the token's "+string(scope)+" scope can't be used.")
}

func (s *Server) isPublic(graph localapi.Graph) bool {
	return graph.Type == localapi.Hosted && s.switches.covers(public, graph.Name)
}

// isEncrypted reports whether a graph counts as encrypted.
func (s *Server) isEncrypted(graph localapi.Graph) bool {
	return s.switches.covers(encrypted, graph.Name)
}

// isListed reports whether a graph is in one of the lists (LOCAL_API.md 1.3.2).
func (s *Server) isListed(graph GraphStatus, openOnly bool) bool {
	if s.switches.isOn(signedOut) {
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
func (s *Server) awaitWindow(ctx context.Context) error {
	if s.switches.isOn(windowClosed) {
		return errWindowClosed
	}
	return s.awaitPassword(ctx)
}

// awaitPassword waits while the switch Locked is on, for the time it says at most.
func (s *Server) awaitPassword(ctx context.Context) error {
	began := time.Now()
	for {
		changed := s.switches.awaitChange()
		most := s.switches.duration(locked)
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
