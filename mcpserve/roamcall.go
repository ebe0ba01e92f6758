package mcpserve

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

const (
	tokenLookTimeout = 2 * time.Second
	confirmation     = "confirmation" // begins the names of the forms of Confirm
)

var _ ops.Caller = roamCaller{}

// Send implements ops.Caller. While it waits, the client hears of it where it
// asked to.
func (c roamCaller) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	stop := c.progress.repeat(ctx, c.waitingForRoam())
	defer stop()
	s, entry := c.server, c.target.entry
	var reply localapi.Reply
	err := c.withRoam(ctx, entry.Graph(), func() (err error) {
		reply, err = c.Look(ctx, action, args...)
		return err
	})
	if err == nil && entry.LastKnownTokenStatus == localapi.TokenRevoked {
		s.noteToken(ctx, entry, localapi.TokenInfo{Status: localapi.TokenUnknown}, true)
	}
	return reply, err
}

// Look implements ops.Caller.
func (c roamCaller) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.server.callRoam(ctx, c.patience(), c.target.entry, action, args...)
}

// Confirm implements ops.Caller, with a form that has nothing but its question. In the
// stateless era the answer counts for this question alone, which this process has put: a
// call that asks another one is asked about again. A call that has written something can't
// come again there, so its later questions are not put.
func (c roamCaller) Confirm(ctx context.Context, question string) (ops.Answer, error) {
	id := confirmation + ":" + c.server.sealer.sealQuestion(c.target.entry.Graph(), question)
	if c.session == nil && c.graph.Wrote() && c.request.Params.InputResponses[id] == nil {
		return ops.NotAsked, nil
	}
	said, err := c.elicit(ctx, id, &mcp.ElicitParams{
		Mode: "form", Message: question, RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
	})
	switch {
	case err != nil:
		return ops.NotAsked, err
	case said == nil:
		return ops.NotAsked, nil
	case said.Action == "accept":
		return ops.Allowed, nil
	}
	return ops.Declined, nil
}

// Waiting implements ops.Caller. The client hears of it at once: a call may wait
// many times for less than the interval of progress.
func (c roamCaller) Waiting(ctx context.Context, what string) (stop func()) {
	c.progress.tell(ctx, what)
	return c.progress.repeat(ctx, func() string { return what })
}

// Explain implements ops.Caller: it adds which graph it was, and how a person gets
// a new token for it.
func (c roamCaller) Explain(ctx context.Context, err error) error {
	roam, ok := problem.AsCall(err)
	if !ok {
		return err
	}
	switch {
	case unauthorized(roam):
		return c.explainUnauthorized(ctx, roam)
	case roam.Code == localapi.CodeGraphNotFound:
		return explainGone(c.target.entry, roam)
	case roam.Code == localapi.CodeInsufficientScope:
		return c.explainScope(ctx, roam)
	case roam.Code == localapi.CodeConnectionFailed && roam.Sent(): // a write of which this is true is looked for
		told := explainRoam(roam)
		told.Hint = problem.Say("Nothing was written by this. Try again.")
		return told
	case c.tool != nil && c.tool.Explain != nil:
		return c.tool.Explain(explainRoam(roam))
	}
	return err
}

// explainGone returns the error for a configured graph that Roam does not have any more.
func explainGone(entry configstore.Entry, roam *problem.Error) *problem.Error {
	told := explainRoam(roam)
	told.Hint = problem.Say("Ask the user what became of the graph %s; %s without graph lists those that Roam has.", safetext.Quote(entry.Name), task.SetUpGraph).
		Or("Ask the user what became of the graph %s.", safetext.Quote(entry.Name))
	return told
}

// unauthorized reports whether the token is what Roam refuses, so that a new
// one is the way on.
func unauthorized(e *problem.Error) bool { return e.Status() == 401 }

func (c roamCaller) explainUnauthorized(ctx context.Context, roam *problem.Error) *problem.Error {
	entry := c.target.entry
	if roam.Code == localapi.CodeTokenNotFound && entry.LastKnownTokenStatus != localapi.TokenRevoked {
		c.lookAtToken(ctx, false) // only tokens/info may call a token revoked
	}
	return renewal(entry, roam)
}

// renewal returns the error for a token that Roam does not take, with the way to a new
// one.
func renewal(entry configstore.Entry, roam *problem.Error) *problem.Error {
	told, reauthorize := explainRoam(roam), problem.Run("reauth", entry.Nickname)
	told.Hint = problem.Say("Call %s with graph %s: Roam asks the user for a new token. Or the user runs: %s", task.SetUpGraph, safetext.Quote(entry.Name), reauthorize).
		Or("Ask the user to re-authorize the graph %s, in roam-mcp or with: %s", safetext.Quote(entry.Nickname), reauthorize)
	told.Next = task.SetUpGraph
	return told
}

// explainScope also notes that the token permits less than was known.
func (c roamCaller) explainScope(ctx context.Context, roam *problem.Error) *problem.Error {
	entry := c.target.entry
	c.lookAtToken(ctx, true)
	told := explainRoam(roam)
	told.Hint = told.Hint.Then("Where the user wants that: %s with graph %s and the accessLevel needed.", task.SetUpGraph, safetext.Quote(entry.Name))
	return told
}

// lookAtToken asks Roam about the call's token, and notes what is news.
func (c roamCaller) lookAtToken(ctx context.Context, worked bool) {
	entry := c.target.entry
	ctx, cancel := context.WithTimeout(ctx, c.server.timeouts.tokenLook)
	defer cancel()
	c.server.noteToken(ctx, entry, c.server.options.Roam.TokenInfo(ctx, entry.Graph(), entry.Token), worked)
}

// noteToken keeps what Roam said of a token. A token that works is active, even
// where Roam was not asked or could not say.
func (s *Server) noteToken(ctx context.Context, entry configstore.Entry, info localapi.TokenInfo, worked bool) {
	status := localapi.TokenStatus("")
	switch {
	case info.Status == localapi.TokenActive, info.Status == localapi.TokenUnknown && worked:
		status = localapi.TokenActive
	case info.Status == localapi.TokenRevoked && !worked:
		status = localapi.TokenRevoked
	default:
		return
	}
	level := info.AccessLevel
	if !level.Known() { // a level from a newer Roam is shown, never stored
		level = ""
	}
	if status == entry.LastKnownTokenStatus && (level == "" || level == entry.AccessLevel) {
		return
	}
	// The reply does not wait for another process to let go of the file.
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.note)
	defer cancel()
	if err := s.options.Store.SetTokenStatus(ctx, entry.Graph(), entry.Token, status, level); err != nil {
		s.log.Warn("the token's status could not be saved", "graph", entry.Nickname, "code", explained(err).Code)
	}
}
