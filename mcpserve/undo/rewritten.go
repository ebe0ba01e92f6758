package undo

import (
	"slices"

	"roam-mcp/history/fact"
)

// rewrites are the texts and titles that Roam has rewritten on the way, by uid: what they mention
// went, or got another title (docs/dev/LOCAL_API.md 9.3). They are as much the undo's as what its writes
// name.
type rewrites map[string][]rewrite

type rewrite struct{ from, to string }

// note adds what a write has left otherwise than it was, but for what the write names.
func (r rewrites) note(before, after fact.State, named []string) {
	for uid, is := range after.Things {
		was, had := before.Things[uid]
		if !had || was.Gone || is.Gone || slices.Contains(named, uid) {
			continue
		}
		if from, to := was.Text+was.Title, is.Text+is.Title; from != to {
			r[uid] = append(r[uid], rewrite{from, to})
		}
	}
}

// undone returns facts with the texts and titles that changes left where Roam has rewritten those
// since.
func (r rewrites) undone(now fact.State, run Run) fact.State {
	if len(r) == 0 {
		return now
	}
	things := map[string]fact.Fact{}
	for uid, is := range now.Things {
		was := is
		for i := len(r[uid]) - 1; i >= 0 && !run.Left(uid, was.Text+was.Title); i-- {
			switch step := r[uid][i]; {
			case step.to != was.Text+was.Title:
			case is.IsPage():
				was.Title = step.from
			default:
				was.Text = step.from
			}
		}
		if run.Left(uid, was.Text+was.Title) {
			is = was
		}
		things[uid] = is
	}
	now.Things = things
	return now
}
