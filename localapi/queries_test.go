package localapi_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

func TestQueries(t *testing.T) {
	graph, other := localapi.Graph{Name: "a"}, localapi.Graph{Name: "b"}
	unknown := &problem.Error{Code: localapi.CodeUnknownAction, Call: &problem.Call{Status: 404, Sent: true}}
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	queries := localapi.NewQueries(func() time.Time { return now })
	var called []string
	missing := []string{}
	ask := func(graph localapi.Graph, action string) error {
		called = nil
		reply, err := queries.Ask(graph, action, func(action string) (localapi.Reply, error) {
			called = append(called, action)
			if slices.Contains(missing, action) {
				failed := *unknown
				failed.Message = action
				return localapi.Reply{}, &failed
			}
			return localapi.Reply{APIVersion: action}, nil
		})
		if err == nil && reply.APIVersion != called[len(called)-1] {
			t.Errorf("the answer is of %q", reply.APIVersion)
		}
		return err
	}
	for _, step := range []struct {
		name    string
		missing []string
		graph   localapi.Graph
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
		if !slices.Equal(called, step.called) || (err != nil) != (step.failed != "") || err != nil && fmt.Sprint(err) != fmt.Sprint(&problem.Error{Message: step.failed}) && problem.CodeOf(err) != localapi.CodeUnknownAction {
			t.Errorf("%s: called %q, error %v", step.name, called, err)
		}
	}
}
