package probe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/observed"
	"roam-mcp/localapi"
	"roam-mcp/problem"
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
	errUnclear   = errors.New("what came can't be told apart from something else")
	errOtherUID  = errors.New("it needs uids that Roam does not honour")
)

// asking is one run of a check. Its first error ends it: what its methods do after that
// sends nothing, and what they return does not matter.
type asking struct {
	*run
	check    Check
	belief   observed.Belief
	parent   string // the block below which it writes; empty until it does
	decisive *exchange
	err      error
}

// object is an argument.
type object = map[string]any

// answer runs the check.
func (a *asking) answer(ctx context.Context) observed.Check {
	started := time.Now()
	found := a.check.run(ctx, a)
	out := observed.Check{ID: a.belief.ID, Expected: a.belief.Expected, Found: found, Verdict: observed.Same, MS: time.Since(started).Milliseconds()}
	switch {
	case a.err != nil:
		out.Found, out.Verdict = "", observed.Untold
	case found != a.belief.Expected:
		a.decide()
		out.Verdict, out.Request, out.Reply = observed.Differ, a.decisive.request, a.decisive.reply
	}
	return out
}

// decide keeps the latest call as the one that decided, unless one did before.
func (a *asking) decide() {
	if a.decisive == nil {
		last := a.latest()
		a.decisive = &last
	}
}

// failed notes an error, and reports whether there was one so far.
func (a *asking) failed(err error) bool {
	if a.err == nil {
		a.err = err
	}
	return a.err != nil
}

// whyNot says in one sentence why there is no answer.
func whyNot(err error) string {
	code := problem.CodeOf(err)
	switch {
	case errors.Is(err, errDisturbed):
		return "Somebody wrote there meanwhile."
	case errors.Is(err, errOtherUID):
		return "It needs uids of its own, which this Roam does not take."
	case errors.Is(err, errGone):
		return "Roam did not answer any more."
	case errors.Is(err, errSpent), errors.Is(err, context.DeadlineExceeded) && code != localapi.CodeTimeout:
		return "The probe had used up its requests or its time."
	case code == localapi.CodeTimeout:
		return "No answer came within 10 seconds."
	case errors.Is(err, context.Canceled), code == problem.CodeCancelled:
		return "It was interrupted."
	case code == localapi.CodeUnknownAction:
		return "This build of Roam lacks an action that it needs."
	case mayNot(err):
		return "The token, or its user, may not do it."
	case code == CodeList:
		return "The list of what the probe makes could not be written."
	}
	return "The reply does not tell."
}

// try sends a write and reports whether Roam took it; a refusal is no error.
func (a *asking) try(ctx context.Context, action string, arg object) (result json.RawMessage, taken bool) {
	if a.err != nil {
		return nil, false
	}
	result, err := a.write(ctx, action, arg)
	if !refused(err) {
		a.failed(err)
	}
	return result, err == nil
}

// do sends a write that Roam has to take.
func (a *asking) do(ctx context.Context, action string, arg object) json.RawMessage {
	if a.err != nil {
		return nil
	}
	result, err := a.write(ctx, action, arg)
	a.failed(err)
	return result
}

// look sends a read and reports whether Roam answered it; a refusal is no error.
func (a *asking) look(ctx context.Context, action string, args ...any) (result json.RawMessage, taken bool) {
	if a.err != nil {
		return nil, false
	}
	result, err := a.read(ctx, action, args...)
	if lacks(err) && action == "data.q" {
		result, err = a.read(ctx, a.query, args...)
	}
	if !refused(err) {
		a.failed(err)
	}
	return result, err == nil
}

// at is a place below a block.
func at(parent string, order any) object { return object{"parent-uid": parent, "order": order} }

// part is a block with one further key.
func part(uid, key string, value any) object { return object{"block": object{"uid": uid, key: value}} }

func (a *asking) update(ctx context.Context, uid, text string) {
	a.do(ctx, "data.block.update", part(uid, "string", text))
}

func (a *asking) delete(ctx context.Context, uid string) {
	a.do(ctx, "data.block.delete", object{"block": object{"uid": uid}})
}

func (a *asking) move(ctx context.Context, uid string, to object) (taken bool) {
	_, taken = a.try(ctx, "data.block.move", object{"location": to, "block": object{"uid": uid}})
	return taken
}

// createAs makes a block with this uid, without a second try.
func (a *asking) createAs(ctx context.Context, parent, uid, text string) (taken bool) {
	_, taken = a.try(ctx, "data.block.create", object{"location": at(parent, "last"), "block": object{"uid": uid, "string": text}})
	return taken
}

// fresh returns a uid that nothing has.
func (a *asking) fresh() string {
	uid, err := a.uid()
	a.failed(err)
	return uid
}

// ownUIDs ends a check that needs uids of its own where Roam does not honour them.
func (a *asking) ownUIDs() {
	if a.uids != honoured {
		a.failed(errOtherUID)
	}
}

// make makes a block at the end of its parent and returns its uid.
func (a *asking) make(ctx context.Context, parent, text string) string {
	if a.err != nil {
		return ""
	}
	uid, err := a.create(ctx, parent, text)
	a.failed(err)
	return uid
}

// home returns the uid of the block below which the check writes.
func (a *asking) home(ctx context.Context) string {
	if a.parent == "" {
		a.parent = a.make(ctx, a.page, a.say(a.check.ID))
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

// titled makes a page and returns its uid.
func (a *asking) titled(ctx context.Context, name string) string {
	if a.err != nil {
		return ""
	}
	uid, err := a.newPage(ctx, name)
	a.failed(err)
	return uid
}

// kids returns the blocks below another one, in their order.
func (a *asking) kids(ctx context.Context, parent string) []block {
	if a.err != nil {
		return nil
	}
	blocks, err := a.children(ctx, parent)
	a.failed(err)
	return blocks
}

// order returns the words of the blocks below another one, without the run's own.
func (a *asking) order(ctx context.Context, parent string) string {
	var words []string
	for _, b := range a.kids(ctx, parent) {
		words = append(words, strings.TrimPrefix(b.text, a.say("")))
	}
	return strings.Join(words, " ")
}

// text returns the text of a block.
func (a *asking) text(ctx context.Context, uid string) string {
	if a.err != nil {
		return ""
	}
	text, err := a.textOf(ctx, uid)
	a.failed(err)
	return text
}

// deviates notes one of several deviations, with the call that shows it.
func (a *asking) deviates(parts *[]string, part string, shows exchange) {
	if a.decisive == nil {
		a.decisive = &shows
	}
	*parts = append(*parts, part)
}

// tidy removes pages of a check when it has ended, so that few are there at once. What it
// can't remove is removed at the end.
func (a *asking) tidy(ctx context.Context, names ...string) {
	if a.err != nil {
		return
	}
	a.decide()
	for i := range names {
		names[i] = a.title(names[i])
	}
	left, err := a.removePages(ctx, names...)
	a.failed(err)
	if slices.ContainsFunc(left, func(l Left) bool { return l.Foreign }) {
		a.failed(errDisturbed)
	}
}
