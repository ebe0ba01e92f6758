package activity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
)

// clock is a time that passes when it is told to.
type clock struct{ time.Time }

func newMonitor() (*Monitor, *clock) {
	c := &clock{time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)}
	return NewMonitor(func() time.Time { return c.Time }), c
}

func TestFeed(t *testing.T) {
	next := func(t *testing.T, sub *Subscription) Event {
		t.Helper()
		return await.Value(t, "an event of the feed", sub.Events())
	}
	t.Run("tells of a call as it starts and ends", func(t *testing.T) {
		m, now := newMonitor()
		sub := m.Subscribe(SubscribeOptions{})
		c := m.NewCall("a\nclient", "write", true, json.RawMessage(`{}`))
		c.Start("Work")
		if got := m.Counters(); got != (Counters{Running: 1}) {
			t.Errorf("counted %+v", got)
		}
		began := now.Time
		now.Time = began.Add(time.Second)
		c.End(OutcomeOK, 7)
		start := Event{Call: 1, At: began, Client: "a client", Graph: "Work", Tool: "write", Writes: true}
		end := start
		end.Ended, end.At, end.Took, end.Outcome, end.Bytes = true, now.Time, time.Second, OutcomeOK, 7
		if got := fmt.Sprintf("%+v %+v", next(t, sub), next(t, sub)); got != fmt.Sprintf("%+v %+v", start, end) {
			t.Errorf("got %s", got)
		}
		if got := m.Counters(); got != (Counters{Calls: 1, Writes: 1, Bytes: 7}) {
			t.Errorf("counted %+v", got)
		}
	})
	t.Run("tells of a call that was refused at once", func(t *testing.T) {
		m, _ := newMonitor()
		sub := m.Subscribe(SubscribeOptions{})
		m.NewCall("", "write", true, nil).End("REFUSED", 7)
		if start, end := next(t, sub), next(t, sub); start.Ended || !end.Ended || start.Call != end.Call {
			t.Errorf("got %+v, %+v", start, end)
		}
		if got := m.Counters(); got != (Counters{Calls: 1, Failed: 1, Bytes: 7}) {
			t.Errorf("counted %+v", got)
		}
	})
	t.Run("gives the arguments to those who ask for them", func(t *testing.T) {
		m, _ := newMonitor()
		with, without := m.Subscribe(SubscribeOptions{Arguments: true}), m.Subscribe(SubscribeOptions{})
		m.NewCall("", "read", false, json.RawMessage(`{"ticket":"x"}`)).Start("")
		if got := next(t, with).Arguments; string(got) != `{"ticket":"[redacted]"}` {
			t.Errorf("got %s", got)
		}
		if got := next(t, without).Arguments; got != nil {
			t.Errorf("got %s", got)
		}
	})
	t.Run("tells who subscribes late what is running", func(t *testing.T) {
		m, _ := newMonitor()
		c := m.NewCall("", "read", false, nil)
		c.Start("Work")
		sub := m.Subscribe(SubscribeOptions{})
		if event := next(t, sub); event.Ended || event.Tool != "read" || event.Graph != "Work" {
			t.Errorf("got %+v", event)
		}
		c.End(OutcomeOK, 0)
		if event := next(t, sub); !event.Ended {
			t.Errorf("got %+v", event)
		}
		sub.Close()
		sub.Close()
		if _, open := <-sub.Events(); open {
			t.Error("the channel stays open")
		}
	})
	t.Run("waits for nobody who does not read", func(t *testing.T) {
		m, _ := newMonitor()
		sub := m.Subscribe(SubscribeOptions{Buffer: 3})
		for range 5 {
			m.NewCall("", "read", false, nil).End(OutcomeOK, 0)
		}
		if got := sub.Dropped(); got != 7 {
			t.Errorf("%d events were dropped", got)
		}
		if first := next(t, sub); first.Call != 1 || first.Ended {
			t.Errorf("got %+v", first)
		}
	})
}

func TestClients(t *testing.T) {
	t.Run("lists those who are connected, by name", func(t *testing.T) {
		m, now := newMonitor()
		m.NoteClient("cursor "+localapi.TokenPrefix+strings.Repeat("x", 29), "1", "2026-07-28")
		m.NoteClient("claude-code", "2", "2025-11-25")
		m.NoteClient("gone", "3", "2025-11-25")
		names := func() string {
			var list []string
			for _, each := range m.Clients([]string{"claude-code", "claude-code"}) {
				list = append(list, fmt.Sprintf("%s %s %s %d", each.Name, each.Version, each.Protocol, each.Sessions))
			}
			return strings.Join(list, "; ")
		}
		if got := names(); got != "claude-code 2 2025-11-25 2; cursor [token redacted] 1 2026-07-28 0" {
			t.Errorf("got %s", got)
		}
		now.Time = now.Add(statelessPresence)
		if got := names(); got != "claude-code 2 2025-11-25 2" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("do not fill the memory with names", func(t *testing.T) {
		m, now := newMonitor()
		for n := range 3 * mostClients {
			now.Time = now.Add(time.Second)
			m.NoteClient(fmt.Sprint(n), "", "")
		}
		heard := m.clients.heard
		if _, there := heard[fmt.Sprint(3*mostClients-1)]; len(heard) != mostClients || !there {
			t.Errorf("%d names, the last: %v", len(heard), there)
		}
	})
}

func TestLogCalls(t *testing.T) {
	m, now := newMonitor()
	var out bytes.Buffer
	stop := m.LogCalls(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})), true)
	c := m.NewCall("client", "read", false, json.RawMessage(`{"token":"x","n":1}`))
	c.Start("Work")
	now.Time = now.Add(1500 * time.Microsecond)
	c.End("FAILED", 7)
	stop()
	want := `level=DEBUG msg="tool call started" call=1 client=client graph=Work tool=read
level=INFO msg="tool call" call=1 client=client graph=Work tool=read ms=1.5 outcome=FAILED bytes=7 arguments="{\"n\":1,\"token\":\"[redacted]\"}"
`
	if out.String() != want {
		t.Errorf("got %s", out.String())
	}
}

func TestOnClient(t *testing.T) {
	m, _ := newMonitor()
	m.NoteClient("early", "1", "")
	var told []string
	stop := m.OnClient(func(c Client) { told = append(told, c.Name+" "+c.Version) })
	m.NoteClient("early", "1", "")
	m.NoteClient("late", "1", "")
	m.NoteClient("late", "2", "")
	stop()
	m.NoteClient("too late", "1", "")
	if got := strings.Join(told, ", "); got != "early 1, late 1, late 2" {
		t.Errorf("told of %s", got)
	}
}
