package localapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/hello"
)

func TestQueries(t *testing.T) {
	graph, other := Graph{Name: "a"}, Graph{Name: "b"}
	unknown := &problem.Error{Code: CodeUnknownAction, Call: &problem.Call{Status: 404, Sent: true}}
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	queries := NewQueries(func() time.Time { return now })
	var called []string
	missing := []string{}
	ask := func(graph Graph, action string) error {
		called = nil
		reply, err := queries.Ask(graph, action, func(action string) (Reply, error) {
			called = append(called, action)
			if slices.Contains(missing, action) {
				failed := *unknown
				failed.Message = action
				return Reply{}, &failed
			}
			return Reply{APIVersion: action}, nil
		})
		if err == nil && reply.APIVersion != called[len(called)-1] {
			t.Errorf("the answer is of %q", reply.APIVersion)
		}
		return err
	}
	for _, step := range []struct {
		name    string
		missing []string
		graph   Graph
		action  string
		later   time.Duration
		called  []string
		failed  string
	}{
		{name: "a query is asked as it is", graph: graph, action: "q", called: []string{"q"}},
		{name: "one that is missing is asked in the form that waits", missing: []string{"q", "data.q"}, graph: graph, action: "q", called: []string{"q", "data.async.q"}},
		{name: "which is remembered", missing: []string{"q", "data.q"}, graph: graph, action: "q", called: []string{"data.async.q"}},
		{name: "for that graph", missing: []string{"q", "data.q"}, graph: other, action: "q", called: []string{"q", "data.async.q"}},
		{name: "and that action", missing: []string{"q", "data.q"}, graph: graph, action: "data.q", called: []string{"data.q", "data.async.q"}},
		{name: "a Roam that is another one now is asked anew", missing: []string{"data.async.q"}, graph: graph, action: "q", called: []string{"data.async.q", "q"}},
		{name: "and so is one of ten minutes ago", graph: other, action: "q", later: 10 * time.Minute, called: []string{"q"}},
		{name: "lists are pulled in another form too", missing: []string{"data.pull_many"}, graph: graph, action: "data.pull_many", called: []string{"data.pull_many", "data.async.pull_many"}},
		{name: "where there is no form the error is that of the first", missing: []string{"data.fast.q", "data.async.fast.q"}, graph: graph, action: "data.fast.q",
			called: []string{"data.fast.q", "data.async.fast.q"}, failed: "data.fast.q"},
		{name: "a write is sent once", missing: []string{"data.block.create"}, graph: graph, action: "data.block.create", called: []string{"data.block.create"}, failed: "data.block.create"},
	} {
		now, missing = now.Add(step.later), step.missing
		err := ask(step.graph, step.action)
		if !slices.Equal(called, step.called) || (err != nil) != (step.failed != "") || err != nil && fmt.Sprint(err) != fmt.Sprint(&problem.Error{Message: step.failed}) && problem.CodeOf(err) != CodeUnknownAction {
			t.Errorf("%s: called %q, error %v", step.name, called, err)
		}
	}
}

func TestQueriesThatTakeLong(t *testing.T) {
	for name, test := range map[string]struct {
		action, text string
		took         time.Duration
		want         problem.Code
	}{
		"a query that threw at once is wrong":                {"q", "Cannot parse", time.Second, CodeInternal},
		"one that threw after 15 s has timed out":            {"q", "Java heap", longQuery, CodeQueryTimeout},
		"so it is whatever the text has found":               {"data.async.q", "page not found", 20 * time.Second, CodeQueryTimeout},
		"of pulls too":                                       {"data.pull_many", "interrupted", 20 * time.Second, CodeQueryTimeout},
		"a window that was closed is closed":                 {"q", "Promise error", 20 * time.Second, CodeWindowClosed},
		"a write that threw has not timed out":               {"data.block.create", "it broke", 20 * time.Second, CodeInternal},
		"a query whose text says so has timed out at once":   {"q", "took too long to run", time.Second, CodeQueryTimeout},
		"a query of Roam's own that took long has timed out": {"data.ai.roamQuery", "it broke", 20 * time.Second, CodeQueryTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
			roam := httptest.NewServer(hello.Before(func(w http.ResponseWriter, _ *http.Request) {
				now = now.Add(test.took)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusInternalServerError)
				fmt.Fprintf(w, `{"success":false,"error":%q}`, test.text)
			}))
			defer roam.Close()
			path := filepath.Join(t.TempDir(), PortFileName)
			writePort(t, path, portOf(t, roam))
			client := New(Options{PortFile: PortFile{Path: path}, Now: func() time.Time { return now }})
			defer client.CloseIdleConnections()
			_, err := client.Call(t.Context(), work, secretToken(t), test.action)
			failed := failedCall(t, err)
			if failed.Code != test.want || !strings.Contains(failed.Message, test.text) {
				t.Errorf("it is %s, %q", failed.Code, failed.Message)
			}
		})
	}
}
