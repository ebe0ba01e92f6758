package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/history"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/transport/streamablehttp"
	"roam-mcp/problem"
)

// fakeService is a server that serves nobody; a test tells of its calls.
type fakeService struct {
	mu      sync.Mutex
	calls   chan activity.Event
	clients []activity.Client
	counts  activity.Counters
	paused  bool
	stopped bool
	lost    uint64
	err     error
}

var _ Service = (*fakeService)(nil)

func (f *fakeService) URL() string                  { return "http://127.0.0.1:3939/mcp" }
func (f *fakeService) TokenPath() string            { return "/home/ada/.local/state/roam-mcp/http-token" }
func (f *fakeService) Calls() <-chan activity.Event { return f.calls }
func (f *fakeService) Err() error                   { return f.err }

func (f *fakeService) Clients() []activity.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clients
}

func (f *fakeService) Counters() activity.Counters {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

func (f *fakeService) Lost() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

func (f *fakeService) PauseWrites(paused bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.paused = paused
}

func (f *fakeService) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stopped {
		f.stopped = true
		close(f.calls)
	}
}

func (f *fakeService) is(what func(*fakeService) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return what(f)
}

// call tells of a call that began a time after the start; one that took no time
// still runs.
func (f *fakeService) call(number uint64, after time.Duration, client, graph, tool string, outcome problem.Code, bytes int, took time.Duration) {
	event := activity.Event{
		Call: number, At: start.Add(after), Client: client, Graph: graph, Tool: tool,
		Arguments: json.RawMessage(`{"parentUid":"abc123def","markdown":"- Buy <milk>\n- And bread","graph":"` + graph + `"}`),
	}
	f.calls <- event
	if took == 0 {
		return
	}
	event.Ended, event.At, event.Took, event.Outcome, event.Bytes = true, event.At.Add(took), took, outcome, bytes
	f.calls <- event
}

// served opens the screen over a service.
func served(service *fakeService) scene {
	return in(configured, serving(service)).then(press("s"), see("http://127.0.0.1:3939/mcp"))
}

// serving has the next server be this one.
func serving(service *fakeService) world {
	return func(h *harness) {
		h.ports.Serve = func(context.Context, string, string) (Service, error) { return service, nil }
		if h.root != nil {
			h.root.env.ports.Serve = h.ports.Serve
		}
	}
}

func newService() *fakeService { return &fakeService{calls: make(chan activity.Event, 2000)} }

// busyService has two clients, three calls and one that runs.
func busyService() *fakeService {
	f := newService()
	f.clients = []activity.Client{{Name: "claude-code", Sessions: 1}, {Name: "cursor", Sessions: 1}}
	f.counts = activity.Counters{Calls: 3, Failed: 1, Running: 1, Writes: 1, Bytes: 3512}
	f.call(1, 0, "claude-code", "Work", "get_page", activity.OutcomeOK, 3100, 38*time.Millisecond)
	f.call(2, time.Second, "claude-code", "Work", "create_block", activity.OutcomeOK, 412, 61*time.Millisecond)
	f.call(3, 4*time.Second, "cursor", "Personal", "update_block", "READ_ONLY", 180, 2*time.Millisecond)
	f.call(4, 5*time.Second, "claude-code", "Work", "search", "", 0, 0)
	return f
}

// writingService has made a recorded write and makes another; in the journal are those,
// and one of another server.
func writingService() (*fakeService, *fakeHistory) {
	f, journal := newService(), recorded()
	f.clients = []activity.Client{{Name: "claude-code", Sessions: 1}}
	f.counts = activity.Counters{Calls: 2, Running: 1, Writes: 1, Bytes: 3512}
	f.call(1, time.Second, "claude-code", "Work", "get_page", activity.OutcomeOK, 3100, 38*time.Millisecond)
	end := activity.Event{Call: 2, At: start.Add(2 * time.Second), Client: "claude-code", Graph: "Work", Tool: "create_block", Writes: true, Arguments: json.RawMessage(`{"markdown":"- Buy <milk>"}`)}
	f.calls <- end
	end.Ended, end.Took, end.Outcome, end.Bytes, end.Change = true, 61*time.Millisecond, activity.OutcomeOK, 412, 414
	f.calls <- end
	f.call(3, 4*time.Second, "claude-code", "Work", "update_page", "", 0, 0)
	add := func(id, server int64, after time.Duration, agent, tool string, state history.CallState) {
		journal.calls = slices.Insert(journal.calls, 0, history.Call{
			ID: id, Server: server, Graph: workGraph, Session: server, Agent: agent, Tool: tool, At: start.Add(after),
			Took: 40 * time.Millisecond, State: state, Summary: "4 blocks",
		})
	}
	add(414, 7, 2*time.Second, "claude-code", "create_block", history.CallDone)
	add(415, 8, 3*time.Second, "cursor", "append_blocks", history.CallDone)
	add(416, 7, 4*time.Second, "claude-code", "update_page", history.CallOpen)
	add(417, 8, 5*time.Second, "cursor", "update_page", history.CallOpen)
	return f, journal
}

// lists reports whether the screen lists a recorded write of another server.
func (h *harness) lists(number int64) bool {
	s, ok := h.root.top().(*serveScreen)
	return ok && s.indexOf(callKey{elsewhere: number}) >= 0
}

func servingScenes() map[string]scene {
	with := func(service func() *fakeService, steps ...step) scene {
		return func(t *testing.T, width, height int) *harness {
			return served(service()).then(steps...)(t, width, height)
		}
	}
	busy := func(keys ...string) scene {
		return with(busyService, see("update_block", "claude-code, cursor"), press(keys...))
	}
	return map[string]scene{
		"serving":         busy(),
		"serving-paused":  busy("p", "up"),
		"serving-call":    busy("up", "up", "enter"),
		"serving-connect": busy("c"),
		"serving-leave":   busy("esc"),
		"serving-empty":   with(newService),
		"serving-others": func(t *testing.T, width, height int) *harness {
			service, journal := writingService()
			return in(configured, serving(service), journaled(journal)).then(
				press("s"), see("/mcp"), func(h *harness) {
					h.until("the writes of all", func() bool { return h.lists(415) && h.lists(417) && h.shows("1 running") && !h.lists(416) })
				})(t, width, height)
		},
		"serving-failed": in(configured, func(h *harness) {
			h.ports.Serve = func(context.Context, string, string) (Service, error) {
				return nil, &problem.Error{Code: streamablehttp.CodeTokenRequired, Message: "The token file can't be written.", Hint: problem.Say("Make room on the disk.")}
			}
		}).then(press("s"), see("Not serving")),
	}
}

func TestServe(t *testing.T) {
	busy, ended, broken, lossy, first, table := busyService(), newService(), newService(), busyService(), newService(), newService()
	ended.call(1, 0, "claude-code", "Work", "get_page", activity.OutcomeOK, 3100, 38*time.Millisecond)
	next := newService()
	next.call(1, time.Minute, "cursor", "Work", "search", activity.OutcomeOK, 412, 61*time.Millisecond)
	lossy.counts.Running, lossy.lost = 0, 12
	table.call(1, 0, "claude-code", "Tidewater notes", "get_graph_guidelines", "TOKEN_NOT_FOUND", 3100, 500*time.Microsecond)
	table.call(2, 0, "a client with a long name", "Tidewater notes", "search", activity.OutcomeOK, 3100, 38*time.Millisecond)
	writing, journal := writingService()
	idle, others := newService(), recorded()
	copied := ""
	contexts := make(chan context.Context, 1)
	becomes := func(what string, service *fakeService, holds func(*fakeService) bool) step {
		return func(h *harness) { h.t.Helper(); h.until(what, func() bool { return service.is(holds) }) }
	}
	paused := func(f *fakeService) bool { return f.paused }
	stopped := func(f *fakeService) bool { return f.stopped }
	play(t, map[string]scene{
		"pauses writes, and asks before it stops": served(busy).then(
			press("p"), becomes("a pause of writes", busy, paused),
			press("p"), becomes("an end of the pause", busy, func(f *fakeService) bool { return !f.paused }),
			press("esc"), see("Stop serving?"), press("enter"), see("writes on"), func(h *harness) { // the safe answer
				if busy.is(stopped) {
					h.t.Error("the safe answer stopped the server")
				}
			}, press("ctrl+c"), see("Press ctrl+c again to quit"), press("esc", "y"), becomes("a server that is stopped", busy, stopped), see("Your graphs")),
		"does not mix the calls of a server with those of the next": wide(served(ended).then(see("get_page"),
			func(*harness) { ended.Stop() }, see("Not serving"), step(serving(next)), press("r"), see("cursor Work search"), unseen("get_page"))),
		"can be started again after it has ended by itself": served(broken).then(func(*harness) {
			broken.err = errors.New("the address was lost")
			broken.Stop()
		}, see("The address was lost."), step(serving(newService())), press("r"), see("No agent has called yet")),
		"ends a server that still starts as its screen is left": in(configured, func(h *harness) {
			h.ports.Serve = func(ctx context.Context, _, _ string) (Service, error) {
				contexts <- ctx
				<-ctx.Done() // the latest moment at which it may come
				return nil, ctx.Err()
			}
		}).then(press("s"), see("Starting the server"), press("esc"), see("Your graphs"), func(h *harness) {
			if ctx := <-contexts; ctx.Err() == nil {
				h.t.Error("nobody sees the server, and it goes on")
			}
		}),
		"says that news were dropped, and shows no call that runs": wide(served(lossy).then(
			see("12 too fast to list", "end not seen"), unseen("◐ running"))),
		"says how the first agent is connected, and copies the command": in(configured, serving(first), func(h *harness) {
			h.ports.Copy = func(_ context.Context, text string) error { copied = text; return nil }
		}).then(press("s"), see("claude mcp add-json --scope user roam"), press("y"), see("Copied the command"),
			func(h *harness) {
				if !strings.HasPrefix(copied, "claude mcp add") || !strings.Contains(copied, strings.TrimPrefix(first.TokenPath(), "/home/ada")) {
					h.t.Errorf("copied is %q", copied)
				}
			}),
		"lists what other servers write, each once": wide(in(configured, serving(writing), journaled(journal)).then(
			press("s"), see("412 B, no. 414", "● done, no. 415, elsewh", "running, no. 417"), unseen("no. 416"), func(h *harness) {
				journal.change(func(f *fakeHistory) { f.calls[0].State, f.calls[0].Code = history.CallFailed, "NOT_FOUND" })
			}, see("✗ refused: NOT_FOUND"),
			press("up", "up", "up"), see("enter diff"), press("enter"), see("Change 414", "4 blocks", "What was sent", "Buy <milk>"),
			press("esc", "end", "enter"), see("Change 417", "update_page by cursor"), unseen("What was sent"),
			press("esc", "home", "enter"), see("What was sent", "38 ms"))),
		"lists what other servers write before this one has written": in(configured, serving(idle), journaled(others)).then(
			press("s"), see("No agent has called yet"), watchedBy(others, 1), func(*harness) {
				others.write(written("elsewhere"))
			}, see("● done, no. 414"), press("esc", "y"), watchedBy(others, 0)),
		"gives names the room that there is": wide(served(table).then(
			see("Tidewater notes get_graph_guidelines <1 ms ✗ TOKEN_NOT_FOUND", "a client …"), press("up", "enter"), see("Took <1 ms"))),
	})
}

// wide plays a scene in 92 columns.
func wide(s scene) scene {
	return func(t *testing.T, _, height int) *harness { return s(t, 92, height) }
}

// TestServePausesAtOnce: two presses in a row must not overtake each other on their
// way to the server.
func TestServePausesAtOnce(t *testing.T) {
	service := busyService()
	h := served(service)(t, 80, 24)
	for _, paused := range []bool{true, false, true} {
		h.root.Update(keyPress("p")) // what it leads to is not waited for
		said, is := h.shows("writes paused"), service.is(func(f *fakeService) bool { return f.paused })
		if said != paused || is != paused {
			t.Errorf("paused is %v on the screen and %v in the server, want %v", said, is, paused)
		}
	}
}

func TestServeFollowsTheNewestCall(t *testing.T) {
	service := busyService()
	h := served(service).then(see("update_block"))(t, 80, 24)
	s := h.root.top().(*serveScreen)
	if s.calls[s.selected()].start.Call != 4 {
		t.Errorf("call %d is chosen first", s.calls[s.selected()].start.Call)
	}
	h.press("up")
	for i := uint64(5); i < 900; i++ {
		service.call(i, time.Minute, "cursor", "Work", fmt.Sprintf("tool_%d", i), activity.OutcomeOK, 10, time.Millisecond)
	}
	h.until("the last call", func() bool { return s.indexOf(callKey{own: 899}) >= 0 })
	if len(s.calls) != keptCalls {
		t.Errorf("%d calls are kept", len(s.calls))
	}
	h.press("end")
	h.untilShown("tool_899")
	h.press("home")
	unseen("tool_899")(h)
}
