package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// IDs of the checks of graphs.
const (
	idToken = "token"
	idCall  = "call"
)

const (
	// atOnce is how many graphs Roam is asked about at once.
	atOnce = 4
	// tokenTimeout and callTimeout bound what is asked about one graph.
	tokenTimeout = 5 * time.Second
	callTimeout  = 10 * time.Second
)

// ofEach asks about several graphs at once and returns what was found, in their order.
func ofEach(entries []configstore.Entry, look func(configstore.Entry) []Finding) []Finding {
	all := make([][]Finding, len(entries))
	places := make(chan struct{}, atOnce)
	var asking sync.WaitGroup
	for i, entry := range entries {
		asking.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			all[i] = look(entry)
		})
	}
	asking.Wait()
	return slices.Concat(all...)
}

// tokens asks Roam about the token of each graph.
func (p Ports) tokens(ctx context.Context, facts *Facts) []Finding {
	if len(facts.Config.Entries) == 0 {
		return []Finding{{Subject: "Tokens", Level: OK, Found: "there are none to check"}}
	}
	facts.usable = make(map[localapi.Graph]bool)
	var mu sync.Mutex
	return ofEach(facts.Config.Entries, func(entry configstore.Entry) []Finding {
		ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
		defer cancel()
		info := p.Graphs.Roam.TokenInfo(ctx, entry.Graph(), entry.Token)
		f := p.token(entry, info)
		f.Subject = "Token of " + entry.Nickname
		mu.Lock()
		defer mu.Unlock()
		facts.usable[entry.Graph()] = f.Level != Failed && info.Status != localapi.TokenRevoked
		return []Finding{f}
	})
}

// token says what Roam's word on a token means.
func (p Ports) token(entry configstore.Entry, info localapi.TokenInfo) Finding {
	if entry.Disabled && info.Status != localapi.TokenActive {
		return Finding{Level: Note, Found: "does not work; the graph is disabled"}
	}
	e, _ := problem.AsCall(info.Reason)
	switch {
	case info.Status == localapi.TokenActive:
		return p.level(entry, info.AccessLevel)
	case info.Status == localapi.TokenRevoked:
		return Finding{Level: Failed, Found: "was revoked in Roam", Why: "Agents can't use " + entry.Nickname + " before it has a new one.",
			Todo: problem.Say("Ask Roam for a new one: %s", problem.Run("reauth", entry.Nickname)), Fix: renewal(entry.Nickname), Details: detailsOf(problem.FromError(info.Reason))}
	case e != nil && e.Status() == http.StatusNotFound:
		return Finding{Level: OK, Found: "this build of Roam can't tell; a call shows"}
	case errors.Is(info.Reason, context.DeadlineExceeded):
		return Finding{Level: Warning, Found: "Roam did not answer within " + tokenTimeout.String(), Why: "Whether it works is not known.", Todo: problem.Say("Look whether %s hangs.", problem.Roam)}
	}
	told := problem.FromError(info.Reason)
	f := Finding{Level: Failed, Found: told.Message, Why: "Agents can't use " + entry.Nickname + ".", Todo: told.Hint, Details: detailsOf(told)}
	switch told.Code {
	case localapi.CodeInvalidTokenFormat, localapi.CodeWrongGraphType, localapi.CodeMissingToken, localapi.CodeTokenNotFound, localapi.CodeUnauthorized:
		f.Todo, f.Fix = problem.Say("Ask Roam for a new one: %s", problem.Run("reauth", entry.Nickname)), renewal(entry.Nickname)
	}
	return f
}

// level compares the level of a token that works with the one in the configuration.
func (p Ports) level(entry configstore.Entry, now localapi.AccessLevel) Finding {
	f := Finding{Level: OK, Found: "works"}
	if now != "" {
		f.Found += ": " + levelWords(now)
	}
	if !now.Known() || now == entry.AccessLevel && entry.LastKnownTokenStatus != localapi.TokenRevoked {
		return f
	}
	f.Fix = &Fix{Label: "note what Roam says", Done: "The configuration says what Roam says: " + levelWords(now) + ".", Safe: true, Do: func(ctx context.Context) error {
		return p.Graphs.SetTokenStatus(ctx, entry.Graph(), entry.Token, localapi.TokenActive, now)
	}}
	f.Todo = problem.Say("The next look of the setup program or of a server notes it, or: %s", problem.Run("doctor").With("--fix"))
	switch {
	case now == entry.AccessLevel:
		f.Level, f.Found, f.Why = Warning, "works, and the configuration calls it revoked", "Lists show the graph as one that can't be used."
	case entry.AccessLevel == "":
		f.Level, f.Found, f.Why = Note, f.Found+"; the configuration does not say", ""
	case now.LowerThan(entry.AccessLevel):
		f.Level, f.Found = Warning, fmt.Sprintf("gives %s, and the configuration says %s", levelWords(now), levelWords(entry.AccessLevel))
		f.Why = "Agents can do less than you were shown."
		f.Todo = f.Todo.Then("For more: %s", problem.Run("reauth", entry.Nickname).With("--access", string(entry.AccessLevel)))
	default:
		f.Level, f.Found = Warning, fmt.Sprintf("gives %s, and the configuration says %s", levelWords(now), levelWords(entry.AccessLevel))
		f.Why = "Agents can do more than you were shown."
	}
	return f
}

func renewal(nickname string) *Fix {
	return &Fix{Label: "re-authorize", Go: Target{Reauthorize, nickname}}
}

// calls makes a harmless call on each enabled graph that is open in Roam. For one that is
// not, Roam would open a window, which a check must not do unasked.
func (p Ports) calls(ctx context.Context, facts *Facts) []Finding {
	enabled := facts.Config.Enabled()
	if len(enabled) == 0 || p.Call == nil {
		return []Finding{{Level: OK, Found: "there is no graph to call"}}
	}
	return versionOnce(ofEach(enabled, func(entry configstore.Entry) []Finding {
		f := p.call(ctx, facts, entry)
		f.Subject = "Call on " + entry.Nickname
		return []Finding{f}
	}))
}

// versionOnce returns findings of which only the first says that Roam has another version
// of the API, which a Roam that does not tell its version shows with each call.
func versionOnce(found []Finding) []Finding {
	first := ""
	for i, f := range found {
		switch {
		case !slices.Contains(f.Details, problem.Detail{Name: "code", Value: string(localapi.CodeVersionMismatch)}):
		case first == "":
			first = f.Subject
		default:
			found[i] = Finding{Subject: f.Subject, Level: Skipped, Found: "refused for the same reason as at " + first}
		}
	}
	return found
}

func (p Ports) call(ctx context.Context, facts *Facts, entry configstore.Entry) Finding {
	if !facts.usable[entry.Graph()] {
		return Finding{Level: Skipped, Found: "not made: its token does not work"}
	}
	if facts.refusing[entry.Graph()] {
		return Finding{Level: Skipped, Found: "not made: Roam would refuse it for the version of the API"}
	}
	if !slices.Contains(facts.Roam.Open, entry.Graph()) && !p.CallClosed {
		return Finding{Level: Note, Found: "not made: the graph is not open in Roam, which would open a window for it",
			Todo: problem.Say("To make it all the same: %s", problem.Run("doctor").With("--open-graphs")),
			Fix:  &Fix{Label: "call it now", Done: entry.Nickname + " answered.", Do: func(ctx context.Context) error { return p.Call(ctx, entry) }}}
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	started := p.now()
	err := p.Call(ctx, entry)
	if err == nil {
		return Finding{Level: OK, Found: "answered in " + shortly(p.now().Sub(started))}
	}
	told := problem.FromError(err)
	f := Finding{Level: Failed, Found: told.Message, Why: "Agents get the same answer.", Todo: told.Hint, Details: detailsOf(told)}
	switch told.Code {
	case localapi.CodeInsufficientScope, localapi.CodeTokenNotFound, localapi.CodeUnauthorized, localapi.CodeWrongGraphType, localapi.CodeInvalidTokenFormat:
		f.Todo, f.Fix = problem.Say("Ask Roam for a new token: %s", problem.Run("reauth", entry.Nickname)), renewal(entry.Nickname)
	case localapi.CodeVersionMismatch:
		f.Todo = p.otherVersion(told.Call.APIVersion)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		f.Found = "no answer within " + callTimeout.String()
		f.Todo = problem.Say("Look at %s: the graph may be loading, or ask for its password.", problem.Roam)
	}
	return f
}
