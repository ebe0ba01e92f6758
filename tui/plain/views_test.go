package plain

import (
	"context"
	"strings"
	"testing"
	"time"

	"roam-mcp/doctor"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/problem"
)

// loggedCalls are the calls of all servers.
type loggedCalls []activity.LoggedCall

func (loggedCalls) Servers(context.Context) ([]activity.Server, error) { return nil, nil }

func (l loggedCalls) Calls(context.Context, int) ([]activity.LoggedCall, error) { return l, nil }

func (loggedCalls) Watch(context.Context) <-chan struct{} { return nil }

func TestMenu(t *testing.T) {
	t.Run("finds what is asked for by a part of it", func(t *testing.T) {
		newWorld(t).says([]string{"agent", "guidelines", "Work"}, "Which of these", "4. guidelines: what a graph tells agents", "Work")
		newWorld(t).says([]string{"nickn", "Work", "Mine"}, "Work is now Mine.")
		newWorld(t).says([]string{"agent", "none"}, "Which of these")
		newWorld(t).says([]string{"zzz"}, "That is none of the choices.")
	})
	t.Run("says what can't be done now, and why", func(t *testing.T) {
		newWorld(t).says([]string{"help"}, "undo the last removal (not now: nothing was removed)", "rename: give a graph another nickname")
		printed := newWorld(t).says([]string{"remove", "Work", "remove", "help"})
		if _, after, _ := strings.Cut(printed, "Removed Work"); strings.Contains(after, "nothing was removed") {
			t.Errorf("it says:\n%s", after)
		}
	})
	t.Run("tells what agents do", func(t *testing.T) {
		w := newWorld(t)
		at := time.Date(2026, 11, 21, 14, 2, 11, 0, time.UTC)
		w.ports.Activity = loggedCalls{
			{At: at, Client: "cursor", Graph: "Work", Tool: "get_page", Ended: true, Took: 38 * time.Millisecond},
			{At: at, Tool: "search", Ended: true, Took: time.Millisecond, Sentence: "the graph is read only"},
			{At: at, Client: "cursor", Tool: "search"},
		}
		w.says([]string{"activity"}, "14:02:11: cursor called get_page in Work: done, 38 ms.", "somebody called search: the graph is read only, 1 ms.", "running")
		w.ports.Activity = loggedCalls{}
		w.says([]string{"v"}, "No agent has called yet.")
	})
	t.Run("tells what the doctor finds", func(t *testing.T) {
		w := newWorld(t)
		finding := doctor.Finding{Subject: "Roam", Level: doctor.Failed, Found: "does not answer", Why: "Agents can't work.", Todo: problem.Say("Start Roam Desktop.")}
		w.ports.Doctor = func(context.Context) ([]doctor.Check, func()) {
			return []doctor.Check{{ID: "roam", Run: func(context.Context, *doctor.Facts) []doctor.Finding { return []doctor.Finding{finding} }}}, func() {}
		}
		w.says([]string{"doctor"}, "Roam, failed: does not answer.", "Agents can't work.", "Start Roam Desktop.")
		finding.Level = doctor.OK
		w.says([]string{"d"}, "Roam, ok: does not answer.", "All is well.")
	})
}
