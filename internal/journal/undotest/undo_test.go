package undotest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
)

var (
	undoSeed  = flag.Uint64("undo.seed", 1, "first seed of the sequences of writes that are undone")
	undoCount = flag.Int("undo.count", 0, "number of sequences; 0: that of every run")
)

// undoSequences is how many sequences are undone in every run.
const undoSequences = 20

// sequences returns how many sequences a test makes that makes so many in every run, and fewer under
// the race detector.
func sequences(everyRun int) int {
	switch {
	case *undoCount > 0:
		return *undoCount
	case race.Enabled:
		return max(1, everyRun/5)
	}
	return everyRun
}

// TestUndo undoes all that random sequences of writes have done, by the engine that commands
// use, does it again, and undoes it once more.
func TestUndo(t *testing.T) {
	for i := range sequences(undoSequences) {
		plan := planOf(*undoSeed+uint64(i), rebuildWrites)
		plan.steps = false
		tryPlan(t, undoRun, plan)
	}
}

// roamCaller is the way to the graph of a rebuildWorld.
type worldCaller struct {
	ops.NoUser
	world *rebuildWorld
}

// Send implements ops.Caller.
func (c worldCaller) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.world.client.Call(ctx, rebuiltGraph, c.world.token, action, args...)
}

// Look implements ops.Caller.
func (c worldCaller) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.Send(ctx, action, args...)
}

// undo undoes calls as one call of a tool, and returns what came of it.
func (w *rebuildWorld) undo(calls []int64, tool string) undo.Result {
	w.t.Helper()
	result, err := w.undoBy(worldCaller{world: w}, calls, tool)
	require.NoError(w.t, err)
	return result
}

// undoBy undoes calls over a way to the graph.
func (w *rebuildWorld) undoBy(caller ops.Caller, calls []int64, tool string) (undo.Result, error) {
	w.t.Helper()
	return w.undoOver(caller, calls, tool, nil)
}

// undoOver is undoBy with fields that are set back although somebody has changed them since.
func (w *rebuildWorld) undoOver(caller ops.Caller, calls []int64, tool string, over map[undo.Overwritten]bool) (undo.Result, error) {
	w.t.Helper()
	w.advance()
	recorder := recording.New(recording.Options{Journal: w.journal(), Now: w.Now})
	defer func() { require.NoError(w.t, recorder.Close(w.ctx)) }()
	call := recorder.Call(recording.Call{
		Graph: rebuiltGraph, Tool: tool, Args: json.RawMessage(`{}`), Who: history.Who{Agent: "you"}, Keeps: recording.All, Later: caller,
	})
	if err := recorder.Settle(w.ctx, rebuiltGraph, worldCaller{world: w}); err != nil { // as commands do
		return undo.Result{}, err
	}
	changes := w.changesOf(calls)
	ask := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		reply, err := caller.Send(ctx, action, args...)
		return reply.Result, err
	}
	noWait := func(context.Context, time.Duration) bool { return true }
	u := undo.Undo{Graph: ops.New(ops.Options{Now: w.Now, Wait: noWait}).On(rebuiltGraph, caller), Ask: ask, Recording: call, Now: w.Now, Over: over}
	return u.Run(w.ctx, changes)
}

// changesOf returns the changes of calls.
func (w *rebuildWorld) changesOf(calls []int64) []history.ChangeRecord {
	w.t.Helper()
	var changes []history.ChangeRecord
	for _, id := range calls {
		record, ok, err := w.reader.Record(w.ctx, id)
		require.NoError(w.t, err)
		if !ok {
			w.t.Fatalf("there is no call %d", id)
		}
		changes = append(changes, record.Changes...)
	}
	return changes
}

// planUndo says what an undo of calls would do.
func (w *rebuildWorld) planUndo(calls []int64) undo.Result {
	w.t.Helper()
	u := undo.Undo{Ask: w.ask, Now: w.Now}
	result, err := u.Run(w.ctx, w.changesOf(calls))
	require.NoError(w.t, err)
	return result
}

// cut is a way to the graph that breaks after some calls, before or after the last one was done.
type cut struct {
	worldCaller
	left    *atomic.Int64
	arrives bool
}

// Send implements ops.Caller.
func (c cut) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	left := c.left.Add(-1)
	if left < 0 || left == 0 && !c.arrives {
		return localapi.Reply{}, broken(action)
	}
	reply, err := c.worldCaller.Send(ctx, action, args...)
	if left == 0 {
		return localapi.Reply{}, broken(action)
	}
	return reply, err
}

// Look implements ops.Caller.
func (c cut) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.Send(ctx, action, args...)
}

func broken(action string) error {
	return &problem.Error{Code: localapi.CodeConnectionFailed, Message: "The connection broke.", Call: &problem.Call{Action: action, Sent: true}}
}

// TestUndoGoesOn ends undos at random calls of Roam, and runs them again until they end: the
// graph is what it was, and nothing is left.
func TestUndoGoesOn(t *testing.T) {
	ended := 0
	count := sequences(undoSequences / 10)
	for i := range count {
		plan := planOf(*undoSeed+uint64(i), rebuildWrites)
		plan.steps, plan.concurrent = false, false
		run := func(t *testing.T, plan rebuildPlan) (problems, calls []string) {
			problems, calls, cuts := goOnRun(t, plan)
			ended += cuts
			return problems, calls
		}
		if problems, calls := run(t, plan); len(problems) > 0 {
			plan, problems, calls = shrunkBy(t, run, plan, problems, calls)
			t.Errorf("seed %d: after\n  %s\n%s", plan.seed, strings.Join(calls, "\n  "), strings.Join(problems, "\n"))
		}
	}
	if ended < count {
		t.Errorf("%d undos were ended in the middle", ended)
	}
	t.Logf("%d undos were ended in the middle", ended)
}

func goOnRun(t *testing.T, plan rebuildPlan) (problems, calls []string, cuts int) {
	t.Helper()
	w := newRebuildWorld(t, plan)
	defer w.close()
	before := w.undoable()
	w.doAll(plan)
	w.closeServers()
	made := w.recorded()
	random := rand.New(rand.NewPCG(plan.seed, 28))
	for len(made) > 0 {
		var calls atomic.Int64
		calls.Store(2 + random.Int64N(60))
		if cuts == 6 {
			calls.Store(1 << 30)
		}
		result, err := w.undoBy(cut{worldCaller{world: w}, &calls, random.IntN(2) == 0}, made, "undo")
		if err != nil && problem.CodeOf(err) != localapi.CodeConnectionFailed && problem.CodeOf(err) != ops.CodeOutcomeUnknown {
			return []string{"an undo ends with " + err.Error()}, w.calls, cuts
		}
		for _, left := range result.Left {
			problems = append(problems, fmt.Sprintf("left after %d cuts: %+v", cuts, left))
		}
		if err == nil {
			break
		}
		cuts++
	}
	return append(problems, rebuild.Differences(w.undoable(), before)...), w.calls, cuts
}

// recorded returns the numbers of all calls, the newest first.
func (w *rebuildWorld) recorded() (calls []int64) {
	page, err := w.reader.Calls(w.ctx, history.Filter{Limit: 10_000})
	require.NoError(w.t, err)
	for _, call := range page.Calls {
		calls = append(calls, call.ID)
	}
	return calls
}

func undoRun(t *testing.T, plan rebuildPlan) (problems, calls []string) {
	t.Helper()
	w := newRebuildWorld(t, plan)
	defer w.close()
	read := func() rebuild.Graph {
		g, err := rebuild.Read(w.ctx, w.ask)
		if err != nil {
			problems = append(problems, err.Error())
		}
		return undoable(g)
	}
	before := read()
	w.doAll(plan)
	after := read()
	w.closeServers()
	made := w.recorded()
	check := func(what string, result undo.Result, want rebuild.Graph) {
		if problems != nil {
			return
		}
		for _, left := range leftOfDone(result) {
			problems = append(problems, fmt.Sprintf("%s leaves %+v", what, left))
		}
		for _, line := range rebuild.Differences(read(), want) {
			problems = append(problems, what+": "+line)
		}
	}
	if len(made) == 0 {
		return problems, w.calls
	}
	for _, left := range leftOfDone(w.planUndo(made)) {
		problems = append(problems, fmt.Sprintf("a plan says that it leaves %+v", left))
	}
	undone := w.undo(made, "undo")
	if check("undo", undone, before); undone.Call == 0 { // there was nothing to be done
		return problems, w.calls
	}
	redone := w.undo([]int64{undone.Call}, "redo")
	check("redo", redone, after)
	check("undo again", w.undo([]int64{redone.Call}, "undo"), before)
	return problems, w.calls
}

// leftOfDone returns what an undo leaves of changes that are known to be done.
func leftOfDone(result undo.Result) []undo.Left {
	return slices.DeleteFunc(result.Left, func(left undo.Left) bool { return left.Why == undo.InDoubt })
}

// doAll makes the writes of a plan.
func (w *rebuildWorld) doAll(plan rebuildPlan) {
	if !plan.concurrent {
		for _, op := range plan.ops {
			w.do(op)
		}
		return
	}
	var agents sync.WaitGroup
	for i := range w.agents {
		agents.Go(func() {
			for _, op := range plan.ops {
				if op.Agent == i {
					w.do(op)
				}
			}
		})
	}
	agents.Wait()
}

// read reads the graph.
func (w *rebuildWorld) read() rebuild.Graph {
	w.t.Helper()
	g, err := rebuild.Read(w.ctx, w.ask)
	require.NoError(w.t, err)
	return g
}

// undoable reads the graph as undoable has it.
func (w *rebuildWorld) undoable() rebuild.Graph {
	w.t.Helper()
	return undoable(w.read())
}

// undoable returns a graph without what an undo can't bring back, and what says the same:
// empty daily notes, and values that are the usual ones.
func undoable(g rebuild.Graph) rebuild.Graph {
	for uid, n := range g.Nodes {
		if n.Attrs[":block/open"] == "true" {
			delete(n.Attrs, ":block/open")
		}
		if n.Attrs[":log/id"] != "" && len(n.Children) == 0 && !slices.Contains(g.Shortcuts, uid) {
			delete(g.Nodes, uid)
		}
	}
	return g
}
