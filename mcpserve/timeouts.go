package mcpserve

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/budget"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const (
	// roamTimeout is how long Roam may take for one request: a person may have to
	// type a graph's password first.
	roamTimeout = 5 * time.Minute
	// readTimeout is roamTimeout of a tool that only reads: clients give up on a call
	// after 60 s, and learn nothing then.
	readTimeout = 50 * time.Second
	// callTimeout is how long a call may take with all its requests. What became of
	// a write that Roam did not answer is looked for within it.
	callTimeout = 2 * roamTimeout
	// timeoutNotice is how long before roamTimeout progress tells of it.
	timeoutNotice = time.Minute
)

// timeouts are how long the server waits. A test gives more to a slow machine, and
// does not wait between two looks at a graph.
type timeouts struct {
	roam time.Duration // for the answer to one request to Roam
	read time.Duration // the same, of a tool that only reads
	call time.Duration // for a call with all its requests

	// For what it can do without:
	guidelines time.Duration // for guidelines to be read again before a write
	tokenInfo  time.Duration // for a token's level once the guidelines are there
	note       time.Duration // for the configuration to be free
	tokenLook  time.Duration
	completion time.Duration
	look       time.Duration // for all looks at what became of a write; 0: as package ops has it

	// between waits between two looks at a write; false where ctx ends first. nil:
	// it waits for that time.
	between func(ctx context.Context, d time.Duration) bool
}

func defaultTimeouts() timeouts {
	return timeouts{
		roam: roamTimeout, read: readTimeout, call: callTimeout,
		guidelines: guidelinesPatience, tokenInfo: tokenInfoPatience, note: noteTimeout,
		tokenLook: tokenLookTimeout, completion: completionPatience,
	}
}

// limitCall returns a context that ends a call which takes too long. end gives back the memory
// of what it has read of Roam.
func (s *Server) limitCall(ctx context.Context, request mcp.Request) (limited context.Context, end func()) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.call)
	ctx, giveBack := budget.WithWork(ctx, requester(request))
	return ctx, func() { giveBack(); cancel() }
}

// requester tells clients apart: by their session, or by what they call themselves in the
// stateless era.
func requester(request mcp.Request) string {
	if session, _ := request.GetSession().(*mcp.ServerSession); session != nil && session.ID() != "" {
		return session.ID()
	}
	if call, isCall := request.(*mcp.CallToolRequest); isCall {
		return clientName(call.ClientInfo())
	}
	return ""
}

// patience returns how long Roam has to answer a request of the call.
func (c roamCaller) patience() time.Duration {
	if c.tool == nil || c.tool.Effects.ReadOnly {
		return c.server.timeouts.read
	}
	return c.server.timeouts.roam
}

// callRoam calls an action of Roam, or the form of a query that this Roam has; it has so
// long to answer.
func (s *Server) callRoam(ctx context.Context, patience time.Duration, entry configstore.Entry, action string, args ...any) (localapi.Reply, error) {
	ctx = localapi.Expecting(ctx, cmp.Or(entry.APIVersion, s.options.APIVersion))
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reply, err := s.queries.Ask(entry.Graph(), action, func(action string) (localapi.Reply, error) {
		return s.options.Roam.Call(limited, entry.Graph(), entry.Token, action, args...)
	})
	failed, ok := problem.AsCall(err)
	if !ok || failed.Code != localapi.CodeTimeout || limited.Err() == nil || ctx.Err() != nil {
		return reply, err
	}
	silent := *failed
	silent.Message = fmt.Sprintf("Roam has not answered within %s.", inWords(patience))
	silent.Hint = problem.Say("Ask the user to look at %s: it may be waiting for something, or hang.", problem.Roam)
	return reply, &silent
}

// waitingForRoam returns what progress tells while a request that is sent now
// waits for its answer.
func (c roamCaller) waitingForRoam() func() string {
	end := time.Now().Add(c.patience())
	return func() string {
		left := time.Until(end)
		if left > timeoutNotice || left <= 0 {
			return waitingForRoam
		}
		return waitingForRoam + " It has " + inWords(left) + " left to answer."
	}
}

// inWords returns a duration to the second.
func inWords(d time.Duration) string {
	d = d.Round(time.Second)
	if minutes := d / time.Minute; d%time.Minute == 0 && minutes > 1 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}
