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
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/surface"
)

// nextEvent waits for an event of the feed.
func nextEvent(t *testing.T, sub *activity.Subscription) activity.Event {
	t.Helper()
	return await.Value(t, "an event of the feed", sub.Events())
}

func TestActivityTellsPagesAndReplies(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"))
	w.roam.result("data.ai.getPage", pageResult)
	with, without := w.server.Activity().Subscribe(activity.SubscribeOptions{Replies: true}), w.server.Activity().Subscribe(activity.SubscribeOptions{})
	defer with.Close()
	defer without.Close()
	c := w.connect()
	for name, tc := range map[string]struct{ tool, arguments, page, reply string }{
		"a page that is read": {"get_page", `{"title":"Plan Q4","graph":"Work"}`, "Plan Q4", `"graph":"Work"`},
		"a failure":           {"delete_block", `{"uid":"b","graph":"Home"}`, "", "TICKET_REQUIRED"},
		"the ticket of one":   {"get_graph_guidelines", `{"graph":"Work"}`, "", `"ticket":"[redacted]"`},
	} {
		t.Run(name, func(t *testing.T) {
			c.call(tc.tool, tc.arguments)
			nextEvent(t, with)
			nextEvent(t, without)
			end, other := nextEvent(t, with), nextEvent(t, without)
			if end.Page != tc.page || end.KeepsPage || !strings.Contains(end.Reply, tc.reply) || other.Reply != "" {
				t.Errorf("got %+v", end)
			}
		})
	}
}

func TestActivity(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"))
	w.roam.result("data.ai.getPage", pageResult)
	sub := w.server.Activity().Subscribe(activity.SubscribeOptions{})
	defer sub.Close()
	c := w.connect()
	for name, tc := range map[string]struct {
		tool, arguments string
		want            activity.Event
	}{
		"a read":              {"get_page", `{"title":"x","graph":"Work"}`, activity.Event{Tool: "get_page", Graph: "Work", Outcome: activity.OutcomeOK}},
		"no graph chosen":     {"get_page", `{"title":"x"}`, activity.Event{Tool: "get_page", Outcome: CodeGraphNotSelected}},
		"wrong arguments":     {"get_page", `{"titel":1}`, activity.Event{Tool: "get_page", Outcome: surface.CodeInvalidParams}},
		"a tool of no graph":  {"list_graphs", `{}`, activity.Event{Tool: "list_graphs", Outcome: activity.OutcomeOK}},
		"a write, no ticket":  {"delete_block", `{"uid":"b","graph":"Home"}`, activity.Event{Tool: "delete_block", Graph: "Home", Writes: true, Outcome: CodeTicketRequired}},
		"an error from Roam":  {"get_block", `{"uid":"b","graph":"Home"}`, activity.Event{Tool: "get_block", Graph: "Home", Outcome: localapi.CodeUnsupportedRoam}},
		"a graph not present": {"get_page", `{"title":"x","graph":"Nope"}`, activity.Event{Tool: "get_page", Outcome: configstore.CodeGraphNotConfigured}},
	} {
		t.Run("tells the start and the end of "+name, func(t *testing.T) {
			reply := c.call(tc.tool, tc.arguments)
			start, end := nextEvent(t, sub), nextEvent(t, sub)
			if start.Ended || !end.Ended || start.Call != end.Call || start.Call == 0 || start.At.After(end.At) {
				t.Errorf("start %+v, end %+v", start, end)
			}
			for _, event := range []activity.Event{start, end} {
				if event.Client != "test" || event.Tool != tc.want.Tool || event.Graph != tc.want.Graph || event.Writes != tc.want.Writes || event.Arguments != nil {
					t.Errorf("got %+v", event)
				}
			}
			if end.Outcome != tc.want.Outcome || end.Bytes != len(reply.text) || end.Took != end.At.Sub(start.At) {
				t.Errorf("got %+v", end)
			}
		})
	}
	if got := w.server.Activity().Counters(); got.Calls != 7 || got.Failed != 5 || got.Writes != 0 || got.Bytes == 0 || got.Running != 0 {
		t.Errorf("counted %+v", got)
	}
	t.Run("tells the end of a call that panicked", func(t *testing.T) {
		w := newWorld(t, configText("Work"), func(o *Options) { o.Roam = panicking{} })
		sub := w.server.Activity().Subscribe(activity.SubscribeOptions{})
		w.connect().call("get_page", `{"title":"x"}`).fails(localapi.CodeInternal)
		if start, end := nextEvent(t, sub), nextEvent(t, sub); start.Ended || end.Outcome != localapi.CodeInternal {
			t.Errorf("got %+v, %+v", start, end)
		}
	})
}

func TestPauseWrites(t *testing.T) {
	t.Run("refuses writes and lets reads go on", func(t *testing.T) {
		w := newWorld(t, configText("Work"))
		w.roam.result("data.ai.getPage", pageResult)
		w.roam.result("data.block.delete", `null`)
		c := w.connect()
		w.server.Activity().PauseWrites(true)
		if !w.server.Activity().WritesPaused() {
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
		w.server.Activity().PauseWrites(false)
		if reply := c.call("create_page", `{}`); reply.failure["code"] == string(CodeWritesPaused) {
			t.Errorf("still paused: %s", reply.text)
		}
	})
}

func TestClients(t *testing.T) {
	t.Run("lists who is connected by name", func(t *testing.T) {
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
		clock.Add(int64(5 * time.Minute))
		require.NoError(t, one.Close())
		await.Condition(t, "one session and no stateless client are left", func() bool { return names() == "claude-code 1 2025-11-25 1" })
		require.NoError(t, two.Close())
		await.Condition(t, "nobody is left", func() bool { return names() == "" })
	})
}

func TestLogCalls(t *testing.T) {
	for name, arguments := range map[string]bool{"without arguments": false, "with arguments": true} {
		t.Run("has a line for each call and no secret, "+name, func(t *testing.T) {
			w := newWorld(t, configText("Work", "Home"))
			w.roam.fails("data.ai.getPage", 401, `{"success":false,"error":{"code":"X","message":"bad header `+secretOf("Work")+`"}}`)
			var out bytes.Buffer
			stop := w.server.Activity().LogCalls(slog.New(slog.NewJSONHandler(&out, nil)), arguments)
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
			for _, secret := range []string{"S3cr3t", ticket, e.Token[len(textsafe.HTTPTokenPrefix):]} {
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
			require.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
			if line.Msg != "tool call" || line.Tool != "select_graph" || line.Client != "test" || line.Outcome != "OK" || line.Ms == nil || line.Bytes == 0 || line.Time == "" {
				t.Errorf("got %s", lines[0])
			}
			if (line.Arguments != nil) != arguments {
				t.Errorf("arguments: %s", lines[0])
			}
		})
	}
}
