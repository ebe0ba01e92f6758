package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/tools/evaluation"
)

// answerOf is set where the test's own program plays the agent: it is what the agent
// answers.
const answerOf = "EVALUATE_TEST_ANSWER"

func TestMain(m *testing.M) {
	if answer, ok := os.LookupEnv(answerOf); ok {
		if err := playAgent(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(answer)
		return
	}
	os.Exit(m.Run())
}

// playAgent reads what an agent is given, and logs a call as the server would.
func playAgent(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		}
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return err
	}
	roam := config.MCPServers["roam"]
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	if roam.Command != "/the/program" || roam.Args[0] != "serve" || roam.Env["HOME"] == "" || !strings.Contains(string(prompt), "keeps the books") && !strings.Contains(string(prompt), "the hall takes") {
		return fmt.Errorf("got %+v and %q", roam, prompt)
	}
	tool := "get_page"
	if slices.Contains(roam.Args, "graph") { // of --profile
		tool = "get_node"
	}
	return os.WriteFile(roam.Args[len(roam.Args)-1], []byte(`{"tool":"`+tool+`","bytes":42}`+"\n"), 0o600)
}

func TestAPersonEditsTheGraphWhenTheAgentHasReadIt(t *testing.T) {
	t.Setenv(answerOf, "Done.")
	o := options{timeout: time.Minute, command: []string{os.Args[0], "{config}"}}
	task := taskNamed(t, "line-that-a-person-changed")
	r := o.try(t.Context(), evaluation.NewSuite(t.TempDir(), "", nil), task,
		func(ctx context.Context, task evaluation.Task, w *evaluation.World, r *result) (string, error) {
			return o.askAgent(ctx, "/the/program", task, w, r)
		})
	if r.err == nil || !strings.Contains(r.err.Error(), "rolls for Owen") {
		t.Errorf("%+v", r)
	}
}

func TestAnAgentIsGivenATaskAndJudged(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		done   bool
	}{
		"a right answer": {"Ruth Calder; she likes a telephone call.", true},
		"a wrong answer": {"Amara Obi.", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(answerOf, c.answer)
			o := options{timeout: time.Minute, command: []string{os.Args[0], "{config}"}}
			task := taskNamed(t, "who-and-how")
			r := o.try(t.Context(), evaluation.NewSuite(t.TempDir(), "", nil), task,
				func(ctx context.Context, task evaluation.Task, w *evaluation.World, r *result) (string, error) {
					return o.askAgent(ctx, "/the/program", task, w, r)
				})
			if r.calls != 1 || r.bytes != 42 || (r.err == nil) != c.done {
				t.Errorf("%+v", r)
			}
		})
	}
}

func taskNamed(t *testing.T, name string) evaluation.Task {
	t.Helper()
	for _, task := range evaluation.Tasks() {
		if task.Name == name {
			return task
		}
	}
	t.Fatalf("there is no task %s", name)
	return evaluation.Task{}
}
