package mcpserve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/activity"
)

func (w *world) serveStdio() *mcptest.Lines {
	w.t.Helper()
	return mcptest.Serve(w.t, w.server.ServeStdio)
}

const pageLine = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"x"}}}` + "\n"

func TestServeStdio(t *testing.T) {
	t.Run("answers initialize with Roam closed", func(t *testing.T) {
		w := newWorld(t, configText("Work"))
		w.roam.Close()
		p := w.serveStdio().Listen()
		result := p.Hello()
		if result["protocolVersion"] != "2025-06-18" || result["instructions"] == "" {
			t.Errorf("got %v", result)
		}
		if capabilities := result["capabilities"].(map[string]any); capabilities["logging"] != nil || capabilities["tools"] == nil {
			t.Errorf("capabilities: %v", capabilities)
		}
	})
	t.Run("closes the request to Roam when the client cancels its call", func(t *testing.T) {
		w := newWorld(t, configText("Work"))
		release := make(chan struct{})
		defer close(release)
		w.roam.on("data.ai.getPage", func(roamRequest) (int, string) { <-release; return 500, `{}` })
		p := w.serveStdio().Listen()
		p.Hello()
		p.Send(fmt.Sprintf(pageLine, 1))
		await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
		calls := w.server.Activity().Subscribe(activity.SubscribeOptions{})
		p.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
		await.Value(t, "the start of the call", calls.Events())
		if ended := await.Value(t, "the end of the call", calls.Events()); ended.Outcome != localapi.CodeCancelled {
			t.Errorf("got %s", ended.Outcome)
		}
		p.Send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
		if next := p.Next(); next["id"] != 2.0 {
			t.Errorf("a call that was cancelled is answered: %v", next)
		}
	})
	t.Run("answers a call in which a tool panics, and those after it", func(t *testing.T) {
		w := newWorld(t, configText("Work"), func(o *Options) { o.Roam = panicking{} })
		p := w.serveStdio().Listen()
		p.Send(mcptest.HelloLines + fmt.Sprintf(pageLine, 1))
		if text := fmt.Sprint(p.Answer(1.0)); !strings.Contains(text, "INTERNAL_ERROR") || strings.Contains(text, "S3cr3t") {
			t.Errorf("got %s", text)
		}
		p.Send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
		p.Answer(2.0)
		if log := w.log.String(); !strings.Contains(log, "level=ERROR msg=panic") || strings.Contains(log, "S3cr3t") {
			t.Errorf("log: %s", log)
		}
	})
	t.Run("needs no handshake in the stateless era", func(t *testing.T) {
		w := newWorld(t, configText("Work", "Home"))
		w.roam.result("data.ai.getPage", pageResult)
		p := w.serveStdio().Listen()
		request := func(id int, method, params string) map[string]any {
			p.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`+"\n", id, method, params, mcptest.StatelessMeta))
			message := p.Answer(float64(id))
			result, ok := message["result"].(map[string]any)
			if !ok {
				t.Fatalf("%s: %v", method, message)
			}
			return result
		}
		discovered := request(1, "server/discover", "")
		if !strings.Contains(fmt.Sprint(discovered["supportedVersions"]), "2026-07-28") || !strings.Contains(discovered["instructions"].(string), "select_graph") {
			t.Errorf("discover: %v", discovered)
		}
		if list := request(2, "tools/list", ""); list["cacheScope"] != "private" || len(list["tools"].([]any)) != len(w.server.offering.tools(w.server.currentView())) {
			t.Errorf("tools/list: %v", list["cacheScope"])
		}
		text := func(result map[string]any) map[string]any {
			content := result["content"].([]any)[0].(map[string]any)
			var fields map[string]any
			require.NoError(t, json.Unmarshal([]byte(content["text"].(string)), &fields))
			return fields
		}
		selected := text(request(3, "tools/call", `"name":"select_graph","arguments":{"graph":"Work"},`))
		if refused := request(4, "tools/call", `"name":"get_page","arguments":{"title":"x"},`); refused["isError"] != true {
			t.Error("the stateless era remembers a selection")
		}
		read := text(request(5, "tools/call", fmt.Sprintf(`"name":"get_page","arguments":{"title":"x","ticket":%q},`, selected["ticket"])))
		if read["graphName"] != "work-graph" {
			t.Errorf("got %v", read)
		}
		// A subscription is open when the client leaves, and keeps nobody waiting.
		p.Send(`{"jsonrpc":"2.0","id":6,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + mcptest.StatelessMeta + `}}` + "\n")
		require.NoError(t, p.In.Close())
		if err := p.Ended(); err != nil {
			t.Error(err)
		}
	})
	t.Run("takes arguments that come as text", func(t *testing.T) {
		w := newWorld(t, configText("Work"))
		w.roam.result("data.ai.getPage", pageResult)
		p := w.serveStdio().Listen()
		p.Hello()
		for i, arguments := range []string{`"{\"title\":\"x\",\"maxDepth\":\"2\"}"`, `{"title":"x","maxDepth":"2"}`} {
			p.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":%s}}`+"\n", i+1, arguments))
			if answer := fmt.Sprint(p.Answer(float64(i + 1))); !strings.Contains(answer, "work-graph") {
				t.Errorf("%s: %s", arguments, answer)
			}
		}
		for _, request := range w.roam.requests("data.ai.getPage") {
			if !strings.Contains(string(request.Args), `"maxDepth":2`) {
				t.Errorf("Roam got %s", request.Args)
			}
		}
	})
	t.Run("cancels calls that outlast DrainTimeout, and answers them", func(t *testing.T) {
		w := newWorld(t, configText("Work"), func(o *Options) { o.DrainTimeout = 50 * time.Millisecond })
		release := make(chan struct{})
		defer close(release)
		w.roam.on("data.ai.getPage", func(roamRequest) (int, string) { <-release; return 500, `{}` })
		p := w.serveStdio().Listen()
		p.Send(mcptest.HelloLines + fmt.Sprintf(pageLine, 1))
		await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
		p.Stop()
		if text := fmt.Sprint(p.Answer(1.0)); !strings.Contains(text, "CANCELLED") {
			t.Errorf("got %s", text)
		}
		if err := p.Ended(); err != nil {
			t.Error(err)
		}
	})
}

func TestConnectSharesTheServer(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", pageResult)
	first, second := w.connect(), w.connect()
	first.call("get_page", `{"title":"x"}`).ok()
	require.NoError(t, first.Close())
	second.call("get_page", `{"title":"x"}`).ok()
	await.Condition(t, "the ended session is forgotten", func() bool {
		w.connect().call("get_page", `{"title":"x"}`).ok()
		w.server.sessions.mu.Lock()
		defer w.server.sessions.mu.Unlock()
		alive := 0
		for range w.server.mcp.Sessions() {
			alive++
		}
		return len(w.server.sessions.open) <= alive
	})
	if _, ok := any(w.server.MCP()).(*mcp.Server); !ok {
		t.Error("no server underneath")
	}
}
