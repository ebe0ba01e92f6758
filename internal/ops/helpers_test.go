package ops

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// fakeRoam answers actions; one that it has no answer for it does not know. It
// is a Caller.
type fakeRoam struct {
	mu      sync.Mutex
	answers map[string]func(args []any) (string, error)
	sent    []string // the actions that were sent
	asked   []string // the arguments of looks, as JSON
	waited  []string // what was said to be waited for
}

// newFakeRoam makes one of the results of actions; that of "order" is what a query for
// children and their order finds.
func newFakeRoam(results map[string]string) *fakeRoam {
	r := &fakeRoam{answers: map[string]func([]any) (string, error){}}
	for action, result := range results {
		r.answers[action] = func(args []any) (string, error) {
			if order, ok := results["order"]; ok && action == "q" && args[0] == childrenQuery {
				return order, nil
			}
			return result, nil
		}
	}
	return r
}

func (r *fakeRoam) call(action string, args []any) (localapi.Reply, error) {
	r.mu.Lock()
	answer := r.answers[action]
	r.mu.Unlock()
	switch {
	case answer == nil && action == plainQuery:
		return localapi.Reply{}, failedCall(localapi.CodeUnsupportedRoam, 404)
	case answer == nil:
		return localapi.Reply{}, failedCall(localapi.CodeUnknownAction, 404)
	}
	result, err := answer(args)
	return localapi.Reply{Result: json.RawMessage(result)}, err
}

func (r *fakeRoam) Send(_ context.Context, action string, args ...any) (localapi.Reply, error) {
	r.mu.Lock()
	r.sent = append(r.sent, action)
	r.mu.Unlock()
	return r.call(action, args)
}

func (r *fakeRoam) Look(_ context.Context, action string, args ...any) (localapi.Reply, error) {
	asked, _ := json.Marshal(args)
	r.mu.Lock()
	r.asked = append(r.asked, string(asked))
	r.mu.Unlock()
	return r.call(action, args)
}

func (r *fakeRoam) Explain(_ context.Context, err error) error { return err }

func (r *fakeRoam) Waiting(_ context.Context, what string) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waited = append(r.waited, what)
	return func() {}
}

// failedCall is a call that was sent and failed.
func failedCall(code problem.Code, status int) *problem.Error {
	return &problem.Error{Code: code, Message: "It failed.", Call: &problem.Call{Status: status, Sent: true}}
}

func lostReply([]any) (string, error) { return "", failedCall(localapi.CodeConnectionFailed, 0) }

// noon is when the writes of these tests are sent.
func noon() time.Time { return time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC) }

// on returns operations on a graph of r. No time passes between two looks.
func (r *fakeRoam) on(recorder Recorder) *Graph {
	return New(Options{
		Now: noon, LookTimeout: time.Minute,
		Wait: func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil },
	}).On(localapi.Graph{Name: "work", Type: localapi.Hosted}, r).RecordedBy(recorder)
}

func ptr[T any](value T) *T { return &value }

// journal is a Recorder that keeps what it is told.
type journal struct {
	begun  []Recorded
	ended  []Outcome
	refuse error
}

func (j *journal) Begin(_ context.Context, write Recorded) (Record, error) {
	j.begun = append(j.begun, write)
	return &entry{Unrecorded{}, j}, j.refuse
}

func (j *journal) Preview(ctx context.Context, write Recorded) (*fact.State, error) {
	return nil, write.Check(ctx, nil)
}

// entry is a Record of a journal.
type entry struct {
	Unrecorded
	journal *journal
}

func (e *entry) End(o Outcome) { e.journal.ended = append(e.journal.ended, o) }
