package mcpserve

import (
	"context"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/calllog"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
)

var (
	notesGraph = localapi.Graph{Name: "notes", Type: localapi.Hosted}
	diaryGraph = localapi.Graph{Name: "diary", Type: localapi.Offline}
)

// eras are the two forms of the protocol.
func eras() []string { return []string{"2025-11-25", statelessVersion} }

// boxed is a world whose Roam is the sandbox.
type boxed struct {
	*world
	box     *faultroam.Roam
	options sandbox.Options
	client  *localapi.Client // the server's
	rescue  string
	calls   calllog.Log // of the sandbox
}

func newBoxed(t *testing.T, change ...func(*sandbox.Options, *Options)) *boxed {
	t.Helper()
	home := t.TempDir()
	b := &boxed{
		world:  &world{t: t, path: filepath.Join(t.TempDir(), "roam-mcp.json"), log: new(syncbuffer.Buffer)},
		rescue: filepath.Join(t.TempDir(), "rescued"),
		options: sandbox.Options{
			Home: home, Policy: desk.Ask,
			New: []sandbox.NewGraph{{Graph: notesGraph}, {Graph: diaryGraph}},
		},
	}
	b.options.Log = b.calls.Logger()
	b.store = configstore.New(b.path)
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	t.Cleanup(client.CloseIdleConnections)
	b.client = client
	options := Options{
		Store: b.store, Roam: client, RescueFolder: b.rescue, Version: "test", Timeouts: patientTimeouts(),
		Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, each := range change {
		each(&b.options, &options)
	}
	b.start()
	server, err := New(t.Context(), options)
	require.NoError(t, err)
	b.server = server
	t.Cleanup(func() {
		server.Close()
		b.stop()
		if leaked(b.log.String()) {
			t.Error("a token is in the log")
		}
	})
	return b
}

// start runs the sandbox, or runs it again.
func (b *boxed) start() {
	b.t.Helper()
	box, err := faultroam.Start(context.WithoutCancel(b.t.Context()), b.options)
	require.NoError(b.t, err)
	b.box = box
}

// stop ends the sandbox. A real Roam is gone for long enough that a client
// notices the end of connections that it kept.
func (b *boxed) stop() {
	if err := b.box.Close(context.Background()); err != nil {
		b.t.Errorf("close the sandbox: %v", err)
	}
	b.client.CloseIdleConnections()
}

// turn sets faults and switches of the sandbox: "exchange=deny".
func (b *boxed) turn(settings ...string) {
	b.t.Helper()
	require.NoError(b.t, b.box.Turn(settings...))
}

// connected adds a graph with a token that the sandbox gave.
func (b *boxed) connected(graph localapi.Graph, nickname string, level localapi.AccessLevel) configstore.Entry {
	b.t.Helper()
	b.turn("exchange=allow")
	defer b.box.Clear()
	client := b.server.exchanger
	grant, err := client.RequestToken(b.t.Context(), localapi.TokenRequest{Graph: graph, AccessLevel: level, Description: "a test"})
	require.NoError(b.t, err)
	entry := configstore.Entry{Name: graph.Name, Type: graph.Type, Token: grant.Token, Nickname: nickname, AccessLevel: grant.AccessLevel}
	require.NoError(b.t, b.store.Save(b.t.Context(), entry))
	return entry
}

// dialog waits for the one open dialog.
func (b *boxed) dialog() desk.Request {
	b.t.Helper()
	var open []desk.Request
	await.Condition(b.t, "a dialog in Roam", func() bool { open = b.box.Desk().Pending(); return len(open) == 1 })
	return open[0]
}

func (b *boxed) answer(decision desk.Decision) {
	b.t.Helper()
	require.NoError(b.t, b.box.Desk().Answer(b.dialog().ID, decision))
}

// asked counts the requests for a token that Roam got.
func (b *boxed) asked() int {
	return b.calls.Count(func(call calllog.Call) bool { return strings.HasSuffix(call.Action, "tokens/request") })
}

func (b *boxed) entry(nickname string) configstore.Entry {
	b.t.Helper()
	config, err := b.store.Load(b.t.Context())
	require.NoError(b.t, err)
	entry, found := config.Find(nickname)
	if !found {
		b.t.Fatalf("%s is not configured: %+v", nickname, config.Entries)
	}
	return entry
}

func leaked(text string) bool {
	return regexp.MustCompile(regexp.QuoteMeta(localapi.TokenPrefix) + `[A-Za-z0-9_-]{8}`).MatchString(text)
}

// heard are the progress notifications of a client, each message once in a row.
type heard struct {
	mu       sync.Mutex
	messages []string
	last     float64
	wrong    bool // the number did not grow
}

func (h *heard) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.wrong = h.wrong || r.Params.Progress <= h.last
		h.last = r.Params.Progress
		if n := len(h.messages); n == 0 || h.messages[n-1] != r.Params.Message {
			h.messages = append(h.messages, r.Params.Message)
		}
	}}
}

func (h *heard) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(slices.Concat(h.messages, []string{""}), "\n")
}

// callWithProgress calls a tool and asks to hear of its progress.
func (c *client) callWithProgress(ctx context.Context, tool, arguments string) toolReply {
	c.t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: rawJSON(arguments)}
	params.SetProgressToken("p")
	result, err := c.CallTool(ctx, params)
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	if reply := newToolReply(c.t, result); !leaked(reply.text) {
		return reply
	}
	c.t.Fatal("a token is in the reply")
	return toolReply{}
}

// runOut is a context whose time is over once a channel is closed.
type runOut struct {
	context.Context
	over <-chan struct{}
}

func (c runOut) Done() <-chan struct{} { return c.over }

func (c runOut) Err() error {
	select {
	case <-c.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// limitAt lets the time of each call run out once a condition holds.
func (b *boxed) limitAt(condition func() bool) {
	b.server.limit = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		over := make(chan struct{})
		go func() {
			defer close(over)
			for ctx.Err() == nil && !condition() {
				time.Sleep(time.Millisecond)
			}
		}()
		return runOut{ctx, over}, cancel
	}
}

// at reports whether the request for the graph notes is in a state.
func (b *boxed) at(state exchange.State) func() bool {
	return func() bool {
		open, found := b.server.tokenRequests.find("notes")
		return found && open.state().machine.State == state
	}
}
