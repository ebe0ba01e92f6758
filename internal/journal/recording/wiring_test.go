package recording_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
)

func edit(text string) string { return `{"uid":"one","string":"` + text + `"}` }

func TestAServer(t *testing.T) {
	roam := newJournaled(t, profiletest.Options{Profile: "roam", Export: export})
	t.Run("touches no file before the first call that writes", func(t *testing.T) {
		s := roam.serve(t)
		require.NoError(t, os.RemoveAll(s.folder))
		for _, way := range profiletest.Ways() {
			c := s.Connect(way)
			c.Tools()
			c.Call("get_page", `{"title":"Plan"}`)
			c.Call("search", `{"query":"tea"}`)
		}
		if _, err := os.Lstat(s.folder); !os.IsNotExist(err) {
			t.Fatalf("the journal's folder: %v", err)
		}
		s.Connect(profiletest.Ways()[0]).Call("update_block", edit("1"))
		if _, err := os.Lstat(s.folder); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("says the number of a call in the feed, and who called", func(t *testing.T) {
		s := roam.serve(t)
		feed := s.Server.Activity().Subscribe(activity.SubscribeOptions{})
		defer feed.Close()
		for _, way := range profiletest.Ways() {
			c := s.Connect(way)
			c.Call("update_block", edit("1"))
			c.Call("get_block", `{"uid":"one"}`)
			c.Call("update_block", edit("2"))
		}
		var numbers []int64
		for range 12 {
			<-feed.Events()
			end := <-feed.Events()
			numbers = append(numbers, end.Change)
		}
		if got := fmt.Sprint(numbers); got != "[1 0 2 3 0 4 5 0 6 7 0 8]" {
			t.Error(got)
		}
		got := strings.Join(s.rows("SELECT session.agent, session.client, session.version, session.era, count(*) FROM call JOIN session ON session.id = call.session GROUP BY session.id ORDER BY session.id"), "\n")
		want := "test test 1 " + profiletest.SessionEra + " 2\ntest test 1 " + profiletest.StatelessEra + " 4\ntest test 1 " + profiletest.SessionEra + " 2"
		if got != want {
			t.Errorf("the sessions are\n%s", got)
		}
	})
	t.Run("records that a write was stopped by a pause", func(t *testing.T) {
		s := roam.serve(t)
		s.Server.Activity().PauseWrites(true)
		s.Connect(profiletest.Ways()[0]).Call("update_block", edit("1"))
		if got := s.rows("SELECT tool, state, code, args IS NULL FROM call"); fmt.Sprint(got) != "[update_block stopped WRITES_PAUSED 1]" {
			t.Error(got)
		}
	})
	t.Run("reads what the last write left before it closes", func(t *testing.T) {
		s := roam.serve(t)
		s.Connect(profiletest.Ways()[0]).Call("update_block", edit("1"))
		s.Server.Close()
		if got := s.rows("SELECT state, after_by FROM change"); fmt.Sprint(got) != "[done soon]" {
			t.Error(got)
		}
	})
	t.Run("records no text in its log", func(t *testing.T) {
		s := roam.serve(t)
		c := s.Connect(profiletest.Ways()[0])
		fault := faultproxy.None
		s.Fault(func(r faultproxy.Request) faultproxy.Fault {
			if changing(r.Action) {
				return faultproxy.Fault{Kind: fault, Text: "Unexpected failure at Sesame"}
			}
			return faultproxy.Fault{}
		})
		for _, fault = range []faultproxy.Kind{faultproxy.None, faultproxy.Fail, faultproxy.ResetAfter} {
			c.Call("update_block", edit("Sesame"))
			c.Call("create_block", `{"parentUid":"list","markdown":"Sesame [[Sesame page]]"}`)
			c.Call("delete_block", `{"uid":"two"}`)
		}
		require.NoError(t, os.Chmod(s.folder, 0o500))
		defer os.Chmod(s.folder, 0o700)
		c.Call("create_block", `{"parentUid":"list","markdown":"Sesame"}`)
		if log := s.Log.String(); strings.Contains(log, "Sesame") {
			t.Errorf("a text is in the log: %s", log)
		}
	})
}

// What became of a write is recorded as the answer says it.
func TestOutcomes(t *testing.T) {
	roam := newJournaled(t, profiletest.Options{Profile: "roam", Export: export, Server: func(o *mcpserve.Options) { o.Toolsets = []string{"all"} }})
	for name, tc := range map[string]struct {
		fault           faultproxy.Fault
		tool, arguments string
		want            string // state, code, whether there is evidence
	}{
		"done":                            {faultproxy.Fault{}, "update_block", edit("1"), "done  0"},
		"refused by Roam":                 {faultproxy.Fault{Kind: faultproxy.Fail, Status: 500, Text: "Block with uid x not found"}, "update_block", edit("1"), "refused NOT_FOUND 0"},
		"lost, and seen to be done":       {faultproxy.Fault{Kind: faultproxy.ResetAfter}, "update_block", edit("1"), "done  1"},
		"lost, and not there yet":         {faultproxy.Fault{Kind: faultproxy.ResetBefore}, "update_block", edit("1"), "unknown OUTCOME_UNKNOWN 1"},
		"a creation whose reply is lost":  {faultproxy.Fault{Kind: faultproxy.ResetAfter}, "create_block", `{"parentUid":"list","markdown":"new"}`, "done  1"},
		"a deletion of what is not there": {faultproxy.Fault{}, "delete_block", `{"uid":"nothing99"}`, "refused NOT_FOUND 0"},
		"a batch that is done in part":    {faultproxy.Fault{}, "update_blocks", `{"updates":[{"uid":"one","string":"1"},{"uid":"nothing99","string":"2"}]}`, "done  1"},
		"an upload whose reply is lost":   {faultproxy.Fault{Kind: faultproxy.ResetAfter}, "file_upload", `{"base64":"AAAA","mimetype":"image/png"}`, "unknown OUTCOME_UNKNOWN 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := roam.serve(t)
			s.Fault(func(r faultproxy.Request) faultproxy.Fault {
				if changing(r.Action) {
					return tc.fault
				}
				return faultproxy.Fault{}
			})
			s.Connect(profiletest.Ways()[0]).Call(tc.tool, tc.arguments)
			if got := s.rows("SELECT state, code, coalesce(evidence, '') <> '' FROM change"); fmt.Sprint(got) != "["+tc.want+"]" {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// Where the journal can't be written, what adds goes out and says so, and what changes is
// refused.
func TestUnwritable(t *testing.T) {
	for profile, tc := range map[string]struct{ add, arguments, says, change, other string }{
		"roam":  {"create_block", `{"parentUid":"list","markdown":"new"}`, `"recorded":false`, "update_block", edit("1")},
		"notes": {"create_note", `{"title":"New","content":"x"}`, "could not be recorded", "update_note", `{"id":"drinks","content":"x"}`},
		"graph": {"create_node", `{"title":"New","content":"x"}`, "could not be recorded", "update_node", `{"id":"drinks","content":"x"}`},
		"wiki":  {"create_note", `{"path":"New","title":"New","content":"x"}`, "could not be recorded", "update_note", `{"path":"Drinks","content":"x"}`},
	} {
		t.Run(profile, func(t *testing.T) {
			s := serve(t, profiletest.Options{Profile: profile, Export: export, Server: func(o *mcpserve.Options) { o.OverwriteUnread = true }})
			require.NoError(t, os.RemoveAll(s.folder))
			require.NoError(t, os.WriteFile(s.folder, nil, 0o600))
			c := s.Connect(profiletest.Ways()[0])
			if r := c.Call(tc.add, tc.arguments); r.IsError || r.RPC != nil || !strings.Contains(strings.Join(r.Texts, "\n"), tc.says) {
				t.Error(r)
			}
			s.ResetCalls()
			refused := string(history.CodeUnavailable)
			if profile == "wiki" { // which says no codes
				refused = "can't be recorded in the history"
			}
			if r := c.Call(tc.change, tc.other); !strings.Contains(r.String(), refused) || profile == "wiki" && !r.IsError {
				t.Error(r)
			}
			for action := range s.Calls() {
				if changing(action) {
					t.Errorf("%s was sent", action)
				}
			}
		})
	}
}

// Two servers change one block at once: each change has as its text before what the change
// before it left.
func TestTwoServersAtOnce(t *testing.T) {
	const each = 5
	w := newWorld(t, profiletest.NewSuite(t, profiletest.Options{Export: export}))
	folder := journaltest.Folder(t, filepath.Join(t.TempDir(), "history"))
	journal := func() *history.Journal {
		return history.New(history.Options{Folder: folder, Kind: history.KindStdio, Now: w.Clock.Now})
	}
	var group sync.WaitGroup
	for server := range 2 {
		recorder := recording.New(recording.Options{Journal: journal(), Now: w.Clock.Now})
		group.Go(func() {
			for n := range each {
				for tried := false; ; tried = true {
					text := fmt.Sprintf("%d.%d", server, n)
					g, _ := w.callBy(recorder, recording.All)
					_, err := g.UpdateBlock(t.Context(), ops.BlockUpdate{UID: "one", String: &text})
					if problem.CodeOf(err) != recording.CodeBeingWritten {
						if err != nil {
							t.Errorf("%v (tried before: %v)", err, tried)
						}
						break
					}
				}
			}
			if err := recorder.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	read := journal()
	text := "one"
	for call := range int64(2 * each) {
		record, found, err := read.Record(t.Context(), call+1)
		require.NoError(t, err)
		if !found || len(record.Changes) != 1 {
			t.Fatalf("call %d: %+v", call+1, record)
		}
		before, after := textOf(t, record.Changes[0].Before), textOf(t, record.Changes[0].After)
		if before != text || after == text {
			t.Errorf("change %d made %q of %q, and not of %q", call+1, after, before, text)
		}
		text = after
	}
	if now, _ := w.Text("one"); now != text {
		t.Errorf("the text is %q, and the last change left %q", now, text)
	}
}

// textOf returns the text of the block "one" in facts.
func textOf(t *testing.T, facts []byte) string {
	t.Helper()
	state, err := fact.Parse(facts)
	require.NoError(t, err)
	return state.Things["one"].Text
}

// A panic while something is read in the background ends nothing.
func TestAPanicInTheBackground(t *testing.T) {
	w := newWorld(t, profiletest.NewSuite(t, profiletest.Options{Export: export}))
	sent := false
	w.fail = func(action string) error {
		switch {
		case action == "data.block.fromMarkdown":
			sent = true
		case action == "data.pull_many" && sent:
			sent = false
			panic("Sesame")
		}
		return nil
	}
	for range 2 { // of which the second is read, as ever
		g, _ := w.call(recording.All)
		_, err := g.CreateBlocks(t.Context(), ops.NewBlocks{Location: ops.Location{ParentUID: "list"}, Markdown: "new"}, "")
		require.NoError(t, err)
		await.Condition(t, "the panic is in the log", func() bool { return strings.Contains(w.Log.String(), "panic") })
	}
	if log := w.Log.String(); strings.Contains(log, "Sesame") {
		t.Error(log)
	}
}
