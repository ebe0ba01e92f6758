package surface

import (
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Standing is how things stand with the graph of a call.
type Standing struct {
	Graph string // nickname; empty where no graph can be chosen
	// Fault is why nothing can be done: no graph can be chosen, Roam does not answer, or
	// it does not take the token. nil: it answers.
	Fault *problem.Error
	Reach Reach
	Took  time.Duration        // until Roam answered, where it was asked
	Level localapi.AccessLevel // what the token permits; empty: not known
	// Refused says of each tool of the profile that may not be used why not, by its name.
	Refused map[string]*problem.Error

	APIVersion    string // of the Local API of the Roam that answered last; empty: not known
	ServerVersion string // of this program
}

// Reach says whether Roam answers.
type Reach string

// The values of Reach.
const (
	Reachable   Reach = "reachable"
	Unreachable Reach = "unreachable"
	Unasked     Reach = "unknown" // there was no graph to ask about
)
