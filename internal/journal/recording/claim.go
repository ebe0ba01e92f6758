package recording

import (
	"context"
	"errors"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

var _ ops.Claims = (*Recording)(nil)

// Claim implements ops.Claims. Where the journal can't be written, taking the claim ends as
// a write of the call would: a call that only adds goes on, and none of it is recorded.
func (r *Recording) Claim(graph localapi.Graph, uid string) ops.Claim {
	c := &claim{recording: r, claim: r.recorder.options.Journal.Claim(graphOf(graph), uid, r.call.Who.Agent)}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.claim.Mark, c.claim.Call = r.mark, r.number
	return c
}

// claim is that of a page for a call that is recorded.
type claim struct {
	recording *Recording
	claim     *history.Claim
}

// Take implements ops.Claim. What the call reads after others have changed the page is the
// first that Begin may be given.
func (c *claim) Take(ctx context.Context) (changed bool, err error) {
	r := c.recording
	if r.Unrecorded() {
		return true, nil
	}
	changed, err = c.claim.Take(ctx)
	var claimed *history.ClaimedError
	switch {
	case errors.As(err, &claimed):
		return false, &ops.ClaimedError{Agent: claimed.Agent}
	case err != nil && r.call.Adds && unwritable(err):
		r.goUnrecorded(err)
		return true, nil
	case err != nil:
		return false, explainUnwritable(err)
	}
	if changed {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.mark != 0 {
			r.mark = c.claim.Mark
		}
	}
	return changed, nil
}

// Release implements ops.Claim.
func (c *claim) Release() { c.claim.Release() }

// goUnrecorded has all that the call writes go out without a record, since it can't be
// recorded.
func (r *Recording) goUnrecorded(err error) {
	r.recorder.log.Warn("a write is not recorded", "code", problem.CodeOf(err), "tool", r.call.Tool)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unrecorded = true
}
