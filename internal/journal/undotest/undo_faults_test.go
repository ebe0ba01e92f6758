package undotest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
)

// TestUndoWhereRoamIsOtherwise undoes random sequences of writes where Roam does not do as it
// should: nothing is lost, and what is not as it was is told.
func TestUndoWhereRoamIsOtherwise(t *testing.T) {
	for i, fault := range []string{
		"uids=refused", "uids=silent", "silent", "plain", "misplaced", "trimmed", "ignored=batchActions",
	} {
		if race.Enabled && i%3 > 0 {
			continue
		}
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			for i := range sequences(1) {
				plan := planOf(*undoSeed+uint64(i), rebuildWrites)
				plan.steps, plan.concurrent, plan.switches = false, false, []string{fault}
				problems, calls := otherwiseRun(t, plan)
				if len(problems) > 0 {
					t.Errorf("seed %d: after\n  %s\n%s", plan.seed, strings.Join(calls, "\n  "), strings.Join(problems, "\n"))
				}
			}
		})
	}
}

func otherwiseRun(t *testing.T, plan rebuildPlan) (problems, calls []string) {
	t.Helper()
	w := newRebuildWorld(t, plan)
	defer w.close()
	before := w.undoable()
	w.doAll(plan)
	if plan.profiles[plan.agents[0]] == "roam" { // what has all looks goes, whatever else does
		_, err := w.agents[0].CallTool(w.ctx, &mcp.CallToolParams{Name: "delete_block", Arguments: fields{"uid": "look00001"}})
		require.NoError(t, err)
	}
	w.closeServers()
	made := w.recorded()
	if len(made) == 0 {
		return nil, w.calls
	}
	result, err := w.undoBy(worldCaller{world: w}, made, "undo")
	after := withOldUIDs(w.undoable(), result.Renewed)
	told := fmt.Sprint(result.Left, result.Inexact, err)
	for _, line := range rebuild.Differences(after, before) {
		uid, says, _ := strings.Cut(line, " ")
		if !strings.Contains(told, uid) && !lacksTold(says, "has the children [", told) && !lacksTold(line, "the shortcuts are [", told) {
			problems = append(problems, line)
		}
	}
	if len(problems) > 0 {
		problems = append(problems, told)
	}
	return problems, w.calls
}

// lacksTold reports whether a difference of a list, which begins with some words, is one whose
// lacking uids are told.
func lacksTold(difference, words, told string) bool {
	list, begins := strings.CutPrefix(difference, words)
	has, had, two := strings.Cut(list, "], ")
	if !begins || !two {
		return false
	}
	_, had, _ = strings.Cut(had, "[")
	for _, uid := range strings.Fields(strings.Trim(had, "]")) {
		if !slices.Contains(strings.Fields(has), uid) && !strings.Contains(told, uid) {
			return false
		}
	}
	return true
}

// withOldUIDs returns a graph with the uids that blocks had before they came back with others.
func withOldUIDs(g rebuild.Graph, renewed map[string]string) rebuild.Graph {
	var pairs []string
	for old, uid := range renewed {
		pairs = append(pairs, uid, old)
	}
	old := strings.NewReplacer(pairs...)
	nodes := g.Nodes
	g.Nodes = map[string]*rebuild.Node{}
	for uid, n := range nodes {
		for i, child := range n.Children {
			n.Children[i] = old.Replace(child)
		}
		for name, value := range n.Attrs {
			n.Attrs[name] = old.Replace(value)
		}
		n.Parent = old.Replace(n.Parent)
		g.Nodes[old.Replace(uid)] = n
	}
	return g
}
