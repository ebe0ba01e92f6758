package activity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

// follow announces a server with a monitor of its own.
func follow(t *testing.T, l *Log, server Server) (monitor *Monitor, stop func()) {
	t.Helper()
	monitor = NewMonitor(time.Now)
	_, stop = l.Follow(server, monitor)
	return monitor, stop
}

// call makes a call that ends with an outcome.
func call(m *Monitor, client, tool, page string, keep bool, outcome string) {
	c := m.NewCall(client, tool, true, json.RawMessage(`{"markdown":"SECRET TEXT","title":"SECRET TITLE"}`))
	c.Start("Work")
	c.About(page, keep)
	c.Replied("SECRET REPLY")
	c.Noted(7)
	c.End(OutcomeOK, 12)
	if outcome != "" {
		failed := m.NewCall(client, tool, false, nil)
		failed.End("PAGE_NOT_FOUND", 3)
	}
}

func servers(t *testing.T, l *Log) []Server {
	t.Helper()
	list, err := l.Servers(t.Context())
	require.NoError(t, err)
	return list
}

func calls(t *testing.T, l *Log) []LoggedCall {
	t.Helper()
	list, err := l.Calls(t.Context(), 10_000)
	require.NoError(t, err)
	return list
}

// content returns what is on disk in a folder.
func content(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		all.WriteString(entry.Name() + "\n" + string(text))
	}
	return all.String()
}

func TestFollow(t *testing.T) {
	t.Run("shows a server and its calls to other programs while it lives and after", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "state", "activity")
		here, elsewhere := OpenLog(folder, nil), OpenLog(folder, nil)
		if got := servers(t, elsewhere); len(got) != 0 {
			t.Errorf("a folder that is not there has %v", got)
		}
		changed := elsewhere.Watch(t.Context())
		m, stop := follow(t, here, Server{Program: "/bin/roam-mcp", Version: "1", Kind: KindHTTP, Profile: "roam", Address: "http://x/mcp", Graphs: []string{"Work"}, ReadOnly: true})
		await.Value(t, "the server's file", changed)
		m.NoteClient("cursor", "2.0", "2025-11-25")
		call(m, "claude-code", "create_page", "Plan Q4", true, "failed")
		await.Condition(t, "the calls", func() bool { return len(calls(t, elsewhere)) == 2 })
		live := servers(t, elsewhere)[0]
		if !live.Alive || !live.Ended.IsZero() || live.PID != os.Getpid() || live.Started.IsZero() || live.Address != "http://x/mcp" || !live.ReadOnly || fmt.Sprint(live.Graphs) != "[Work]" {
			t.Errorf("got %+v", live)
		}
		if c := live.Clients; len(c) != 2 || c[0].Name != "cursor" || c[0].Version != "2.0" || c[1].Name != "claude-code" || c[1].Calls != 2 {
			t.Errorf("clients %+v", c)
		}
		stop()
		ended := servers(t, elsewhere)[0]
		if ended.Alive || ended.Ended.IsZero() {
			t.Errorf("after its end: %+v", ended)
		}
		first, second := calls(t, elsewhere)[0], calls(t, elsewhere)[1]
		if first.Graph != "Work" || first.Tool != "create_page" || first.Page != "Plan Q4" || !first.Writes || !first.Ended || first.Bytes != 12 || first.Change != 7 || first.Sentence != "" {
			t.Errorf("the first call: %+v", first)
		}
		if second.Outcome != "PAGE_NOT_FOUND" || second.Sentence != "Page not found" {
			t.Errorf("the second call: %+v", second)
		}
		last, found := elsewhere.LastCall("Claude-Code")
		if !found || last.Server != ended.ID || last.Number != 2 {
			t.Errorf("the last call: %+v", last)
		}
		if _, found := elsewhere.LastCall("cursor"); found {
			t.Error("a client without calls has a last one")
		}
	})
	t.Run("puts no text, no argument and no title on disk that must not be kept", func(t *testing.T) {
		folder := t.TempDir()
		m, stop := follow(t, OpenLog(folder, nil), Server{Kind: KindStdio})
		all := m.Subscribe(SubscribeOptions{Arguments: true, Replies: true}) // as the setup program does
		defer all.Close()
		call(m, "claude-code", "create_page", "SECRET TITLE", false, "failed")
		stop()
		if text := content(t, folder); strings.Contains(text, "SECRET") || !strings.Contains(text, "create_page") {
			t.Errorf("on disk is %s", text)
		}
	})
	t.Run("leaves nothing of a server that nobody called", func(t *testing.T) {
		folder := t.TempDir()
		l := OpenLog(folder, nil)
		m, stop := follow(t, l, Server{Kind: KindStdio})
		m.NoteClient("cursor", "1", "2025-11-25")
		await.Condition(t, "it is announced", func() bool { return len(servers(t, l)) == 1 })
		stop()
		if text := content(t, folder); text != "" {
			t.Errorf("left %s", text)
		}
	})
	t.Run("shows a call that runs, and one line for a quick one", func(t *testing.T) {
		folder := t.TempDir()
		l := OpenLog(folder, nil)
		m, stop := follow(t, l, Server{Kind: KindStdio})
		defer stop()
		slow := m.NewCall("c", "slow", false, nil)
		slow.Start("Work")
		await.Condition(t, "it runs", func() bool { list := calls(t, l); return len(list) == 1 && !list[0].Ended })
		m.NewCall("c", "quick", false, nil).End(OutcomeOK, 1)
		slow.End(OutcomeOK, 1)
		await.Condition(t, "both have ended", func() bool { list := calls(t, l); return len(list) == 2 && list[0].Ended && list[1].Ended })
		if n := strings.Count(content(t, folder), `"quick"`); n != 1 {
			t.Errorf("%d lines", n)
		}
	})
	t.Run("keeps a file small, with the last calls and those that run", func(t *testing.T) {
		folder := t.TempDir()
		l := OpenLog(folder, nil)
		m, stop := follow(t, l, Server{Kind: KindStdio})
		m.NewCall("c", "the_one_that_runs", false, nil).Start("Work")
		for range 16 {
			for range eventBuffer / 4 {
				m.NewCall("c", strings.Repeat("tool", 20), false, nil).End(OutcomeOK, 1)
			}
			n := m.Counters().Calls
			await.Condition(t, "they are written", func() bool { list := calls(t, l); return len(list) > 0 && list[len(list)-1].Number > n })
		}
		stop()
		info, err := os.Stat(l.path(servers(t, l)[0].ID))
		require.NoError(t, err)
		list := calls(t, l)
		if info.Size() > mostBytes+eventBuffer*300 || list[0].Tool != "the_one_that_runs" || list[len(list)-1].Number != 1+4*eventBuffer {
			t.Errorf("%d bytes, from %+v to %+v", info.Size(), list[0], list[len(list)-1])
		}
		if c := servers(t, l)[0].Clients; len(c) != 1 || c[0].Calls != 4*eventBuffer {
			t.Errorf("clients %+v", c)
		}
	})
	t.Run("tells the log where it can't write, and goes on", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(folder, nil, 0o600))
		m, stop := follow(t, OpenLog(folder, nil), Server{Kind: KindStdio})
		call(m, "c", "t", "", false, "")
		stop()
	})
}

func TestServers(t *testing.T) {
	t.Run("tells a killed server from one that ended", func(t *testing.T) {
		l := OpenLog(t.TempDir(), nil)
		_, stop := follow(t, l, Server{Kind: KindStdio})
		defer stop()
		await.Condition(t, "it is announced", func() bool { return len(servers(t, l)) == 1 })
		killed := append(encode(lineOfServer(Server{Kind: KindHTTP, Started: time.Now()})), []byte(`{"call":{"n":1,"at":5,"tool":"half a li`)...)
		require.NoError(t, os.WriteFile(l.path("killed"), killed, 0o600))
		require.NoError(t, os.WriteFile(l.lockPath("killed"), nil, 0o600))
		list := servers(t, l)
		if len(list) != 2 || !list[0].Alive || list[1].Alive || !list[1].Ended.IsZero() || len(calls(t, l)) != 0 {
			t.Errorf("got %+v", list)
		}
	})
}

func TestForget(t *testing.T) {
	l := OpenLog(t.TempDir(), nil)
	m, stop := follow(t, l, Server{Kind: KindStdio})
	defer stop()
	call(m, "c", "before", "Plan", true, "")
	require.NoError(t, os.WriteFile(l.path("ended"), encode(lineOfServer(Server{Kind: KindHTTP, Started: time.Now()})), 0o600))
	await.Condition(t, "the call", func() bool { return len(calls(t, l)) == 1 })
	require.NoError(t, l.Forget())
	if list := servers(t, l); len(list) != 1 || !list[0].Alive || len(calls(t, l)) != 0 || strings.Contains(content(t, l.folder), "Plan") {
		t.Errorf("left %+v", list)
	}
	call(m, "c", "after", "", false, "")
	await.Condition(t, "the next call", func() bool { list := calls(t, l); return len(list) == 1 && list[0].Tool == "after" })
}

func TestSweep(t *testing.T) {
	l := OpenLog(t.TempDir(), nil)
	for i := range mostEnded + 5 {
		require.NoError(t, os.WriteFile(l.path(fmt.Sprintf("0%05d", i)), encode(lineOfServer(Server{Started: time.Now()})), 0o600))
	}
	old := time.Now().Add(-keptFor - time.Hour)
	require.NoError(t, os.WriteFile(l.path("0x"), nil, 0o600))
	require.NoError(t, os.Chtimes(l.path("0x"), old, old))
	require.NoError(t, os.WriteFile(l.lockPath("0x"), nil, 0o600))
	_, stop := follow(t, l, Server{Kind: KindStdio})
	defer stop()
	await.Condition(t, "the old ones are gone", func() bool { return len(servers(t, l)) == mostEnded })
	if text := content(t, l.folder); strings.Contains(text, "0x.") {
		t.Error("one that ended long ago is kept")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(append(encode(lineOfServer(Server{Kind: KindHTTP, Started: time.UnixMilli(5)})), encode(lineOfCall(Event{Call: 3, At: time.UnixMilli(9), Ended: true, Tool: "t", Outcome: "X"}))...))
	f.Add([]byte(`{"server":{"format":1}}` + "\n" + `{"client":{"name":"a"}}` + "\n" + `{"ended":5}` + "\n"))
	f.Add([]byte(`{"server":{"format":2}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, known := parseFile(text)
		if !known && (len(got.calls) > 0 || len(got.server.Clients) > 0) {
			t.Errorf("of no server: %+v", got)
		}
		for _, call := range got.calls {
			if len([]rune(call.Tool)) > longestName || strings.ContainsAny(call.Tool, "\n\x1b") || call.Took < 0 {
				t.Errorf("a call %+v", call)
			}
		}
		again, _ := parseFile(lastCalls(append(bytes.Clone(text), '\n')))
		if len(again.calls) > 0 {
			t.Error("calls without a server are read")
		}
	})
}
