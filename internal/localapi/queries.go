package localapi

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/problem"
)

// formFor is how long it is remembered which form of a query a graph's Roam has: the
// person may update it meanwhile.
const formFor = 10 * time.Minute

// queryForms returns the actions that answer what an action answers, the action itself
// first; none where there is no other. Roam has announced the end of those that do not
// wait (LOCAL_API.md 2.2).
func queryForms(action string) []string {
	switch action {
	case "q":
		return []string{"q", "data.async.q", "data.q"}
	case "data.q":
		return []string{"data.q", "data.async.q", "q"}
	case "data.fast.q":
		return []string{"data.fast.q", "data.async.fast.q"}
	case "data.pull_many":
		return []string{"data.pull_many", "data.async.pull_many"}
	}
	return nil
}

// Queries knows the form of queries that each graph's Roam has. It remembers which that
// is, and is safe for concurrent use.
type Queries struct {
	now func() time.Time

	mu    sync.Mutex
	known map[asked]form
}

type asked struct {
	graph  Graph
	action string
}

// form is a place among the queryForms of an action, and when it was found.
type form struct {
	at    int
	since time.Time
}

// NewQueries returns Queries by a clock; nil: time.Now.
func NewQueries(now func() time.Time) *Queries {
	if now == nil {
		now = time.Now
	}
	return &Queries{now: now, known: map[asked]form{}}
}

// Ask calls an action, and another form of it where Roam does not know it.
func (q *Queries) Ask(graph Graph, action string, call func(action string) (Reply, error)) (Reply, error) {
	form := q.Form(graph, action)
	reply, err := call(form)
	if LacksAction(err) {
		return q.AskOther(graph, action, form, err, call)
	}
	return reply, err
}

// Form returns the form of an action to ask a graph's Roam with; the action itself where
// nothing else is known.
func (q *Queries) Form(graph Graph, action string) string {
	forms := queryForms(action)
	if len(forms) == 0 {
		return action
	}
	return forms[q.first(asked{graph, action})]
}

// AskOther calls the other forms of an action, of which Roam has answered one with missing: that
// it does not know it. Where Roam knows none, the error is that of the action itself.
func (q *Queries) AskOther(graph Graph, action, form string, missing error, call func(action string) (Reply, error)) (Reply, error) {
	for at, other := range queryForms(action) {
		if other == form {
			continue
		}
		reply, err := call(other)
		if !LacksAction(err) {
			q.note(asked{graph, action}, at)
			return reply, err
		}
		if at == 0 {
			missing = err
		}
	}
	return Reply{}, missing
}

func (q *Queries) first(of asked) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if known, ok := q.known[of]; ok && q.now().Sub(known.since) < formFor {
		return known.at
	}
	return 0
}

func (q *Queries) note(of asked, at int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.known[of] = form{at, q.now()}
}

// LacksAction reports whether Roam has answered that it does not know an action.
func LacksAction(err error) bool {
	failed, ok := problem.AsCall(err)
	return ok && (failed.Code == CodeUnknownAction || failed.Code == "ACTION_NOT_AVAILABLE")
}

// longQuery is the time after which a query that threw has timed out, whatever the text says:
// Roam ends them after 20 s (LOCAL_API.md 1.7), and reads them at once.
const longQuery = 15 * time.Second

// isQuery reports whether an action answers a query or a pull.
func isQuery(action string) bool {
	switch action[strings.LastIndexByte(action, '.')+1:] {
	case "q", "pull", "pull_many", "roamQuery":
		return true
	}
	return false
}

// tookTooLong returns the error of a query that threw after a time as that of one which
// took too long; any other as it is.
func tookTooLong(err error, expected string, took time.Duration) error {
	failed, ok := problem.AsCall(err)
	if !ok || took < longQuery || !isQuery(failed.Action()) || !CantRun(err) {
		return err
	}
	late := *failed
	late.Code = CodeQueryTimeout
	late.Message, late.Hint = describe(&late, expected)
	return &late
}

// CantRun reports whether Roam has answered that a query threw, for no reason that passes
// by itself (LOCAL_API.md 1.6): another form of it is worth a try. Words of the query may
// make the other codes of it.
func CantRun(err error) bool {
	failed, ok := problem.AsCall(err)
	return ok && failed.Status() == http.StatusInternalServerError &&
		(failed.Code == CodeInternal || failed.Code == CodeNotFound || failed.Code == CodeAlreadyExists)
}

// UnsupportedQuery returns the error of a query of this program that Roam can't run as one
// that says so; any other as it is.
func UnsupportedQuery(err error) error {
	if !CantRun(err) {
		return err
	}
	failed, _ := problem.AsCall(err)
	unsupported := *failed
	unsupported.Code = CodeQueryUnsupported
	unsupported.Message = "This Roam's queries can't do what roam-mcp needs here. Roam says: " + period(failed.Call.Text)
	unsupported.Hint = problem.Say("Try again; if it stays so, update %s.", problem.Roam)
	return &unsupported
}
