package mcpserve

import (
	"context"
	"time"

	"roam-mcp/internal/localapi"
)

// callTimeout is how long a call may take with all its requests. What became of
// a write that Roam did not answer is looked for within it.
const callTimeout = 10 * time.Minute

// Timeouts are how long the server waits. A test gives more to a slow machine, and
// does not wait between two looks at a graph.
type Timeouts struct {
	Roam CallTimeouts
	Call time.Duration // for a call with all its requests

	// For what it can do without:
	Guidelines time.Duration // for guidelines to be read again before a write
	TokenInfo  time.Duration // for a token's level once the guidelines are there
	Completion time.Duration
	Look       time.Duration // for all looks at what became of a write; 0: as package ops has it

	// Between waits between two looks at a write; false where ctx ends first. nil:
	// it waits for that time.
	Between func(ctx context.Context, d time.Duration) bool
}

// DefaultTimeouts are those of a server that is used.
func DefaultTimeouts() Timeouts {
	return Timeouts{
		Roam: DefaultCallTimeouts(), Call: callTimeout,
		Guidelines: guidelinesPatience, TokenInfo: tokenInfoPatience, Completion: completionPatience,
	}
}

// limitCall returns a context that ends a call which takes too long. end gives back the memory
// of what it has read of Roam.
func (s *Server) limitCall(ctx context.Context) (limited context.Context, end func()) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Call)
	ctx, release := localapi.WithReplies(ctx)
	return ctx, func() { release(); cancel() }
}
