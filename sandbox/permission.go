package sandbox

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"roam-mcp/localapi"
	"roam-mcp/sandbox/desk"
)

// userRight is what the signed-in user may do, whatever tokens were granted
// before: an editor may have been demoted to a reader (LOCAL_API.md 1.4). The
// zero value is everything.
type userRight struct {
	level atomic.Value // localapi.AccessLevel
}

func (r *userRight) set(level localapi.AccessLevel) {
	if !level.Known() {
		level = localapi.Full
	}
	r.level.Store(level)
}

func (r *userRight) get() localapi.AccessLevel {
	if level, ok := r.level.Load().(localapi.AccessLevel); ok {
		return level
	}
	return localapi.Full
}

func (r *userRight) may(scope desk.Scope) bool {
	return desk.TokenInfo{AccessLevel: r.get()}.May(scope)
}

// atMost lowers a level that is asked for to what the user may do, as a reader
// is always given a read-only token.
func (r *userRight) atMost(asked localapi.AccessLevel) localapi.AccessLevel {
	if has := r.get(); asked.Known() && has.LowerThan(asked) {
		return has
	}
	return asked
}

// SetUserAccess changes what the signed-in user may do from now on; a level that
// is empty or unknown is everything.
func (s *Server) SetUserAccess(level localapi.AccessLevel) { s.user.set(level) }

// permit makes the two checks of LOCAL_API.md 1.4: the token's scope, then the
// user's own right.
func (s *Server) permit(name string, scope desk.Scope, token desk.TokenInfo) error {
	if !token.May(scope) {
		return refuse(http.StatusForbidden, localapi.CodeInsufficientScope, fmt.Sprintf(
			"%s needs the %s scope; this token has %s access.", name, scope, token.AccessLevel.Words()))
	}
	if !s.user.may(scope) {
		return refuse(http.StatusForbidden, localapi.CodeScopeExceedsPermission, fmt.Sprintf(
			"%s needs the %s scope, and the signed-in user has %s access to this graph.", name, scope, s.user.get().Words()))
	}
	return s.checkPermission(token.Graph, scope)
}

// permit is for actions whose scope depends on their arguments.
func (c *call) permit(what string, scope desk.Scope) error {
	return c.server.permit(what, scope, c.token)
}

func (c *call) userMay(scope desk.Scope) bool {
	return c.server.user.may(scope) && c.server.checkPermission(c.graph.Graph, scope) == nil
}
