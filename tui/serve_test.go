package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/mcpserve"
	"roam-mcp/problem"
)

// fakeService is a server that serves nobody; a test tells of its calls.
type fakeService struct {
	mu      sync.Mutex
	calls   chan mcpserve.Activity
	clients []mcpserve.Client
	counts  mcpserve.Counters
	paused  bool
	stopped bool
	lost    uint64
	err     error
}

var _ Service = (*fakeService)(nil)

func (f *fakeService) URL() string                     { return "http://127.0.0.1:3939/mcp" }
func (f *fakeService) TokenPath() string               { return "/home/ada/.local/state/roam-mcp/http-token" }
func (f *fakeService) Calls() <-chan mcpserve.Activity { return f.calls }
func (f *fakeService) Err() error                      { return f.err }

func (f *fakeService) Clients() []mcpserve.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clients
}

func (f *fakeService) Counters() mcpserve.Counters {
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
	event := mcpserve.Activity{
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

// served opens the screen over a fake service.
func served(t *testing.T, width, height int, with func(*fakeService)) (*harness, *fakeService) {
	service := &fakeService{calls: make(chan mcpserve.Activity, 2000)}
	if with != nil {
		with(service)
	}
	h := newHarness(t, width, height, configured, func(h *harness) {
		h.ports.Serve = func(context.Context) (Service, error) { return service, nil }
	})
	h.press("s")
	h.untilShown("http://127.0.0.1:3939/mcp")
	return h, service
}

func busyService(f *fakeService) {
	f.clients = []mcpserve.Client{{Name: "claude-code", Sessions: 1}, {Name: "cursor", Sessions: 1}}
	f.counts = mcpserve.Counters{Calls: 3, Failed: 1, Running: 1, Writes: 1, Bytes: 3512}
	f.call(1, 0, "claude-code", "Work", "get_page", mcpserve.OutcomeOK, 3100, 38*time.Millisecond)
	f.call(2, time.Second, "claude-code", "Work", "create_block", mcpserve.OutcomeOK, 412, 61*time.Millisecond)
	f.call(3, 4*time.Second, "cursor", "Personal", "update_block", "READ_ONLY", 180, 2*time.Millisecond)
	f.call(4, 5*time.Second, "claude-code", "Work", "search", "", 0, 0)
}

func servingScenes() map[string]scene {
	busy := func(keys ...string) scene {
		return func(t *testing.T, width, height int) *harness {
			h, _ := served(t, width, height, busyService)
			h.untilShown("update_block")
			h.untilShown("claude-code, cursor")
			h.press(keys...)
			return h
		}
	}
	return map[string]scene{
		"serving":         busy(),
		"serving-paused":  busy("p", "up"),
		"serving-call":    busy("up", "up", "enter"),
		"serving-connect": busy("c"),
		"serving-leave":   busy("esc"),
		"serving-empty": func(t *testing.T, width, height int) *harness {
			h, _ := served(t, width, height, nil)
			return h
		},
		"serving-failed": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured, func(h *harness) {
				h.ports.Serve = func(context.Context) (Service, error) {
					return nil, &problem.Error{Code: mcpserve.CodeHTTPToken, Message: "The token file can't be written.", Hint: problem.Say("Make room on the disk.")}
				}
			})
			h.press("s")
			h.untilShown("Not serving")
			return h
		},
	}
}

func TestPausingWritesReachesTheServerAndLeavingAsks(t *testing.T) {
	h, service := served(t, 80, 24, busyService)
	h.press("p")
	h.until("writes are paused", func() bool { return service.is(func(f *fakeService) bool { return f.paused }) })
	h.press("p")
	h.until("writes go on", func() bool { return service.is(func(f *fakeService) bool { return !f.paused }) })
	h.press("esc")
	h.untilShown("Stop serving?")
	h.press("enter") // the safe answer
	h.untilShown("writes on")
	if service.is(func(f *fakeService) bool { return f.stopped }) {
		t.Error("the safe answer stopped the server")
	}
	h.press("ctrl+c")
	h.untilShown("Press ctrl+c again to quit")
	h.press("esc", "y")
	h.until("the server is stopped", func() bool { return service.is(func(f *fakeService) bool { return f.stopped }) })
	h.untilShown("Your graphs")
}

// TestPausingIsDoneOnceTheScreenSaysSo: two presses in a row must not overtake each
// other on their way to the server.
func TestPausingIsDoneOnceTheScreenSaysSo(t *testing.T) {
	h, service := served(t, 80, 24, busyService)
	for _, paused := range []bool{true, false, true} {
		h.root.Update(keyPress("p")) // what it leads to is not waited for
		said, is := h.shows("writes paused"), service.is(func(f *fakeService) bool { return f.paused })
		if said != paused || is != paused {
			t.Errorf("paused is %v on the screen and %v in the server, want %v", said, is, paused)
		}
	}
}

func TestTheCallsOfAServerThatEndedAreNotMixedWithThoseOfTheNext(t *testing.T) {
	h, service := served(t, 100, 24, func(f *fakeService) {
		f.call(1, 0, "claude-code", "Work", "get_page", mcpserve.OutcomeOK, 3100, 38*time.Millisecond)
	})
	h.untilShown("get_page")
	service.Stop()
	h.untilShown("Not serving")
	next := &fakeService{calls: make(chan mcpserve.Activity, 2)}
	next.call(1, time.Minute, "cursor", "Work", "search", mcpserve.OutcomeOK, 412, 61*time.Millisecond)
	h.root.env.ports.Serve = func(context.Context) (Service, error) { return next, nil }
	h.press("r")
	h.untilShown("cursor Work search")
	if h.shows("get_page") {
		t.Errorf("a call of the former server is listed:\n%s", h.screen())
	}
}

func TestAServerThatEndsByItselfIsToldAndCanBeStartedAgain(t *testing.T) {
	h, service := served(t, 80, 24, nil)
	service.err = errors.New("the address was lost")
	close(service.calls)
	service.stopped = true
	h.untilShown("The address was lost.")
	next := &fakeService{calls: make(chan mcpserve.Activity, 1)}
	h.root.env.ports.Serve = func(context.Context) (Service, error) { return next, nil }
	h.press("r")
	h.untilShown("No agent has called yet")
}

func TestAServerThatStillStartsEndsWhenItsScreenIsLeft(t *testing.T) {
	contexts := make(chan context.Context, 1)
	h := newHarness(t, 80, 24, configured, func(h *harness) {
		h.ports.Serve = func(ctx context.Context) (Service, error) {
			contexts <- ctx
			<-ctx.Done() // the latest moment at which it may come
			return nil, ctx.Err()
		}
	})
	h.press("s")
	h.untilShown("Starting the server")
	ctx := <-contexts
	h.press("esc")
	h.untilShown("Your graphs")
	if ctx.Err() == nil {
		t.Error("nobody sees the server, and it goes on")
	}
}

func TestTheChoiceFollowsTheNewestCallUntilItIsMoved(t *testing.T) {
	h, service := served(t, 80, 24, busyService)
	h.untilShown("update_block")
	s := h.root.top().(*serveScreen)
	if s.calls[s.selected()].start.Call != 4 {
		t.Errorf("call %d is chosen first", s.calls[s.selected()].start.Call)
	}
	h.press("up")
	for i := uint64(5); i < 900; i++ {
		service.call(i, time.Minute, "cursor", "Work", fmt.Sprintf("tool_%d", i), mcpserve.OutcomeOK, 10, time.Millisecond)
	}
	h.until("the last call", func() bool { return s.indexOf(899) >= 0 })
	if len(s.calls) != keptCalls {
		t.Errorf("%d calls are kept", len(s.calls))
	}
	h.press("end")
	h.untilShown("tool_899")
	h.press("home")
	if strings.Contains(h.screen(), "tool_899") {
		t.Error("home did not scroll")
	}
}

func TestNewsThatWereLostAreToldAndLeaveNoCallRunning(t *testing.T) {
	h, _ := served(t, 100, 24, func(f *fakeService) {
		busyService(f)
		f.counts.Running, f.lost = 0, 12
	})
	h.untilShown("12 too fast to list")
	h.untilShown("end not seen")
	if h.shows("◐ running") {
		t.Errorf("a call runs for ever:\n%s", h.screen())
	}
}

func TestTheFirstAgentIsToldHowToConnectAndTheCommandIsCopied(t *testing.T) {
	copied := ""
	service := &fakeService{calls: make(chan mcpserve.Activity)}
	h := newHarness(t, 80, 24, configured, func(h *harness) {
		h.ports.Serve = func(context.Context) (Service, error) { return service, nil }
		h.ports.Copy = func(_ context.Context, text string) error { copied = text; return nil }
	})
	h.press("s")
	h.untilShown("claude mcp add --transport http --scope user roam http://127.0.0.1:3939/mcp")
	h.press("y")
	h.untilShown("Copied the command")
	if want := service.TokenPath(); !strings.HasPrefix(copied, "claude mcp add") || !strings.Contains(copied, strings.TrimPrefix(want, "/home/ada")) {
		t.Errorf("copied is %q", copied)
	}
}

func TestTheTableOfCallsGivesNamesTheRoomThatThereIs(t *testing.T) {
	h, _ := served(t, 92, 24, func(f *fakeService) {
		f.call(1, 0, "claude-code", "Tidewater notes", "get_graph_guidelines", "TOKEN_NOT_FOUND", 3100, 500*time.Microsecond)
		f.call(2, 0, "a client with a long name", "Tidewater notes", "search", mcpserve.OutcomeOK, 3100, 38*time.Millisecond)
	})
	for _, text := range []string{"Tidewater notes get_graph_guidelines <1 ms ✗ TOKEN_NOT_FOUND", "a client …"} {
		h.untilShown(text)
	}
	h.press("up", "enter")
	h.untilShown("Took <1 ms")
}
