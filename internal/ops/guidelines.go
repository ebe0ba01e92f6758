package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// CodeGuidelinesProtected is the code of a write that touches the user's rules
// for agents (TOOLS.md, "Errors of our own").
const CodeGuidelinesProtected problem.Code = "GUIDELINES_PROTECTED"

// titlesFresh is how long it is believed which pages the guidelines show, by writes that
// name a page by its title and need no other read.
const titlesFresh = time.Minute

// guidelinesTitles are the titles of the page that Roam takes the guidelines
// from, the present one first, then that of builds of early 2026 (LOCAL_API.md 2.1).
func guidelinesTitles() []string { return []string{"roam/agent guidelines", "agent guidelines"} }

// ProtectGuidelines is a Guard that refuses writes which change what the page with the
// guidelines shows (see guarded), unless the person allows it, who is shown the whole
// change. What is shown is read right before each write that names a uid. A write that
// names a page by its title alone believes a reading of the last minute, unless Forget was
// called. A write is refused where a read fails.
//
// What a person changes in Roam between the read and the write is not known to it, and
// neither is what an extension does besides what its arguments name.
type ProtectGuidelines struct {
	now func() time.Time

	mu    sync.Mutex
	known map[localapi.Graph]knownGuidelines
}

// knownGuidelines is what was read of a graph, and when.
type knownGuidelines struct {
	*guarded
	at time.Time
}

// NewProtectGuidelines returns the Guard; now is for time.Now.
func NewProtectGuidelines(now func() time.Time) *ProtectGuidelines {
	return &ProtectGuidelines{now: now, known: map[localapi.Graph]knownGuidelines{}}
}

// Forget has the guidelines of a graph read again by the next write, as after they were
// shown to an agent.
func (p *ProtectGuidelines) Forget(graph localapi.Graph) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, graph)
}

// Check implements Guard.
func (p *ProtectGuidelines) Check(ctx context.Context, attempt Attempt) error {
	reach := attempt.Footprint
	touches, err := p.touches(ctx, attempt, reach)
	if err != nil || !touches {
		return err
	}
	question, err := askAbout(ctx, attempt, reach.Changes())
	if err != nil {
		return err
	}
	switch answer, err := attempt.Caller.Confirm(ctx, question); {
	case err != nil:
		return err
	case answer == Declined:
		return protected("The user did not allow a change of [[roam/agent guidelines]], so nothing was written.", problem.Say("Do not ask again by yourself."))
	case answer == NotAsked:
		return protected("This touches [[roam/agent guidelines]], the user's rules for agents, so nothing was written.", theUsersWay())
	}
	p.Forget(attempt.Graph)
	if again, err := askAbout(ctx, attempt, reach.Changes()); err != nil || again != question {
		return protected("What this changes of [[roam/agent guidelines]] was changed while the user was asked, so nothing was written.", problem.Say("Read it again before you ask again."))
	}
	return nil
}

// theUsersWay says how a change of the guidelines is made that agents may not make.
func theUsersWay() problem.Hint {
	return problem.Say("Tell the user what you would change. They can write it in Roam, or let agents do it by starting the server with --edit-guidelines.").
		Append(problem.Say("Do not try another way."))
}

func protected(message string, hint problem.Hint) *problem.Error {
	return notRetryable(problem.Error{Code: CodeGuidelinesProtected, Message: message, Hint: hint})
}

// touches reports whether a write changes what the guidelines show.
func (p *ProtectGuidelines) touches(ctx context.Context, attempt Attempt, reach Footprint) (bool, error) {
	if slices.ContainsFunc(reach.Titles, isGuidelinesTitle) || slices.ContainsFunc(reach.Mentions, namesGuidelines) {
		return true, nil
	}
	named := len(reach.Places)+len(reach.Mentions) > 0
	if !named && len(reach.Titles) == 0 {
		return false, nil
	}
	shown, fresh := p.recent(attempt.Graph)
	if named || !fresh {
		var err error
		if shown, err = readGuarded(ctx, attempt.Caller, reach.Retitled); err != nil {
			return false, p.unchecked(ctx, attempt, err)
		}
		p.note(attempt.Graph, shown)
	}
	if shown.partial && shown.maybeTouchedBy(reach) {
		return false, p.unchecked(ctx, attempt, &problem.Error{
			Code: localapi.CodeUnknownAction, Message: "Roam answers no queries.", Call: &problem.Call{Action: plainQuery, Sent: true},
		})
	}
	return shown.touchedBy(reach), nil
}

// maybeTouchedBy reports whether a write may touch what is not known of the guidelines.
func (g *guarded) maybeTouchedBy(reach Footprint) bool {
	return len(g.roots) > 0 && (len(reach.Removed) > 0 || reach.Inner != nil) || len(g.links) > 0 && len(reach.Retitled) > 0
}

func (p *ProtectGuidelines) recent(graph localapi.Graph) (*guarded, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.known[graph]
	return known.guarded, ok && p.now().Sub(known.at) < titlesFresh
}

func (p *ProtectGuidelines) note(graph localapi.Graph, shown *guarded) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[graph] = knownGuidelines{shown, p.now()}
}

func isGuidelinesTitle(title string) bool {
	title = strings.TrimSpace(title)
	return slices.ContainsFunc(guidelinesTitles(), func(each string) bool { return strings.EqualFold(title, each) })
}

// namesGuidelines reports whether a text has the title of the page in it, or is
// that of older builds.
func namesGuidelines(text string) bool {
	return isGuidelinesTitle(text) || strings.Contains(strings.ToLower(text), guidelinesTitles()[0])
}

// unchecked returns the error of a write of which nobody knows whether it touches the
// guidelines. What the write would have met as well, a Roam that is closed, a graph that is
// gone or a token that is not good, is said as it is.
func (p *ProtectGuidelines) unchecked(ctx context.Context, attempt Attempt, err error) error {
	if errors.Is(err, errTooMuchShown) {
		return protected(fmt.Sprintf("The page [[roam/agent guidelines]] embeds more than the %d blocks that can be guarded, so nothing was written.", mostGuarded),
			problem.Say("Tell the user: they can embed less there, or start the server with --edit-guidelines."))
	}
	err = attempt.Caller.Explain(ctx, err)
	failed, ok := problem.AsCall(err)
	if !ok || !failed.Sent() || failed.Code == localapi.CodeGraphNotFound || failed.Status() == 401 || failed.Status() == 403 {
		return err
	}
	unchecked := *failed
	unchecked.Message = "Nothing was written, since it could not be checked whether this touches the user's guidelines. " + failed.Message
	return &unchecked
}
