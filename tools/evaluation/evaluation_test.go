package evaluation_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/tools/evaluation"
	"roam-mcp/tools/evaluation/reference"
)

// today is a Saturday, the day after the last note of the demo graph.
func today() time.Time { return time.Date(2026, time.November, 21, 12, 0, 0, 0, time.Local) }

func newSuite(t *testing.T) *evaluation.Suite {
	path, _ := helpgraph.Find("help.json")
	return evaluation.NewSuite(t.TempDir(), path, today)
}

// connect returns a client of the real server on the sandbox of a task.
func connect(t *testing.T, w *evaluation.World, profile string) *mcp.ClientSession {
	t.Helper()
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(w.Home, localapi.PortFileName), Strict: true}})
	t.Cleanup(client.CloseIdleConnections)
	server, err := mcpserve.New(t.Context(), mcpserve.Options{Store: configstore.New(w.Config), Roam: client, Version: "test", Now: today, Toolsets: []string{"all"}, Profile: profile,
		Journal: history.New(history.Options{Folder: filepath.Join(w.Home, "history"), Kind: history.KindStdio, Now: today}),
	})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	_, err = server.Connect(context.WithoutCancel(t.Context()), serverEnd)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "evaluation", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// TestEveryTaskCanBeSolved solves each task by its script, and writes COSTS.md and the sums
// in docs/benchmarks.md.
func TestEveryTaskCanBeSolved(t *testing.T) {
	suite, tasks := newSuite(t), evaluation.Tasks()
	costs := make([]cost, len(tasks))
	t.Run("each", func(t *testing.T) {
		for i, task := range tasks {
			t.Run(task.Name, func(t *testing.T) {
				t.Parallel()
				costs[i] = solve(t, suite, task)
			})
		}
	})
	if _, there := helpgraph.Find("help.json"); there && !t.Failed() {
		compareTable(t, tasks, costs)
	}
}

// solve solves a task, and then sees that the task is not done by an empty answer, by the
// question itself, by a claim, or by the answer without the deed.
func solve(t *testing.T, suite *evaluation.Suite, task evaluation.Task) cost {
	t.Helper()
	if task.Graph == evaluation.Help {
		helpgraph.Path(t, "help.json")
	}
	solution := reference.Solutions()[task.Name]
	if solution == nil {
		t.Fatal("the task has no solution")
	}
	w, err := suite.Start(t.Context(), task)
	require.NoError(t, err)
	s := evaluation.NewScript(t.Context(), connect(t, w, task.Profile), w.Today, func(tool string) error { return w.Answered(t.Context(), tool) })
	answer := solution(s)
	end, err := w.Finish(context.WithoutCancel(t.Context()), answer)
	require.NoError(t, err)
	require.NoError(t, s.Err())
	if err := task.Judge(end); err != nil {
		t.Errorf("%v\nthe answer was\n%s", err, answer)
	}
	wrongs := map[string]string{"an empty answer": "", "the question": task.Prompt, "a claim": "Done."}
	if end.Wrote() {
		wrongs["the answer without the deed"] = answer
	}
	for what, wrong := range wrongs {
		if task.Judge(w.Unchanged(wrong)) == nil {
			t.Errorf("%s about an unchanged graph is taken for a solution", what)
		}
	}
	if task.Person != nil {
		w, err := suite.Start(t.Context(), task)
		require.NoError(t, err)
		require.NoError(t, w.Answered(t.Context(), task.After))
		end, err := w.Finish(context.WithoutCancel(t.Context()), answer)
		require.NoError(t, err)
		if task.Judge(end) == nil {
			t.Error("what the person does alone is taken for a solution")
		}
	}
	return cost{calls: s.Calls, bytes: s.Bytes}
}

func TestJudge(t *testing.T) {
	task := evaluation.Task{Name: "look", Graph: evaluation.Demo, Check: func(*evaluation.End) error { return nil }}
	w, err := newSuite(t).Start(t.Context(), task)
	require.NoError(t, err)
	s := evaluation.NewScript(t.Context(), connect(t, w, ""), w.Today, nil)
	s.Call("create_block", map[string]any{"pageTitle": "Books", "markdown": "One more"})
	end, err := w.Finish(context.WithoutCancel(t.Context()), "an answer")
	require.NoError(t, err)
	require.NoError(t, s.Err())
	for name, c := range map[string]struct {
		end  *evaluation.End
		want string
	}{
		"takes a right answer":                            {w.Unchanged("an answer"), ""},
		"refuses an answer that holds everything":         {w.Unchanged(strings.Repeat("x", evaluation.MaxAnswer+1)), "at most"},
		"refuses a change of a page that is not to touch": {end, `should be as they were: ["Books"]`},
	} {
		t.Run(name, func(t *testing.T) {
			err := task.Judge(c.end)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestTheTasksAreWellNamed(t *testing.T) {
	seen, compared := map[string]bool{}, 0
	for _, task := range evaluation.Tasks() {
		if seen[task.Name] || task.Prompt == "" || task.Check == nil {
			t.Errorf("the task %q is there twice, or lacks something", task.Name)
		}
		seen[task.Name] = true
		if task.Compared {
			compared++
		}
	}
	for name := range reference.Solutions() {
		if !seen[name] {
			t.Errorf("there is a solution and no task %q", name)
		}
	}
	if len(seen) < 40 || compared != 15 {
		t.Errorf("%d tasks, %d of them compared", len(seen), compared)
	}
}
