package manage

import (
	"roam-mcp/configstore"
	"roam-mcp/internal/problem"
)

// Removals are the graphs that were removed and can be put back, the newest last.
type Removals []configstore.Removed

// Add notes a removal.
func (r *Removals) Add(removed configstore.Removed) { *r = append(*r, removed) }

// Last returns the newest removal; false where there is none.
func (r Removals) Last() (configstore.Removed, bool) {
	if len(r) == 0 {
		return configstore.Removed{}, false
	}
	return r[len(r)-1], true
}

// Take returns the newest removal and forgets it, so that the next Take is about
// the one before it.
func (r *Removals) Take() (configstore.Removed, bool) {
	removed, ok := r.Last()
	if ok {
		*r = (*r)[:len(*r)-1]
	}
	return removed, ok
}

// Return takes a removal back that could not be undone. Where the graph was
// connected anew meanwhile there is nothing left to undo.
func (r *Removals) Return(removed configstore.Removed, err error) {
	if err != nil && problem.CodeOf(err) != configstore.CodeGraphConfigured {
		r.Add(removed)
	}
}
