package observed

import (
	"slices"
	"strings"
)

// Quirks says how a sandbox differs from what is expected of Roam. Given the id of a Belief
// it returns the finding that a probe of the sandbox is to have, one or several of
// Belief.Otherwise, or "" for Belief.Expected. A nil Quirks differs in nothing.
type Quirks func(id string) string

// Finding returns the finding for the id of a Belief, or "" for the expected one. Of
// several it returns all, separated by commas; ask for one of these with Has.
func (q Quirks) Finding(id string) string {
	if q == nil {
		return ""
	}
	return q(id)
}

// Has reports whether finding is among those for the id of a Belief that may have several.
func (q Quirks) Has(id, finding string) bool {
	found := q.Finding(id)
	return found != "" && slices.Contains(strings.Split(found, ","), finding)
}
