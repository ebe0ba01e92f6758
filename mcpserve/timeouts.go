package mcpserve

import (
	"context"
	"time"
)

// timeouts are how long the server waits for what it can do without. A test
// gives more to a slow machine, and does not wait between two looks at a graph.
type timeouts struct {
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
		guidelines: guidelinesPatience, tokenInfo: tokenInfoPatience, note: noteTimeout,
		tokenLook: tokenLookTimeout, completion: completionPatience,
	}
}
