package observed

import (
	"slices"
	"strings"
)

// Quirks says how a Roam that is played differs from what is expected: it returns what is
// to be found for the id of a Belief, and nothing where that is Expected. Nil differs in
// nothing.
type Quirks func(id string) string

// Found returns what is to be found for an id; empty where it is as expected.
func (q Quirks) Found(id string) string {
	if q == nil {
		return ""
	}
	return q(id)
}

// Has reports whether a finding is, or is among, what is to be found for an id.
func (q Quirks) Has(id, finding string) bool {
	found := q.Found(id)
	return found != "" && slices.Contains(strings.Split(found, ","), finding)
}
