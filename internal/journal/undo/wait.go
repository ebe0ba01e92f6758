package undo

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// Progress is how far an undo is.
type Progress struct {
	Done, All int           // changes
	Wait      time.Duration // that Roam takes no writes for; 0: it does
}

// String returns the progress in words.
func (p Progress) String() string {
	text := fmt.Sprintf("%d of %d changes are undone.", p.Done, p.All)
	if p.Wait > 0 {
		text += fmt.Sprintf(" Roam takes no more writes for %d seconds: waiting.", int(p.Wait.Seconds()))
	}
	return text
}

const (
	// limitWait is how long an undo waits where Roam takes no more writes and does not say for how
	// long, and longestLimit the longest that it waits in all for one write.
	limitWait    = 5 * time.Second
	longestLimit = 3 * time.Minute
)

// send sends a write, and counts what it was for. Where Roam takes no more writes for a while, it
// waits.
func (w *walk) send(ctx context.Context, write ops.Write, counts int) (json.RawMessage, error) {
	for waited := time.Duration(0); ; {
		reply, err := w.graph.Apply(ctx, write)
		if err == nil {
			w.sent += counts
			return reply, nil
		}
		limit := limitOf(err)
		if limit == nil {
			return nil, err
		}
		wait := waitOf(limit)
		if waited += wait; waited > longestLimit {
			return nil, limit
		}
		w.undo.tell(wait)
		if !w.undo.Wait(ctx, wait) {
			return nil, ctx.Err()
		}
	}
}

// inSeconds matches the part of Roam's sentence that says when it takes writes again.
var inSeconds = lazyregexp.New(`in (\d+) seconds`)

// limitOf returns the error that says that Roam takes no more writes for the moment; nil: it is
// another one.
func limitOf(err error) *problem.Error {
	failed, ok := problem.As(err)
	if ok && failed.Code == ops.CodeOutcomeUnknown { // of which Roam's own word is the cause
		failed, ok = problem.As(failed.Err)
	}
	if !ok || failed.Code != localapi.CodeRateLimited {
		return nil
	}
	return failed
}

// waitOf returns for how long Roam takes no writes, as it says.
func waitOf(failed *problem.Error) time.Duration {
	if seconds, ok := failed.Detail(ops.DetailRetryAfter).(int); ok {
		return time.Duration(seconds) * time.Second
	}
	if said := inSeconds.FindStringSubmatch(failed.Message); said != nil {
		if seconds, err := strconv.Atoi(said[1]); err == nil && seconds > 0 {
			return time.Duration(min(seconds, 60)) * time.Second
		}
	}
	return limitWait
}
