package plain

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"roam-mcp/mcpserve/activity"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// fakeService serves nobody; its calls are told before it starts.
type fakeService struct {
	calls chan tui.Call
	did   []string
}

var _ tui.Service = (*fakeService)(nil)

func (f *fakeService) URL() string                 { return "http://127.0.0.1:3939/mcp" }
func (f *fakeService) TokenPath() string           { return "/home/ada/http-token" }
func (f *fakeService) Calls() <-chan tui.Call      { return f.calls }
func (f *fakeService) Lost() uint64                { return 0 }
func (f *fakeService) KeepsAddress() bool          { return true }
func (f *fakeService) ServerID() string            { return "this" }
func (f *fakeService) Clients() []activity.Client  { return nil }
func (f *fakeService) Counters() activity.Counters { return activity.Counters{} }
func (f *fakeService) Stop()                       { f.did = append(f.did, "stop") }
func (f *fakeService) Err() error                  { return nil }

func (f *fakeService) PauseWrites(paused bool) {
	f.did = append(f.did, map[bool]string{true: "pause", false: "resume"}[paused])
}

func TestServe(t *testing.T) {
	t.Run("tells of calls and holds writes back", func(t *testing.T) {
		w, service := newWorld(t), &fakeService{calls: make(chan tui.Call)}
		w.ports.Serve = func(context.Context, tui.ServeRequest) (tui.Service, error) { return service, nil }
		printed, err := w.runFrom(later(func(input *io.PipeWriter) {
			at := time.Date(2026, 11, 21, 14, 2, 11, 0, time.UTC)
			call := tui.Call{Call: 1, At: at, Client: "night-agent", Graph: "Work", Tool: "search"}
			service.calls <- call
			call.Ended, call.Outcome, call.Bytes, call.Took = true, activity.OutcomeOK, 3100, 38*time.Millisecond
			service.calls <- call
			call.Outcome, call.Tool = "WRITES_PAUSED", "create_page"
			service.calls <- call
			_, _ = io.WriteString(input, "pause\nresume\nstop\nquit\n")
			_ = input.Close()
		}, "serve"))
		w.has(printed, "Serving at http://127.0.0.1:3939/mcp.", "claude mcp add-json --scope user roam",
			"14:02:10: night-agent called search, graph Work, 38 ms: 3.1 KB.", "create_page, graph Work, 38 ms: WRITES_PAUSED.",
			"Writes are paused", "Writes go through again.", "Stopped serving.")
		if got := strings.Join(service.did, " "); err != nil || got != "pause resume stop" {
			t.Errorf("%v, and the server was told: %s", err, got)
		}
	})
	t.Run("asks before it takes another port", func(t *testing.T) {
		w, service := newWorld(t), &fakeService{}
		w.ports.Serve = func(_ context.Context, request tui.ServeRequest) (tui.Service, error) {
			if !request.AnyPort {
				return nil, &problem.Error{Code: tui.CodeAddressInUse, Message: "node (process 4711) listens on it."}
			}
			return service, nil
		}
		printed, _ := w.run("serve", "no", "serve", "yes", "stop", "quit")
		w.has(printed, "node (process 4711) listens on it.", "serve on another port, for this time alone")
		if got := strings.Join(service.did, " "); got != "stop" {
			t.Errorf("the server was told: %s", got)
		}
	})
	t.Run("ends with the input", func(t *testing.T) {
		w, service := newWorld(t), &fakeService{}
		w.ports.Serve = func(context.Context, tui.ServeRequest) (tui.Service, error) { return service, nil }
		printed, err := w.run("serve")
		if !endedAt(err, "") || strings.Join(service.did, " ") != "stop" {
			t.Errorf("%v, and the server was told %v:\n%s", err, service.did, printed)
		}
	})
}
