package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/transport"
)

// endpoint is a server that serves over HTTP.
type endpoint struct {
	t *testing.T
	mcptest.HTTP
	stop context.CancelFunc
	done chan error
}

func (w *world) serveHTTP() *endpoint {
	w.t.Helper()
	token := transport.NewToken()
	server, err := w.server.ListenHTTP(w.t.Context(), transport.HTTPOptions{Address: "127.0.0.1:0", Token: token})
	require.NoError(w.t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	e := &endpoint{t: w.t, HTTP: mcptest.HTTP{URL: server.URL(), Token: token.Reveal()}, stop: stop, done: make(chan error, 1)}
	go func() { e.done <- server.Serve(ctx); close(e.done) }()
	w.t.Cleanup(func() { stop(); <-e.done })
	return e
}

func (e *endpoint) connect(version, name string) *client {
	e.t.Helper()
	return &client{e.t, e.Connect(e.t, version, name, nil)}
}

func TestListenHTTP(t *testing.T) {
	t.Run("serves both eras at one address", func(t *testing.T) {
		for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
			t.Run(version, func(t *testing.T) {
				w := newWorld(t, configText("Work"))
				w.roam.result("data.ai.getPage", pageResult)
				c := w.serveHTTP().connect(version, "test")
				if got := c.InitializeResult().ProtocolVersion; got != version {
					t.Errorf("the server speaks %s", got)
				}
				if hasSession := c.ID() != ""; hasSession != (version < statelessVersion) {
					t.Errorf("a session: %v", hasSession)
				}
				list, err := c.ListTools(t.Context(), nil)
				require.NoError(t, err)
				if version >= statelessVersion && list.CacheScope != "private" {
					t.Errorf("cache scope %q", list.CacheScope)
				}
				c.call("get_page", `{"title":"x"}`).ok().has("graph", "Work")
			})
		}
	})
	t.Run("keeps a selection in its session", func(t *testing.T) {
		w := newWorld(t, configText("Work", "Home"))
		w.roam.result("data.ai.getPage", pageResult)
		e := w.serveHTTP()
		first, second := e.connect("2025-11-25", "first"), e.connect("2025-11-25", "second")
		modern := e.connect("2026-07-28", "modern")
		first.call("select_graph", `{"graph":"Work"}`).ok()
		second.call("get_page", `{"title":"x"}`).fails(CodeGraphNotSelected)
		modern.call("select_graph", `{"graph":"Home"}`).ok()
		modern.call("get_page", `{"title":"x"}`).fails(CodeGraphNotSelected)
		first.call("get_page", `{"title":"x"}`).ok().has("graph", "Work")
	})
	t.Run("answers many calls at once", func(t *testing.T) {
		w := newWorld(t, configText("Work"))
		w.roam.result("data.ai.getPage", pageResult)
		e := w.serveHTTP()
		done := make(chan error)
		const clients, each = 8, 20
		for n := range clients {
			c := e.connect([]string{"2025-11-25", "2026-07-28"}[n%2], fmt.Sprint("client ", n))
			go func() {
				var problem error
				for range each {
					result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_page", Arguments: map[string]any{"title": "x"}})
					if err == nil && result.IsError {
						err = errors.New("the tool failed")
					}
					problem = errors.Join(problem, err)
				}
				done <- problem
			}()
		}
		for range clients {
			require.NoError(t, <-done)
		}
		if got := len(w.roam.requests("data.ai.getPage")); got != clients*each {
			t.Errorf("Roam saw %d calls", got)
		}
		if counters := w.server.Activity().Counters(); counters.Calls != clients*each || counters.Running != 0 {
			t.Errorf("counted: %+v", counters)
		}
	})
	for name, tc := range map[string]struct {
		version string
		end     func(e *endpoint, session string, leave func())
	}{
		"a stateless client that hangs up":    {"2026-07-28", func(_ *endpoint, _ string, leave func()) { leave() }},
		"a client of a session that hangs up": {"2025-11-25", func(_ *endpoint, _ string, leave func()) { leave() }},
		"a session that is deleted": {"2025-11-25", func(e *endpoint, session string, _ func()) {
			request := e.Request(t, "", "Mcp-Session-Id", session)
			request.Method = http.MethodDelete
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			response.Body.Close()
		}},
	} {
		t.Run("closes the request to Roam of "+name, func(t *testing.T) {
			w := newWorld(t, configText("Work"))
			release := make(chan struct{})
			defer close(release)
			w.roam.on("data.ai.getPage", func(roamRequest) (int, string) { <-release; return 500, `{}` })
			e := w.serveHTTP()
			c := e.connect(tc.version, "test")
			calls := w.server.Activity().Subscribe(activity.SubscribeOptions{})
			request := e.Request(t, fmt.Sprintf(pageLine, 7), "Mcp-Session-Id", c.ID())
			if c.ID() == "" {
				body := strings.Replace(fmt.Sprintf(pageLine, 7), `"name"`, mcptest.StatelessMeta+`,"name"`, 1)
				request = e.Request(t, body, "Mcp-Protocol-Version", tc.version, "Mcp-Method", "tools/call", "Mcp-Name", "get_page")
			}
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			go func() {
				if response, err := http.DefaultClient.Do(request.WithContext(ctx)); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
			}()
			await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
			tc.end(e, c.ID(), leave)
			await.Value(t, "the start of the call", calls.Events())
			if ended := await.Value(t, "the end of the call", calls.Events()); ended.Outcome != localapi.CodeCancelled {
				t.Errorf("got %s", ended.Outcome)
			}
		})
	}
	t.Run("cancels calls that outlast DrainTimeout, and answers them", func(t *testing.T) {
		w := newWorld(t, configText("Work"), func(o *Options) { o.DrainTimeout = 50 * time.Millisecond })
		release := make(chan struct{})
		defer close(release)
		w.roam.on("data.ai.getPage", func(roamRequest) (int, string) { <-release; return 500, `{}` })
		e := w.serveHTTP()
		c := e.connect("2025-11-25", "test")
		replies := make(chan toolReply, 1)
		go func() { replies <- c.call("get_page", `{"title":"x"}`) }()
		await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
		e.stop()
		(<-replies).fails(localapi.CodeCancelled)
		require.NoError(t, await.Value(t, "the end of the server", e.done))
	})
}
