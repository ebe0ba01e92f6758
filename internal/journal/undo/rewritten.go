package undo

import (
	"slices"

	"roam-mcp/internal/graph/fact"
)

// rewrites holds, by uid, the texts and titles that Roam rewrote by itself during an
// undo, because something they mention was deleted or renamed (docs/dev/LOCAL_API.md
// 9.3). They count as the undo's own changes.
type rewrites map[string][]rewrite

type rewrite struct{ from, to string }

// add records the texts and titles that a write changed, except of the uids that the
// write names.
func (r rewrites) add(before, after fact.State, named []string) {
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

// withoutRewrites returns the facts with Roam's rewrites reversed, where that leads back
// to what the changes of run left.
func (r rewrites) withoutRewrites(now fact.State, run Run) fact.State {
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
