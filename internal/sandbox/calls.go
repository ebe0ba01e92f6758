package sandbox

import (
	"errors"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// loggedCall is a request that is being answered, for the log.
type loggedCall struct {
	graph  localapi.Graph // empty for the routes without a graph
	action string         // an action, or a route such as "graphs/open"
	began  time.Time
}

func begin(graph localapi.Graph, action string) loggedCall {
	return loggedCall{graph, action, time.Now()}
}

func (s *Server) end(c loggedCall, status int, err error) {
	code := problem.CodeOf(err)
	if refused, ok := errors.AsType[*refusal](err); ok {
		code = refused.code
	}
	s.options.Log.Debug("call", "action", c.action, "graph", c.graph.Name, "type", c.graph.Type,
		"status", status, "code", code, "duration", time.Since(c.began))
}
