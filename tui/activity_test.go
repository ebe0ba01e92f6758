package tui

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/transport"
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

	otherPort bool
	id        string
}

var _ Service = (*fakeService)(nil)

func (f *fakeService) URL() string                  { return "http://127.0.0.1:3939/mcp" }
func (f *fakeService) TokenPath() string            { return "/home/ada/.local/state/roam-mcp/http-token" }
func (f *fakeService) Calls() <-chan activity.Event { return f.calls }
func (f *fakeService) Err() error                   { return f.err }
func (f *fakeService) ServerID() string             { return cmp.Or(f.id, "this") }
func (f *fakeService) KeepsAddress() bool           { return !f.otherPort }

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
	event.Reply, event.Page = `{"uid":"xyz987"}`, "Groceries"
	f.calls <- event
}

// fakeActivity is the log of all servers; a test tells of changes.
type fakeActivity struct {
	mu      sync.Mutex
	servers []activity.Server
	calls   []activity.LoggedCall
	news    chan struct{}
}

func (f *fakeActivity) Servers(context.Context) ([]activity.Server, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.servers), nil
}

func (f *fakeActivity) Calls(_ context.Context, limit int) ([]activity.LoggedCall, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls[max(len(f.calls)-limit, 0):]), nil
}

func (f *fakeActivity) Watch(ctx context.Context) <-chan struct{} {
	out := make(chan struct{})
	go func() {
		defer close(out)
		for {
			select {
			case <-ctx.Done():
				return
			case <-f.news:
				select {
				case out <- struct{}{}:
				case <-ctx.Done():
				}
			}
		}
	}()
	return out
}

// change changes the log, and tells of it.
func (f *fakeActivity) change(change func(*fakeActivity)) step {
	return func(*harness) {
		f.mu.Lock()
		change(f)
		f.mu.Unlock()
		f.news <- struct{}{}
	}
}

// othersLog has a server that cursor started, with a write and a failure, one that was
// killed during a call, and the calls of this program as they are on disk.
func othersLog() *fakeActivity {
	f := &fakeActivity{news: make(chan struct{}, 16)}
	f.servers = []activity.Server{
		{ID: "killed", Kind: activity.KindStdio, Started: start.Add(-time.Hour)},
		{ID: "cursor", Kind: activity.KindStdio, Started: start, Alive: true, Clients: []activity.ServerClient{{Name: "cursor"}}},
		{ID: "remote", Kind: activity.KindHTTP, Address: "http://127.0.0.1:8080/mcp", Started: start, Alive: true},
		{ID: "this", Kind: activity.KindSetup, Started: start},
	}
	call := func(server string, number uint64, after time.Duration, client, tool string) activity.LoggedCall {
		return activity.LoggedCall{Server: server, Number: number, At: start.Add(after), Client: client, Graph: "Work", Tool: tool, Ended: true, Took: 20 * time.Millisecond, Outcome: activity.OutcomeOK, Bytes: 900}
	}
	wrote, failed, killed, twice := call("cursor", 1, 2*time.Second, "cursor", "append_blocks"), call("cursor", 2, 3*time.Second, "cursor", "get_block"), call("killed", 9, -time.Minute, "codex", "search"), call("this", 1, 0, "claude-code", "get_page")
	wrote.Writes, wrote.Change, wrote.Page = true, 412, "Plan Q4"
	failed.Outcome, failed.Sentence = "BLOCK_NOT_FOUND", "Block not found"
	killed.Ended = false
	f.calls = []activity.LoggedCall{killed, twice, wrote, failed}
	return f
}

// watched has the log of all servers.
func watched(f *fakeActivity) world {
	return func(h *harness) { h.ports.Activity = f }
}

// hasCalls waits until so many calls of the embedded server are known, so that those of
// others come after them.
func hasCalls(n int) step {
	return func(h *harness) {
		h.t.Helper()
		h.until("the calls of the embedded server", func() bool { return len(h.root.env.serving.own) == n })
	}
}

// serves has the next server be this one.
func serves(service *fakeService) world {
	return func(h *harness) {
		h.ports.Serve = func(context.Context, ServeRequest) (Service, error) { return service, nil }
		if h.root != nil {
			h.root.env.ports.Serve = h.ports.Serve
		}
	}
}

// served serves, and opens the Activity screen.
func served(service *fakeService) scene {
	return in(configured, serves(service)).then(press("s"), see("serving :3939"), press("v"), see("http://127.0.0.1:3939/mcp"))
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

// taken has the usual port be taken by another program; any other gives the service.
func taken(service *fakeService) world {
	return func(h *harness) {
		h.ports.Serve = func(_ context.Context, request ServeRequest) (Service, error) {
			if !request.AnyPort {
				return nil, &problem.Error{Code: transport.CodeAddressInUse, Message: "node (process 4711) listens on 127.0.0.1:3939 already."}
			}
			service.otherPort = true
			return service, nil
		}
	}
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
		"serving-chip": func(t *testing.T, width, height int) *harness {
			return in(configured, serves(busyService())).then(press("s"), hasClients(2), see("v shows"))(t, width, height)
		},
		"serving":         busy(),
		"serving-paused":  busy("p", "up"),
		"serving-call":    busy("up", "up", "enter"),
		"serving-connect": busy("c"),
		"serving-leave":   busy("s"),
		"serving-empty":   with(newService),
		"serving-others": func(t *testing.T, width, height int) *harness {
			return in(configured, serves(busyService()), watched(othersLog())).then(
				press("s"), see("serving :3939"), hasCalls(4), press("v"), see("append_bloc", "1 running", "8080", "create_block", "READ_ONLY"))(t, width, height)
		},
		"serving-taken": func(t *testing.T, width, height int) *harness {
			return in(configured, taken(newService())).then(press("s"), see("node (process 4711)"))(t, width, height)
		},
		"activity-elsewhere": func(t *testing.T, width, height int) *harness {
			return in(configured, watched(othersLog())).then(press("v"), see("append_blocks"), press("up", "enter"))(t, width, height)
		},
		"serving-failed": in(configured, func(h *harness) {
			h.ports.Serve = func(context.Context, ServeRequest) (Service, error) {
				return nil, &problem.Error{Code: transport.CodeTokenRequired, Message: "The token file can't be written.", Hint: problem.Say("Make room on the disk.")}
			}
		}).then(press("s"), see("The token file can't be written."), press("v"), see("Not serving")),
	}
}

func TestServing(t *testing.T) {
	busy, idle, ended, broken, another, quitted, asked := busyService(), newService(), newService(), newService(), newService(), busyService(), newService()
	ended.call(1, 0, "claude-code", "Work", "get_page", activity.OutcomeOK, 3100, 38*time.Millisecond)
	next := newService()
	next.id = "next"
	next.call(1, time.Minute, "cursor", "Work", "search", activity.OutcomeOK, 412, 61*time.Millisecond)
	contexts := make(chan context.Context, 1)
	becomes := func(what string, service *fakeService, holds func(*fakeService) bool) step {
		return func(h *harness) { h.t.Helper(); h.until(what, func() bool { return service.is(holds) }) }
	}
	runs := func(service *fakeService) step {
		return func(h *harness) {
			h.t.Helper()
			if service.is(stopped) {
				h.t.Error("the server was stopped")
			}
		}
	}
	play(t, map[string]scene{
		"goes on whatever screen is shown, and is asked about only with clients": in(configured, serves(busy)).then(
			press("s"), see("serving :3939"), hasClients(2), press("m"), see("Clients", "serving :3939"), press("esc", "s"), see("Stop serving?"), press("enter"), runs(busy),
			press("s", "y"), becomes("a server that is stopped", busy, stopped), see("Stopped serving."), unseen("serving :")),
		"stops without a question where nobody is connected": in(configured, serves(idle)).then(
			press("s"), see("v shows what agents do"), press("s"), becomes("a server that is stopped", idle, stopped), see("Stopped serving.")),
		"says who has the port, and serves on another one for this time alone": in(configured, taken(another)).then(
			press("s"), see("node (process 4711) listens on 127.0.0.1:3939 already.", "Serve on another port"), press("y"),
			see("for this time alone"), press("v"), see("The usual port is taken"), unseen("claude mcp add"), press("c"), see("do not register")),
		"does not serve where the port is taken and nobody wants another": in(configured, taken(asked)).then(
			press("s"), see("Do not serve"), press("enter"), see("Your graphs"), unseen("serving :")),
		"says that no graph is there": in(serves(newService())).then(
			press("s"), see("No graph is connected and enabled yet", "no graph"), press("v"), see("agents find nothing")),
		"asks before q ends what agents use": in(configured, serves(quitted)).then(
			press("s"), hasClients(2), press("q"), see("Agents are served here"), stays, press("enter"), runs(quitted), press("ctrl+c"), see("Press ctrl+c again to quit"), press("q", "y"), quits),
		"tells that it has ended by itself, and starts again": in(configured, serves(broken)).then(press("s"), see("serving :3939"), func(*harness) {
			broken.err = errors.New("the address was lost")
			broken.Stop()
		}, see("The address was lost."), unseen("serving :"), step(serves(newService())), press("s"), see("serving :3939")),
		"keeps the calls of a server beside those of the next": wide(served(ended).then(see("get_page"),
			func(*harness) { ended.Stop() }, see("Not serving"), step(serves(next)), press("s"), see("cursor Work search", "get_page"))),
		"ends a server that still starts": in(configured, func(h *harness) {
			h.ports.Serve = func(ctx context.Context, _ ServeRequest) (Service, error) {
				contexts <- ctx
				<-ctx.Done() // the latest moment at which it may come
				return nil, ctx.Err()
			}
		}).then(press("s"), see("starting to serve"), press("s"), see("Stopped serving."), func(h *harness) {
			if ctx := <-contexts; ctx.Err() == nil {
				h.t.Error("nobody sees the server, and it goes on")
			}
		}),
	})
}

func stopped(f *fakeService) bool { return f.stopped }

func TestActivity(t *testing.T) {
	lossy, first, table, details := busyService(), newService(), newService(), busyService()
	lossy.counts.Running, lossy.lost = 0, 12
	table.call(1, 0, "claude-code", "Tidewater notes", "get_graph_guidelines", "TOKEN_NOT_FOUND", 3100, 500*time.Microsecond)
	table.call(2, 0, "a client with a long name", "Tidewater notes", "search", activity.OutcomeOK, 3100, 38*time.Millisecond)
	copied, changing, pausing := "", othersLog(), busyService()
	copying := func(h *harness) {
		h.ports.Copy = func(_ context.Context, text string) error { copied = text; return nil }
	}
	play(t, map[string]scene{
		"lists the calls of all servers, each once": wide(in(configured, serves(busyService()), watched(changing)).then(
			press("v"), see("2 other servers: cursor, http://127.0.0.1:8080/mcp", "codex Work search – end not seen", "cursor Work append_blocks Plan Q4 20 ms wrote, 900 B, no. 412", "✗ BLOCK_NOT_FOUND"),
			press("s"), see("create_block"), func(h *harness) {
				if n := strings.Count(h.screen(), "get_page"); n != 1 {
					h.t.Errorf("a call of this program is listed %d times", n)
				}
			},
			changing.change(func(f *fakeActivity) { f.calls[3].Tool = "get_page_later" }), see("get_page_later"))),
		"shows what was sent and what came back, and goes on to the next": wide(in(configured, serves(details), copying).then(
			press("s"), hasClients(2), press("v"), see("update_block"), press("up", "up", "enter"),
			see("create_block", "Groceries", "What was sent", "Buy <milk>", "What came back", "xyz987", "2 of 4"),
			press("y"), see("Copied the call"), press("n"), see("update_block", "3 of 4", "Read only"), press("N", "N"), see("1 of 4"), press("N", "tab"), see("2 of 4"), func(h *harness) {
				if !strings.Contains(copied, "Buy <milk>") || !strings.Contains(copied, "xyz987") {
					h.t.Errorf("copied is %q", copied)
				}
			})),
		"shows what a call of another server has changed": wide(in(configured, watched(othersLog())).then(
			press("v"), see("append_blocks"), press("up", "enter"), see("Plan Q4", "that the client started", "stays in the memory"), press("d"), see("Change 412"), press("esc", "n"), see("BLOCK_NOT_FOUND Block not found"))),
		"says that news were dropped, and shows no call that runs": wide(served(lossy).then(
			see("12 too fast to list", "end not seen"), unseen("◐ running"))),
		"says how the first agent is connected, and copies the command": in(configured, serves(first), copying).then(
			press("s"), see("serving"), press("v"), see("claude mcp add-json --scope user roam"), press("y"), see("Copied the command"),
			func(h *harness) {
				if !strings.HasPrefix(copied, "claude mcp add") || !strings.Contains(copied, strings.TrimPrefix(first.TokenPath(), "/home/ada")) {
					h.t.Errorf("copied is %q", copied)
				}
			}),
		"registers the sandbox under a name of its own": in(fresh, serves(newService()), copying).then(
			press("s"), see("serving"), press("v"), see("claude mcp add-json --scope user roam-sandbox"), press("c"), see(`"roam-sandbox": {`)),
		"pauses writes": served(pausing).then(
			press("p"), see("writes paused"), func(h *harness) {
				h.until("a pause", func() bool { return pausing.is(func(f *fakeService) bool { return f.paused }) })
			},
			press("p"), see("● serving :3939")),
		"gives names the room that there is": wide(served(table).then(
			see("Tidewater notes get_graph_guidelines <1 ms ✗ TOKEN_NOT_FOUND"), press("up", "enter"), see("took <1 ms"))),
	})
}

// hasClients waits until so many clients use the server of this program.
func hasClients(n int) step {
	return func(h *harness) {
		h.t.Helper()
		h.until("clients", func() bool { return len(h.root.env.serving.clients) == n })
	}
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

func TestActivityFollowsTheNewestCall(t *testing.T) {
	service := busyService()
	h := served(service).then(see("update_block"))(t, 80, 24)
	s := h.root.top().(*activityScreen)
	if s.feed.calls[s.list.Selected()].Number != 4 {
		t.Errorf("call %d is chosen first", s.feed.calls[s.list.Selected()].Number)
	}
	h.press("up")
	for i := uint64(5); i < 900; i++ {
		service.call(i, time.Minute, "cursor", "Work", fmt.Sprintf("tool_%d", i), activity.OutcomeOK, 10, time.Millisecond)
	}
	h.until("the last call", func() bool { return s.feed.indexOf(callKey{"this", 899}) >= 0 })
	if len(s.feed.calls) != keptCalls {
		t.Errorf("%d calls are kept", len(s.feed.calls))
	}
	h.press("end")
	h.untilShown("tool_899")
	h.press("home")
	unseen("tool_899")(h)
}
