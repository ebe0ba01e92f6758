package plain

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"roam-mcp/doctor"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// shownCalls is how many calls of all servers are told of.
const shownCalls = 20

// tellActivity tells of the newest calls of all servers of this user.
func (m *menu) tellActivity(ctx context.Context) error {
	calls, err := m.ports.Activity.Calls(ctx, shownCalls)
	switch {
	case err != nil:
		m.fail(err)
		return ctx.Err()
	case len(calls) == 0:
		m.tell("No agent has called yet.")
	}
	for _, call := range calls {
		result := "running, or its server was killed"
		if call.Ended {
			result = cmp.Or(call.Sentence, "done") + ", " + kit.ShortDuration(call.Took)
		}
		where := ""
		if call.Graph != "" {
			where = " in " + call.Graph
		}
		m.tell(problem.Sentence(fmt.Sprintf("%s: %s called %s%s: %s", call.At.Format(time.TimeOnly), cmp.Or(call.Client, "somebody"), call.Tool, where, result)))
	}
	return nil
}

// tellDoctor looks at everything between Roam and the clients, and tells what it finds as it
// finds it.
func (m *menu) tellDoctor(ctx context.Context) error {
	checks, done := m.ports.Doctor(ctx)
	defer done()
	report := doctor.Run(ctx, checks, func(f doctor.Finding) {
		m.tell(problem.Sentence(fmt.Sprintf("%s, %s: %s", f.Subject, f.Level, f.Found)))
		if !f.Well() {
			m.tellIn("  ", f.Why, m.words.Todo(f.Todo))
		}
	})
	if report.Well() {
		m.tell("All is well.")
	}
	return ctx.Err()
}
