package mcpserve

import (
	"context"
	"slices"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/problem"
)

// askAboutGraph finds out what Roam's word on a token does not tell: whether a graph that is
// open answers calls, of this version. It opens nothing. nil: it does, or nobody knows.
func (c *call) askAboutGraph(ctx context.Context, entry configstore.Entry) *problem.Error {
	s := c.server
	roam, ok := s.options.Roam.(interface {
		OpenGraphs(ctx context.Context) ([]localapi.Graph, error)
	})
	if !ok {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, s.timeouts.tokenLook)
	defer cancel()
	open, err := roam.OpenGraphs(limited)
	switch {
	case err != nil:
		if failed := explained(err); failed.Code == localapi.CodeDisabled {
			return failed
		}
		return nil
	case !slices.Contains(open, entry.Graph()): // the next call that needs it opens it
		return nil
	}
	_, err = s.callRoam(ctx, s.timeouts.tokenLook, entry, "graph.isEncrypted")
	failed, isCall := problem.AsCall(err)
	if !isCall || ops.LacksAction(err) {
		return nil
	}
	return failed
}
