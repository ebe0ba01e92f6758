package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/problem"
)

// Check asks about one belief.
type Check struct {
	ID string
	// Follows says what follows where it is otherwise, and whether this program makes it
	// good: one sentence.
	Follows string
	run     func(context.Context, *asking) string // the finding
}

var (
	errDisturbed = errors.New("somebody wrote there meanwhile")
	errUnclear   = errors.New("the reply does not tell")
	errOtherUID  = errors.New("it needs uids of its own, which this Roam does not take")
)

// asking is one run of a check, or of what cleans. Its first error ends it: what its methods
// do after that sends nothing, and what they return does not matter.
type asking struct {
	*run
	belief    Belief
	parent    string    // the block below which it writes; empty until it does
	otherwise []string  // several findings that are not as expected
	decisive  *exchange // what decided; nil: the latest one
	err       error
}

func (a *asking) answer(ctx context.Context, check func(context.Context, *asking) string) Answer {
	started := time.Now()
	found := check(ctx, a)
	out := Answer{ID: a.belief.ID, Expected: a.belief.Expected, Verdict: Untold, MS: time.Since(started).Milliseconds()}
	if a.err != nil {
		return out
	}
	out.Found, out.Verdict = found, Same
	if found != a.belief.Expected {
		a.decide()
		out.Verdict = Differ
		out.Request, out.Reply = a.scrubbed(*a.decisive)
	}
	return out
}

// decide keeps the latest call as the one that decided, unless one did before.
func (a *asking) decide() {
	if a.decisive == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		last := a.last
		a.decisive = &last
	}
}

// deviates notes one of several findings, which the latest call shows.
func (a *asking) deviates(part string) {
	a.decide()
	a.otherwise = append(a.otherwise, part)
}

// several returns the finding that all those noted are together.
func (a *asking) several() string { return a.belief.Join(a.otherwise) }

// fail notes an error, unless there was one before.
func (a *asking) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// list enters in the run's list what is made next.
func (a *asking) list(uids, titles []string, texts ...string) {
	if a.err == nil {
		a.fail(a.made.add(uids, titles, texts...))
	}
}

// whyNot says in one sentence why there is no answer.
func whyNot(err error) string {
	e, ok := problem.As(err)
	switch {
	case ok:
		return e.Message
	case errors.Is(err, context.Canceled):
		return "It was interrupted."
	case errors.Is(err, context.DeadlineExceeded):
		err = errSpent
	}
	return problem.Sentence(err.Error())
}

// try sends a call and reports whether Roam took it; a refusal is no error.
func (a *asking) try(ctx context.Context, action string, args ...any) (result json.RawMessage, taken bool) {
	if a.err != nil {
		return nil, false
	}
	result, err := a.send(ctx, action, args...)
	if !refused(err) {
		a.fail(err)
	}
	return result, err == nil
}

// do sends a call that Roam has to take.
func (a *asking) do(ctx context.Context, action string, args ...any) json.RawMessage {
	if a.err != nil {
		return nil
	}
	result, err := a.send(ctx, action, args...)
	a.fail(err)
	return result
}

// ownUIDs ends a check that needs uids of its own where Roam does not honour them.
func (a *asking) ownUIDs() {
	if !a.honours {
		a.fail(errOtherUID)
	}
}

// home returns the uid of the block below which the check writes.
func (a *asking) home(ctx context.Context) string {
	if a.parent == "" {
		a.parent = a.make(ctx, a.page, a.say(a.belief.ID))
	}
	return a.parent
}

// siblings makes blocks with these words below the check's own, and returns that and them.
func (a *asking) siblings(ctx context.Context, words ...string) (parent string, uids []string) {
	parent = a.home(ctx)
	for _, word := range words {
		uids = append(uids, a.make(ctx, parent, a.say(word)))
	}
	return parent, uids
}

// order returns the words of the blocks below another one, without the run's own.
func (a *asking) order(ctx context.Context, parent string) string {
	var words []string
	for _, b := range a.children(ctx, parent) {
		words = append(words, strings.TrimPrefix(b.text, a.say("")))
	}
	return strings.Join(words, " ")
}

// tidy removes pages of a check when it has ended, so that few are there at once. What it
// can't remove is removed at the end.
func (a *asking) tidy(ctx context.Context, names ...string) {
	a.decide()
	for i := range names {
		names[i] = a.title(names[i])
	}
	left := a.removePages(ctx, names)
	if slices.ContainsFunc(left, func(l Left) bool { return l.Foreign }) {
		a.fail(errDisturbed)
	}
}

// which returns one of two findings.
func which(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
