package mcpserve

import (
	"context"
	"encoding/json"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const (
	lookTimeout = 5 * time.Second
	// A write may still be on its way when it is looked for the first time.
	lookAgain = 2 * time.Second

	// A read that fails while a write is looked for is made again, after
	// readAgain the first time and twice as long each further time.
	readTries = 6
	readAgain = 50 * time.Millisecond
)

// look finds out whether a write happened whose reply was lost: true or false
// only where that is known, with a sentence on how. since is when the write was
// sent, in milliseconds of this machine's clock, which is Roam's clock too.
// nil stands for a write that nothing in the graph shows: where Roam reports
// that it failed, its word is taken.
type look func(ctx context.Context, since int64) (applied, string)

// doubt is how much is left open by a write that failed.
type doubt int

const (
	refused    doubt = iota // Roam's word that nothing was done
	threw                   // Roam broke while it was at it, and is done with it
	unanswered              // it may have been done, or may be still
)

// write runs an action, with its positional arguments, that changes the graph.
// It is sent once. Where the reply is lost the graph is looked at, and the error
// says what was found.
func (c *call) write(ctx context.Context, action string, args []any, find look) (json.RawMessage, error) {
	twins := c.server.underWay.begin(writeKey(c.target.entry.Graph(), action, args), c.server.now().UnixMilli())
	defer func() { twins.end(c.server.now().UnixMilli()) }()
	since := twins.began
	reply, err := c.send(ctx, action, args...)
	if err == nil {
		return reply.Result, nil
	}
	roam, ok := problem.AsCall(err)
	if !ok {
		return nil, c.explain(ctx, err)
	}
	left := doubtOf(roam)
	if left == refused || left == threw && find == nil {
		return nil, c.explain(ctx, err)
	}
	happened, evidence := c.investigate(ctx, since, left, find)
	if happened == appliedYes && twins.met() {
		happened, evidence = appliedUnknown, "It is there, but the same write was sent by another call at the same time. "+evidence
	}
	if left == threw && happened == appliedNo {
		return nil, c.explain(ctx, err)
	}
	unknown := outcomeUnknown(roam, left, happened, evidence)
	if find == nil {
		unknown.Hint = "Sent again, it may be done twice: ask the user first."
	}
	return nil, unknown
}

func outcomeUnknown(roam *problem.Error, left doubt, happened applied, evidence string) *failure {
	f := failureOfRoam(roam)
	what := "The write was sent, but its reply was lost. "
	if left == threw {
		what = "Roam failed while it was at the write. "
	}
	unknown := &failure{
		Code:       CodeOutcomeUnknown,
		Message:    what + f.Message,
		Applied:    &happened,
		Evidence:   evidence,
		HTTPStatus: f.HTTPStatus,
		Action:     f.Action,
		err:        roam,
	}
	switch happened {
	case appliedYes:
		unknown.Hint = "It was done. Do not send it again."
		return unknown.retryable(false)
	case appliedNo:
		unknown.Hint = "It was not done. It can be sent again."
		return unknown.retryable(true)
	case appliedUnknown:
	}
	unknown.Hint = "Read the place in the graph before sending it again."
	return unknown.retryable(false)
}

// doubtOf says what a failed call leaves open: whether it was sent, and whether
// what came back, if anything, is Roam's word on it.
func doubtOf(e *problem.Error) doubt {
	if !e.Sent() {
		return refused
	}
	switch e.Status() {
	case 0, 408, 502, 503, 504:
		return unanswered
	}
	switch e.Code {
	case localapi.CodeInvalidReply, localapi.CodeWindowClosed, localapi.CodeQueryTimeout:
		return unanswered
	case localapi.CodeInternal:
		return threw
	}
	return refused
}

// investigate looks twice, unless it sees the write or nothing can be on its
// way any more.
func (c *call) investigate(ctx context.Context, since int64, left doubt, find look) (applied, string) {
	if ctx.Err() != nil {
		return appliedUnknown, "The call was cancelled after it was sent, so nobody looked."
	}
	if find == nil {
		return appliedUnknown, "What it does can't be seen in the graph."
	}
	ctx, cancel := context.WithTimeout(ctx, c.server.waits.look)
	defer cancel()
	happened, evidence := find(ctx, since)
	if happened == appliedYes || left == threw {
		return happened, evidence
	}
	if !c.server.waits.between(ctx, lookAgain) {
		return appliedUnknown, cantLook(ctx.Err())
	}
	return find(ctx, since)
}

// wait waits; it gives false where ctx ends first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func cantLook(err error) string {
	return "It can't be looked at now: " + failureOf(err).Message
}

// read runs a read for a look; it does not touch the token's status. What broke
// the write may break the read too, so a read that fails is made again, unless
// Roam does not know or not permit it.
func (c *call) read(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	for try := 1; ; try++ {
		reply, err := c.server.options.Roam.Call(ctx, c.target.entry.Graph(), c.target.entry.Token, action, args...)
		if err == nil {
			return reply.Result, nil
		}
		if try == readTries || !maybeNextTime(err) || !c.server.waits.between(ctx, readAgain<<(try-1)) {
			return nil, err
		}
	}
}

// maybeNextTime reports whether a read may succeed when it is made again.
func maybeNextTime(err error) bool {
	roam, ok := problem.AsCall(err)
	return ok && !unanswerable(err) && !unauthorized(roam) && roam.Status() != 403 && roam.Code != localapi.CodeCancelled
}

// unanswerable reports whether Roam does not have the action that was called.
func unanswerable(err error) bool {
	roam, ok := problem.AsCall(err)
	return ok && (roam.Code == localapi.CodeUnknownAction || roam.Code == "ACTION_NOT_AVAILABLE")
}
