package mcpserve

import (
	"context"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// waitingForRoam is what progress tells while Roam has not answered.
const waitingForRoam = "Waiting for Roam: it may be opening the graph or asking for its password."

// timeoutNotice is how long before Roam's time is over progress tells of it.
const timeoutNotice = time.Minute

// Caller calls Roam for one call of a tool, or for one reading of a resource.
type Caller struct {
	Roam     *Roam
	Entry    *configstore.Entry // of the graph; a call that goes on may find another token in it
	Reads    bool               // nothing is written, so Roam has less time
	Progress *Progress
	// Refused adds to Roam's error what is true of the tool; nil: nothing.
	Refused func(*problem.Error) *problem.Error
}

var _ ops.Caller = (*Caller)(nil)

// Send implements ops.Caller. While it waits, the client hears of it where it
// asked to.
func (c *Caller) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	stop := c.Repeat(ctx)
	defer stop()
	entry, patience := *c.Entry, c.patience()
	reply, err := c.Roam.call(ctx, patience, entry, action, args...)
	opened, err := c.Opened(ctx, entry.Graph(), err)
	if opened {
		reply, err = c.Roam.call(ctx, patience, entry, action, args...)
	}
	if err == nil && entry.LastKnownTokenStatus == localapi.TokenRevoked {
		c.Roam.NoteToken(ctx, entry, localapi.TokenInfo{Status: localapi.TokenUnknown}, true)
	}
	return reply, err
}

// Look implements ops.Caller.
func (c *Caller) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.Roam.call(ctx, c.patience(), *c.Entry, action, args...)
}

// patience returns how long Roam has to answer a request.
func (c *Caller) patience() time.Duration {
	if c.Reads {
		return c.Roam.options.Timeouts.Read
	}
	return c.Roam.options.Timeouts.Write
}

// Repeat has the client hear, until stop is called, that a request which is sent now waits
// for its answer.
func (c *Caller) Repeat(ctx context.Context) (stop func()) {
	end := time.Now().Add(c.patience())
	return c.Progress.Repeat(ctx, func() string {
		left := time.Until(end)
		if left > timeoutNotice || left <= 0 {
			return waitingForRoam
		}
		return waitingForRoam + " It has " + inWords(left) + " left to answer."
	})
}

// Waiting implements ops.Caller. The client hears of it at once: a call may wait
// many times for less than the interval of progress.
func (c *Caller) Waiting(ctx context.Context, what string) (stop func()) {
	c.Progress.Tell(ctx, what)
	return c.Progress.Repeat(ctx, func() string { return what })
}

// Explain implements ops.Caller: it adds which graph it was, and how a person gets
// a new token for it.
func (c *Caller) Explain(ctx context.Context, err error) error {
	roam, ok := problem.AsCall(err)
	if !ok {
		return err
	}
	switch {
	case Unauthorized(roam):
		return c.explainUnauthorized(ctx, roam)
	case roam.Code == localapi.CodeGraphNotFound:
		return Gone(*c.Entry, roam)
	case roam.Code == localapi.CodeInsufficientScope:
		return c.explainScope(ctx, roam)
	case roam.Code == localapi.CodeConnectionFailed && roam.Sent(): // a write of which this is true is looked for
		told := ExplainRoam(roam)
		told.Hint = problem.Say("Nothing was written by this. Try again.")
		return told
	case c.Refused != nil:
		return c.Refused(ExplainRoam(roam))
	}
	return err
}

// Gone returns the error for a configured graph that Roam does not have any more.
func Gone(entry configstore.Entry, roam *problem.Error) *problem.Error {
	told := ExplainRoam(roam)
	told.Hint = problem.Say("Ask the user what became of the graph %s; %s without graph lists those that Roam has.", textsafe.Quote(entry.Name), problem.SetUpGraph).
		Or("Ask the user what became of the graph %s.", textsafe.Quote(entry.Name))
	return told
}

// Unauthorized reports whether the token is what Roam refuses, so that a new
// one is the way on.
func Unauthorized(e *problem.Error) bool { return e.Status() == 401 }

func (c *Caller) explainUnauthorized(ctx context.Context, roam *problem.Error) *problem.Error {
	entry := *c.Entry
	if roam.Code == localapi.CodeTokenNotFound && entry.LastKnownTokenStatus != localapi.TokenRevoked {
		c.lookAtToken(ctx, false) // only tokens/info may call a token revoked
	}
	return Renewal(entry, roam)
}

// Renewal returns the error for a token that Roam does not take, with the way to a new
// one.
func Renewal(entry configstore.Entry, roam *problem.Error) *problem.Error {
	told, reauthorize := ExplainRoam(roam), problem.Run("reauth", entry.Nickname)
	told.Hint = problem.Say("Call %s with graph %s: Roam asks the user for a new token. Or the user runs: %s", problem.SetUpGraph, textsafe.Quote(entry.Name), reauthorize).
		Or("Ask the user to re-authorize the graph %s, in roam-mcp or with: %s", textsafe.Quote(entry.Nickname), reauthorize)
	told.Next = problem.SetUpGraph
	return told
}

// explainScope also notes that the token permits less than was known.
func (c *Caller) explainScope(ctx context.Context, roam *problem.Error) *problem.Error {
	entry := *c.Entry
	c.lookAtToken(ctx, true)
	told := ExplainRoam(roam)
	told.Hint = told.Hint.Then("Where the user wants that: %s with graph %s and the accessLevel needed.", problem.SetUpGraph, textsafe.Quote(entry.Name))
	return told
}

// lookAtToken asks Roam about the call's token, and notes what is news.
func (c *Caller) lookAtToken(ctx context.Context, worked bool) {
	entry := *c.Entry
	ctx, cancel := context.WithTimeout(ctx, c.Roam.options.Timeouts.Token)
	defer cancel()
	c.Roam.NoteToken(ctx, entry, c.Roam.options.API.TokenInfo(ctx, entry.Graph(), entry.Token), worked)
}
