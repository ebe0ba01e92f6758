package mcpserve

import (
	"context"
	"net/http"
	"slices"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Answers finds out what Roam's word on a token does not tell: whether a graph that is
// open answers calls, of this version. It opens nothing. nil: it does, or nobody knows.
func (r *Roam) Answers(ctx context.Context, entry configstore.Entry) *problem.Error {
	roam, ok := r.options.API.(interface {
		OpenGraphs(ctx context.Context) ([]localapi.Graph, error)
	})
	if !ok {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, r.options.Timeouts.Token)
	defer cancel()
	open, err := roam.OpenGraphs(limited)
	switch {
	case err != nil:
		if failed := Explained(err); failed.Code == localapi.CodeDisabled {
			return failed
		}
		return nil
	case !slices.Contains(open, entry.Graph()): // the next call that needs it opens it
		return nil
	}
	reply, err := r.call(ctx, r.options.Timeouts.Token, entry, localapi.EncryptionAction)
	failed, isCall := problem.AsCall(err)
	if _, err = localapi.EncryptionIn(reply, err); !isCall || err == nil && failed.Status() != http.StatusForbidden {
		return nil // it answers, also where it does not know the question
	}
	return failed
}
