package mcpserve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/transport/streamablehttp/bearer"
)

// nextEvent waits for an event of the feed.
func nextEvent(t *testing.T, sub *Subscription) Activity {
	t.Helper()
	return await.Value(t, "an event of the feed", sub.Events())
}

func TestEveryCallIsToldAsItStartsAndEnds(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"))
	w.roam.result("data.ai.getPage", pageResult)
	sub := w.server.Subscribe(SubscribeOptions{})
	defer sub.Close()
	c := w.connect()
	for name, tc := range map[string]struct {
		tool, arguments string
		want            Activity
	}{
		"a read":              {"get_page", `{"title":"x","graph":"Work"}`, Activity{Tool: "get_page", Graph: "Work", Outcome: OutcomeOK}},
		"no graph chosen":     {"get_page", `{"title":"x"}`, Activity{Tool: "get_page", Outcome: CodeGraphNotSelected}},
		"wrong arguments":     {"get_page", `{"titel":1}`, Activity{Tool: "get_page", Outcome: CodeInvalidParams}},
		"a tool of no graph":  {"list_graphs", `{}`, Activity{Tool: "list_graphs", Outcome: OutcomeOK}},
		"a write, no ticket":  {"delete_block", `{"uid":"b","graph":"Home"}`, Activity{Tool: "delete_block", Graph: "Home", Writes: true, Outcome: CodeTicketRequired}},
		"an error from Roam":  {"get_block", `{"uid":"b","graph":"Home"}`, Activity{Tool: "get_block", Graph: "Home", Outcome: "UNKNOWN_ACTION"}},
		"a graph not present": {"get_page", `{"title":"x","graph":"Nope"}`, Activity{Tool: "get_page", Outcome: configstore.CodeGraphNotConfigured}},
	} {
		t.Run(name, func(t *testing.T) {
			reply := c.call(tc.tool, tc.arguments)
			start, end := nextEvent(t, sub), nextEvent(t, sub)
			if start.Ended || !end.Ended || start.Call != end.Call || start.Call == 0 || start.At.After(end.At) {
				t.Errorf("start %+v, end %+v", start, end)
			}
			for _, event := range []Activity{start, end} {
				if event.Client != "test" || event.Tool != tc.want.Tool || event.Graph != tc.want.Graph || event.Writes != tc.want.Writes || event.Arguments != nil {
					t.Errorf("got %+v", event)
				}
			}
			if end.Outcome != tc.want.Outcome || end.Bytes != len(reply.text) || end.Took != end.At.Sub(start.At) {
				t.Errorf("got %+v", end)
			}
		})
	}
	if got := w.server.Counters(); got.Calls != 7 || got.Failed != 5 || got.Writes != 0 || got.Bytes == 0 || got.Running != 0 {
		t.Errorf("counted %+v", got)
	}
}

func TestAPanicEndsItsCallInTheFeedToo(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.Roam = panicking{} })
	sub := w.server.Subscribe(SubscribeOptions{})
	w.connect().call("get_page", `{"title":"x"}`).fails(localapi.CodeInternal)
	if start, end := nextEvent(t, sub), nextEvent(t, sub); start.Ended || end.Outcome != localapi.CodeInternal {
		t.Errorf("got %+v, %+v", start, end)
	}
}

func TestWhoSubscribesLateHearsOfWhatIsRunning(t *testing.T) {
	w := newWorld(t, configText("Work"))
	release := make(chan struct{})
	w.roam.on("data.ai.getPage", func(roamRequest) (int, string) {
		<-release
		return 200, `{"success":true,"result":` + pageResult + `}`
	})
	c := w.connect()
	done := make(chan struct{})
	go func() { defer close(done); c.call("get_page", `{"title":"x"}`).ok() }()
	await.Condition(t, "the call is running", func() bool { return w.server.Counters().Running == 1 })
	sub := w.server.Subscribe(SubscribeOptions{})
	if event := nextEvent(t, sub); event.Ended || event.Tool != "get_page" || event.Graph != "Work" {
		t.Errorf("got %+v", event)
	}
	close(release)
	if event := nextEvent(t, sub); !event.Ended {
		t.Errorf("got %+v", event)
	}
	<-done
	sub.Close()
	sub.Close()
	if _, open := <-sub.Events(); open {
		t.Error("the channel stays open")
	}
}

func TestASubscriberThatDoesNotReadDelaysNobody(t *testing.T) {
	w := newWorld(t, configText("Work"))
	sub := w.server.Subscribe(SubscribeOptions{Buffer: 3})
	c := w.connect()
	for range 5 {
		c.call("list_graphs", `{}`).ok()
	}
	if got := sub.Dropped(); got != 7 {
		t.Errorf("%d events were dropped", got)
	}
	if first := nextEvent(t, sub); first.Call != 1 || first.Ended {
		t.Errorf("got %+v", first)
	}
}

func TestPausedWritesAreRefusedAndReadsGoOn(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", pageResult)
	w.roam.result("data.block.delete", `null`)
	c := w.connect()
	w.server.PauseWrites()
	if !w.server.WritesPaused() {
		t.Error("writes are not paused")
	}
	refused := c.call("create_page", `{"title":"x"}`).fails(CodeWritesPaused)
	if refused.failure["retryable"] != true {
		t.Errorf("got %v", refused.failure)
	}
	for _, tool := range w.server.offering.profile.Tools {
		if tool.Effects.ReadOnly {
			continue
		}
		if reply := c.call(tool.Name, `{}`); reply.failure["code"] != string(CodeWritesPaused) && reply.failure["code"] != string(CodeToolNotOffered) {
			t.Errorf("%s: %s", tool.Name, reply.text)
		}
	}
	c.call("get_page", `{"title":"x"}`).ok()
	w.server.ResumeWrites()
	if reply := c.call("create_page", `{}`); reply.failure["code"] == string(CodeWritesPaused) {
		t.Errorf("still paused: %s", reply.text)
	}
}

func TestClientsAreListedByName(t *testing.T) {
	var clock atomic.Int64 // a notification may be heard late
	clock.Store(time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC).UnixNano())
	w := newWorld(t, configText("Work"), func(o *Options) { o.Now = func() time.Time { return time.Unix(0, clock.Load()) } })
	e := w.serveHTTP()
	one, two := e.connect("2025-11-25", "claude-code"), e.connect("2025-11-25", "claude-code")
	cursor := e.connect("2026-07-28", "cursor "+secretOf("Work"))
	cursor.call("list_graphs", `{}`).ok()
	names := func() string {
		var list []string
		for _, each := range w.server.Clients() {
			list = append(list, fmt.Sprintf("%s %s %s %d", each.Name, each.Version, each.Protocol, each.Sessions))
		}
		return strings.Join(list, "; ")
	}
	if got := names(); got != "claude-code 1 2025-11-25 2; cursor [token redacted] 1 2026-07-28 0" {
		t.Errorf("got %s", got)
	}
	clock.Add(int64(statelessPresence))
	must(t, one.Close())
	await.Condition(t, "one session and no stateless client are left", func() bool { return names() == "claude-code 1 2025-11-25 1" })
	must(t, two.Close())
	await.Condition(t, "nobody is left", func() bool { return names() == "" })
}

func TestTheNamesOfClientsDoNotFillTheMemory(t *testing.T) {
	heard := newClients()
	for n := range 3 * mostClients {
		heard.note(Client{Name: fmt.Sprint(n), LastHeard: time.Unix(int64(n), 0)})
	}
	if _, there := heard.heard[fmt.Sprint(3*mostClients-1)]; len(heard.heard) != mostClients || !there {
		t.Errorf("%d names, the last: %v", len(heard.heard), there)
	}
}

func TestArgumentsAreShownWithoutSecretsAndShort(t *testing.T) {
	token, http := secretOf("Work"), bearer.New().Reveal()
	for name, tc := range map[string]struct{ sent, want string }{
		"nothing":               {``, `{}`},
		"plain":                 {`{"title":"A page","depth":3,"flag":true,"none":null}`, `{"depth":3,"flag":true,"none":null,"title":"A page"}`},
		"a ticket":              {`{"ticket":"abc","title":"x"}`, `{"ticket":"[redacted]","title":"x"}`},
		"whatever its case":     {`{"Graph_Ticket":["abc"]}`, `{"Graph_Ticket":"[redacted]"}`},
		"deep down":             {`{"a":[{"accessToken":{"b":"abc"}}]}`, `{"a":[{"accessToken":"[redacted]"}]}`},
		"a token in a text":     {`{"title":"my ` + token + ` here"}`, `{"title":"my [token redacted] here"}`},
		"a token as a key":      {`{"` + token + `":1}`, `{"[token redacted]":"[redacted]"}`},
		"the endpoint's token":  {`{"title":"` + http + `"}`, `{"title":"[token redacted]"}`},
		"a bearer header":       {`{"title":"Authorization: Bearer abc.def-123/456+789="}`, `{"title":"Authorization: Bearer [token redacted]"}`},
		"bearer bonds":          {`{"title":"Bearer bonds"}`, `{"title":"Bearer bonds"}`},
		"the object as text":    {`"{\"ticket\":\"abc\"}"`, `{"ticket":"[redacted]"}`},
		"no JSON":               {`{"ticket":"abc`, `{"not shown":"14 bytes"}`},
		"a long text":           {`{"markdown":"` + strings.Repeat("x", 600) + `"}`, `{"markdown":"` + strings.Repeat("x", 500) + `…"}`},
		"far too long":          {`{"markdown":"` + strings.Repeat("x", 300<<10) + `"}`, `{"not shown":"307215 bytes"}`},
		"many items":            {`[` + strings.Repeat("1,", 24) + `1]`, `[` + strings.Repeat("1,", 20) + `"… 5 more"]`},
		"many long items":       {`[` + strings.Repeat(`"`+strings.Repeat("x", 600)+`",`, 19) + `1]`, `{"not shown":"11460 bytes"}`},
		"deeper than deep":      {strings.Repeat("[", 12) + strings.Repeat("]", 12), `[[[[[[[[["…"]]]]]]]]]`},
		"a number that is long": {`{"n":123456789012345678901234567890}`, `{"n":123456789012345678901234567890}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := redactArguments([]byte(tc.sent))
			if string(got) != tc.want || !json.Valid(got) {
				t.Errorf("got %.200s", got)
			}
		})
	}
}

func TestTheCallLogHasALineForEachCallAndNoSecret(t *testing.T) {
	for name, arguments := range map[string]bool{"without arguments": false, "with arguments": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configText("Work", "Home"))
			w.roam.fails("data.ai.getPage", 401, `{"success":false,"error":{"code":"X","message":"bad header `+secretOf("Work")+`"}}`)
			var out bytes.Buffer
			stop := w.server.LogCalls(slog.New(slog.NewJSONHandler(&out, nil)), arguments)
			e := w.serveHTTP()
			c := e.connect("2025-11-25", "test")
			ticket := c.call("select_graph", `{"graph":"Work"}`).ok().field("ticket")
			c.call("get_page", `{"title":"`+secretOf("Work")+`","ticket":"`+ticket+`"}`)
			c.call("delete_block", `{"uid":"b","ticket":"`+ticket+`"}`)
			c.call("get_page", `{"title":"Bearer `+e.Token+`"}`)
			c.call("search", `{"nope":"`+e.Token+`"}`)
			stop()
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if len(lines) != 5 {
				t.Fatalf("%d lines: %s", len(lines), out.String())
			}
			for _, secret := range []string{"S3cr3t", ticket, e.Token[len(bearer.Prefix):]} {
				if strings.Contains(out.String()+w.log.String(), secret) {
					t.Errorf("a secret is in the log: %s", out.String())
				}
			}
			var line struct {
				Msg, Tool, Graph, Client, Outcome, Time string
				Ms                                      *float64
				Bytes                                   int
				Arguments                               *string
			}
			must(t, json.Unmarshal([]byte(lines[0]), &line))
			if line.Msg != "tool call" || line.Tool != "select_graph" || line.Client != "test" || line.Outcome != "OK" || line.Ms == nil || line.Bytes == 0 || line.Time == "" {
				t.Errorf("got %s", lines[0])
			}
			if (line.Arguments != nil) != arguments {
				t.Errorf("arguments: %s", lines[0])
			}
		})
	}
}
