package mcpserve

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

const (
	// tokenFresh is how long Roam's word on a token stands.
	tokenFresh = time.Minute
	// lackingFresh is how long it is remembered that Roam lacks what a tool needs: the
	// user may have updated Roam since.
	lackingFresh = 10 * time.Minute
)

// graphHealth are what has been learned of graphs by asking Roam.
type graphHealth struct {
	mu      sync.Mutex
	tokens  map[tokenOf]tokenSaid
	lacking map[toolOn]lack
}

type (
	tokenOf struct {
		graph localapi.Graph
		token localapi.Token
	}
	tokenSaid struct {
		info localapi.TokenInfo
		at   time.Time
	}
	toolOn struct {
		graph localapi.Graph
		tool  string
	}
	lack struct {
		err *problem.Error
		at  time.Time
	}
)

func newStandings() *graphHealth {
	return &graphHealth{tokens: map[tokenOf]tokenSaid{}, lacking: map[toolOn]lack{}}
}

// noteOutcome remembers whether Roam lacks an action that the tool of a call needs.
func (s *graphHealth) noteOutcome(c *call, err error) {
	if c.graph == nil {
		return
	}
	on := toolOn{c.target.entry.Graph(), c.tool.Name}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		delete(s.lacking, on)
	case ops.IsUnsupported(err):
		s.lacking[on] = lack{Explained(err), c.Now()}
	case problem.CodeOf(err) == localapi.CodeInsufficientScope, problem.CodeOf(err) == localapi.CodeTokenNotFound: // what Roam has said of the token is over
		delete(s.tokens, tokenOf{on.graph, c.target.entry.Token})
	case problem.CodeOf(err) == localapi.CodeScopeExceedsPermission: // the token's level does not tell it
		s.lacking[on] = lack{Explained(err), c.Now()}
	}
}

// lacks returns the error with which a tool has failed for want of an action; nil where
// nothing is known of that.
func (s *graphHealth) lacks(on toolOn, now time.Time) *problem.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.lacking[on]
	if !ok || now.Sub(known.at) >= lackingFresh {
		return nil
	}
	return known.err
}

// token returns what Roam has said of a token within the last minute.
func (s *graphHealth) token(of tokenOf, now time.Time) (localapi.TokenInfo, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	said, ok := s.tokens[of]
	return said.info, ok && now.Sub(said.at) < tokenFresh
}

// noteToken remembers what Roam said of a token, in place of what it said of others for
// the same graph.
func (s *graphHealth) noteToken(of tokenOf, info localapi.TokenInfo, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other := range s.tokens {
		if other.graph == of.graph {
			delete(s.tokens, other)
		}
	}
	s.tokens[of] = tokenSaid{info, now}
}

// Standing implements surface.Call.
func (c *call) Standing(ctx context.Context, fresh bool) surface.Standing {
	s := c.server
	standing := surface.Standing{Reach: surface.Unasked, ServerVersion: s.options.Version}
	if c.fault != nil {
		standing.Fault = Explained(c.fault)
	} else {
		standing.Graph = textsafe.Name(c.target.entry.Nickname)
		c.standing().askAboutToken(ctx, fresh, &standing)
		if standing.Fault == nil {
			standing.Fault = s.roam.Answers(ctx, c.target.entry)
		}
	}
	if seen, ok := s.options.Roam.(interface{ SeenAPIVersion() string }); ok {
		standing.APIVersion = seen.SeenAPIVersion()
	}
	standing.Refused = c.standing().refusals(standing)
	return standing
}

// askAboutToken finds out whether Roam answers and what the token permits, where that is
// not known from the last minute.
func (c standingCheck) askAboutToken(ctx context.Context, fresh bool, standing *surface.Standing) {
	s, entry := c.server, c.target.entry
	of := tokenOf{entry.Graph(), entry.Token}
	info, known := s.standings.token(of, c.Now())
	if fresh || !known || info.Status != localapi.TokenActive {
		ctx, cancel := context.WithTimeout(ctx, s.timeouts.Roam.Token)
		defer cancel()
		started := time.Now()
		info = s.options.Roam.TokenInfo(ctx, entry.Graph(), entry.Token)
		standing.Took = time.Since(started)
		s.standings.noteToken(of, info, c.Now())
		s.roam.NoteToken(ctx, entry, info, false)
	}
	standing.Reach, standing.Level = surface.Reachable, info.AccessLevel
	if standing.Level == "" {
		standing.Level = entry.AccessLevel
	}
	if fresh && info.Status == localapi.TokenActive && info.AccessLevel.LowerThan(entry.AccessLevel) { // told until the configuration has it
		standing.Fault = &problem.Error{
			Code: localapi.CodeInsufficientScope, Message: fmt.Sprintf("The token for the graph %s permits less than before: %s.", textsafe.Quote(entry.Nickname), info.AccessLevel),
			Hint: problem.Say("For more access the user can run: %s", problem.Run("reauth", entry.Nickname)),
		}
	}
	if info.Status == localapi.TokenActive || info.Reason == nil {
		return
	}
	failed := Explained(info.Reason)
	switch {
	case info.Status == localapi.TokenRevoked:
		standing.Fault = Renewal(entry, failed)
	case !isRoams(failed):
		standing.Reach, standing.Fault = surface.Unreachable, failed
	case failed.Status() >= http.StatusInternalServerError:
		standing.Fault = failed
	}
}

// isRoams reports whether an error is Roam's answer. That of a build without the route for
// tokens is one.
func isRoams(failed *problem.Error) bool {
	switch {
	case failed.Call == nil, failed.Status() == 0, failed.Code == localapi.CodeNotRoam, failed.Code == localapi.CodeOtherUser:
		return false
	}
	return failed.Status() < http.StatusInternalServerError || failed.Call.CodeSent
}

// refusals returns the errors of the tools that may not be used, by their names.
func (c standingCheck) refusals(standing surface.Standing) map[string]*problem.Error {
	refused := map[string]*problem.Error{}
	v := c.view
	var entry configstore.Entry
	if c.fault == nil {
		entry = c.target.entry
		entry.AccessLevel = standing.Level
		v.entries = slices.Clone(v.entries)
		for i := range v.entries {
			if v.entries[i].Graph() == entry.Graph() {
				v.entries[i].AccessLevel = standing.Level
			}
		}
	}
	offering := c.server.offering
	for i := range offering.profile.Tools {
		t := &offering.profile.Tools[i]
		refusal := offering.refusal(t, v)
		switch {
		case refusal != nil || !t.OnGraph || t.Diagnoses:
		case c.fault != nil:
			refusal = standing.Fault
		case t.Writes() && tokenRefusal(t, entry) != nil:
			refusal = tokenRefusal(t, entry)
		default:
			refusal = c.server.standings.lacks(toolOn{entry.Graph(), t.Name}, c.Now())
		}
		if paused := c.server.refuseWhilePaused(t); refusal == nil && paused != nil {
			refusal = Explained(paused)
		}
		if refusal != nil {
			refused[t.Name] = refusal
		}
	}
	return refused
}
