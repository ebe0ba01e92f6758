package observed

import (
	"slices"
	"strings"
)

// Quirks makes the sandbox differ from what is expected of Roam. It returns the finding
// that the sandbox shows for the Belief with an id, or "" for the expected one. A nil
// Quirks shows only what is expected.
type Quirks func(id string) string

// Finding returns the finding for the Belief with an id, or "" for the expected one.
func (q Quirks) Finding(id string) string {
	if q == nil {
		return ""
	}
	return q(id)
}

// Has reports whether finding is one of the findings, separated by commas, for an id.
func (q Quirks) Has(id, finding string) bool {
	found := q.Finding(id)
	return found != "" && slices.Contains(strings.Split(found, ","), finding)
}
