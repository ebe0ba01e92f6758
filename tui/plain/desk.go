package plain

import (
	"context"

	"roam-mcp/tui"
)

// approvals is the sandbox's approval desk, where this program hosts it.
type approvals struct {
	updates  <-chan []tui.AccessRequest // nil: no desk here
	requests []tui.AccessRequest        // open ones, oldest first
	told     map[string]bool            // by ID: what was told of the open ones
}

// poll takes what the desk has to tell without waiting for it.
func (a *approvals) poll(p *prompter) {
	select {
	case requests, open := <-a.updates:
		a.follow(p, requests, open)
	default:
	}
}

// follow takes notice of what is open now and tells of what is new. It reports
// whether anything was told.
func (a *approvals) follow(p *prompter, requests []tui.AccessRequest, open bool) (news bool) {
	if !open {
		a.updates, a.requests = nil, nil
		return false
	}
	told := map[string]bool{}
	for _, request := range requests {
		if !a.told[request.ID] {
			if p.options.Terminal && !news {
				p.say("") // off the line of the question
			}
			p.tell("Roam (sandbox): "+request.Sentence(p.glyphs), "To answer it, choose: answer.")
			news = true
		}
		told[request.ID] = true
	}
	a.requests, a.told = requests, told
	return news
}

// decisions are the answers to a request, in the order of decided.
func decisions() []option {
	return []option{
		{word: "allow", about: "what was asked for", also: []string{"a"}},
		{word: "lower", about: "allow reading only", also: []string{"l"}},
		{word: "deny", about: "not this time", also: []string{"n"}},
		{word: "never", about: "deny, and block the requests that come later", also: []string{"!"}},
	}
}

// denying is the index of the answer that Enter gives: the safe one.
const denying = 2

// answerRequest is the job that answers the oldest open request.
func (s *session) answerRequest(ctx context.Context) error {
	s.desk.poll(&s.prompter)
	switch {
	case s.ports.Desk == nil:
		s.tell("No sandbox runs in this program, so nothing asks here.")
		return nil
	case len(s.desk.requests) == 0:
		s.tell("No request is open.")
		return nil
	}
	request := s.desk.requests[0]
	s.tell("Roam (sandbox): " + request.Sentence(s.glyphs))
	i, err := s.choose(ctx, "Answer", decisions(), denying)
	if err != nil {
		return err
	}
	s.decide(request, i)
	return nil
}

// decide hands the answer to the desk and tells what it was.
func (s *session) decide(request tui.AccessRequest, i int) {
	decision := []tui.Decision{tui.Allow, tui.AllowReadOnly, tui.Deny, tui.Never}[i]
	if err := s.ports.Desk.Answer(request.ID, decision); err != nil {
		s.fail(err)
		return
	}
	s.tell("Roam (sandbox): " + []string{"Allowed.", "Allowed, to read only.", "Denied.", "Denied, and blocked from now on."}[i])
	var rest []tui.AccessRequest
	for _, r := range s.desk.requests {
		if r.ID != request.ID {
			rest = append(rest, r)
		}
	}
	s.desk.requests = rest
}
