package ops

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
)

// Attempts are the writes of a call, as Graph.Attempts returns them, for the same call made
// again.
type Attempts struct {
	made []attempt
	uids []string // that the call has given to what it makes
	told bool     // the caller knows of what is in doubt
}

// Any reports whether a write was sent.
func (a Attempts) Any() bool { return len(a.made) > 0 }

// Meet reports whether one of the writes has changed, made or removed something that one of others
// has.
func (a Attempts) Meet(others Attempts) bool {
	things := map[string]bool{}
	for _, each := range others.made {
		for _, uid := range each.write.Done(each.outcome.Reply).UIDs {
			things[uid] = true
		}
	}
	return slices.ContainsFunc(a.made, func(each attempt) bool {
		return slices.ContainsFunc(each.write.Done(each.outcome.Reply).UIDs, func(uid string) bool { return things[uid] })
	})
}

// attempt is a write that was sent, and how it ended.
type attempt struct {
	content string // as contentOf has it
	write   Write
	began   int64 // when it was sent, in ms
	record  Record
	outcome Outcome
}

// attempts are the writes of a call so far, and those of the same call before.
type attempts struct {
	mu      sync.Mutex
	made    []attempt // of this call, those that were made before among them
	earlier []attempt // that this call has not come to
	uids    []string  // that this call has given to what it makes
	given   []string  // that the one before has given, and this one has not
	told    bool      // see Attempts
	repeats bool      // a write was answered with what the one before had done
	sends   bool      // a write was sent
}

// Repeating returns the operations for a call that was made before: a write that it has sent
// already is answered with what that did, and sent again only where it was not done, or where
// nobody can tell and the caller knows that.
func (g *core) Repeating(earlier Attempts) *Graph {
	repeating := *g
	repeating.attempts = &attempts{earlier: earlier.made, given: earlier.uids, told: earlier.told}
	return repeating.asGraph()
}

// Told reports whether the caller knows of those that are in doubt.
func (a Attempts) Told() bool { return a.told }

// Attempts returns the writes of the call so far, and those of the same call before that it has
// not come to. told says that the caller knows of those that are in doubt.
func (g *core) Attempts(told bool) Attempts {
	g.attempts.mu.Lock()
	defer g.attempts.mu.Unlock()
	return Attempts{slices.Concat(g.attempts.made, g.attempts.earlier), slices.Concat(g.attempts.uids, g.attempts.given), told}
}

// NewUID returns a uid for a new page or block, as Roam makes them. The same call made again has
// the same ones.
func (g *core) NewUID() (uid string, err error) {
	a := g.attempts
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.given) > 0 {
		uid, a.given = a.given[0], a.given[1:]
	} else if uid, err = outline.NewUID(rand.Reader); err != nil {
		return "", err
	}
	a.uids = append(a.uids, uid)
	return uid, nil
}

// DoneBefore reports whether some of the writes of the same call before were done that this one
// has not come to.
func (g *core) DoneBefore(ctx context.Context) bool {
	g.attempts.mu.Lock()
	earlier := slices.Clone(g.attempts.earlier)
	g.attempts.mu.Unlock()
	return slices.ContainsFunc(earlier, func(each attempt) bool {
		return each.outcome.Applied == Yes || each.outcome.Applied == Unknown && sender{g}.Settle(ctx, each.write, each.began).Applied == Yes
	})
}

// Repeated reports whether all that the call wrote was done by the same call before.
func (g *core) Repeated() bool {
	g.attempts.mu.Lock()
	defer g.attempts.mu.Unlock()
	return g.attempts.repeats && !g.attempts.sends
}

// Sent reports whether the call has sent a write.
func (g *core) Sent() bool {
	g.attempts.mu.Lock()
	defer g.attempts.mu.Unlock()
	return g.attempts.sends
}

// note adds a write that was sent.
func (a *attempts) note(made attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made, a.sends = append(a.made, made), true
}

// take returns the first write of a content that the same call has sent before.
func (a *attempts) take(content string) (attempt, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := slices.IndexFunc(a.earlier, func(each attempt) bool { return each.content == content })
	if at < 0 {
		return attempt{}, false
	}
	found := a.earlier[at]
	a.earlier = slices.Delete(slices.Clone(a.earlier), at, at+1)
	return found, true
}

// answer notes a write that is answered with what an earlier one did.
func (a *attempts) answer(earlier attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made, a.repeats = append(a.made, earlier), true
}

// repeated returns how a write ended that the same call has sent before; false where it is to
// be sent. What was in doubt is looked for, and what the caller knows to have been done: it may
// have been changed since.
func (a *attempts) repeated(ctx context.Context, g sender, content string) (Outcome, bool) {
	earlier, ok := a.take(content)
	if !ok || earlier.outcome.Applied == No {
		return Outcome{}, false
	}
	if doubtful := earlier.outcome.Applied == Unknown; doubtful || a.told {
		seen := g.Settle(ctx, earlier.write, earlier.began)
		switch {
		case seen.Applied == No, doubtful && seen.Applied == Unknown && a.told:
			return Outcome{}, false
		case doubtful && seen.Applied == Unknown:
			seen.Err = stillUnknown(earlier.outcome.Err, seen.Evidence)
			earlier.outcome = seen
		case doubtful:
			earlier.record.End(seen)
			earlier.outcome = seen
		}
	}
	a.answer(earlier)
	return earlier.outcome, true
}

// stillUnknown returns the error of a write that is in doubt, with what a later look has found.
func stillUnknown(doubt error, evidence string) error {
	failed := Explained(doubt)
	if call, ok := problem.AsCall(failed.Err); ok {
		failed = call
	}
	return outcomeUnknown(failed, unanswered, Unknown, evidence)
}
