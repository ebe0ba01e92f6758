package undotest

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
)

// TestAChangeIsUndoneOnceAllThatItMadeIsGone ends undos at each call of Roam, and goes on. What the
// journal calls undone has left nothing, and no more is counted.
func TestAChangeIsUndoneOnceAllThatItMadeIsGone(t *testing.T) {
	for name, tc := range map[string]struct {
		steps     []step
		mentioned bool // a person mentions a page until the undo is ended
	}{
		"pages": {steps: []step{{"create_page", fields{"title": "One"}}, {"create_page", fields{"title": "Two", "markdown": "- see [[Three]]"}}}},
		"a page that is needed meanwhile": {mentioned: true, steps: []step{
			{"create_block", fields{"parentUid": "alpha0001", "markdown": "- made"}}, {"create_page", fields{"title": "One"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for most := int64(1); ; most++ {
				w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}})
				ended := w.endAt(tc.steps, tc.mentioned, most)
				w.close()
				if !ended || t.Failed() {
					return
				}
			}
		})
	}
}

// endAt has steps undone, ended at a call of Roam, and again to their end. It reports whether the
// undo needed more calls.
func (w *rebuildWorld) endAt(steps []step, mentioned bool, most int64) (ended bool) {
	w.t.Helper()
	before := w.undoable()
	for _, each := range steps {
		w.advance()
		if result := w.call(each.name, each.args); result.IsError {
			w.t.Fatalf("%s fails: %v", each.name, result.Content)
		}
	}
	w.closeServers()
	made := w.recorded()
	if mentioned {
		w.must("data.block.create", fields{"location": fields{"parent-uid": "beta00001", "order": "last"}, "block": fields{"uid": "mine00001", "string": "[[One]]"}})
	}
	var calls atomic.Int64
	calls.Store(most)
	result, err := w.undoBy(cut{worldCaller{world: w}, &calls, false}, made, "undo")
	for _, problem := range append(w.untrulyUndone(made), w.miscounted(made, result)...) {
		w.t.Errorf("ended at call %d of Roam: %s", most, problem)
	}
	if err == nil {
		return false
	}
	if mentioned {
		w.must("data.block.delete", fields{"block": fields{"uid": "mine00001"}})
	}
	var rest []int64
	for _, call := range made {
		if !undo.IsTaken(w.changesOf([]int64{call})) {
			rest = append(rest, call)
		}
	}
	holds(w.t, "the same again", w.undo(rest, "undo").Left, w.undoable(), before)
	return true
}

// untrulyUndone names pages and blocks which changes made that are undone, as the journal says, and
// which are there all the same without need.
func (w *rebuildWorld) untrulyUndone(calls []int64) (problems []string) {
	w.t.Helper()
	g := w.read()
	for _, change := range w.changesOf(calls) {
		if !change.IsUndone() || len(change.UndoneLeft) > 0 {
			continue
		}
		left, err := fact.Parse(change.After)
		require.NoError(w.t, err)
		for _, touch := range change.Touches {
			made := touch.Role == fact.RoleMade || touch.Role == fact.RoleImplied
			if is := left.Things[touch.UID]; made && g.Nodes[touch.UID] != nil && !is.Daily && !neededIn(g, touch.UID) {
				problems = append(problems, "a change is undone, and there is still "+is.Title+is.Text)
			}
		}
	}
	return problems
}

// neededIn reports whether a page has blocks, or is a shortcut, or something refers to it.
func neededIn(g rebuild.Graph, uid string) bool {
	page := g.Nodes[uid]
	title := strings.Trim(page.Attrs[":node/title"], `"`)
	if title == "" {
		return false
	}
	if len(page.Children) > 0 || slices.Contains(g.Shortcuts, uid) {
		return true
	}
	for other, node := range g.Nodes {
		if text := node.Attrs[":block/string"] + node.Attrs[":node/title"]; other != uid && slices.Contains(fact.Mentions(text), title) {
			return true
		}
	}
	return false
}

// miscounted says where more changes are counted than the journal calls undone.
func (w *rebuildWorld) miscounted(calls []int64, result undo.Result) []string {
	w.t.Helper()
	undone := 0
	for _, change := range w.changesOf(calls) {
		if change.IsUndone() && change.State == history.StateDone {
			undone++
		}
	}
	if result.Changes > undone {
		return []string{"more changes are counted than are undone"}
	}
	return nil
}
