package recording_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// served is a world whose server has a journal.
type served struct {
	*profiletest.World
	folder string // of the journal
}

// journaled makes worlds with a journal, in which the user has said that texts are kept.
type journaled struct {
	suite  *profiletest.Suite
	folder string // of the next journal
}

func newJournaled(t *testing.T, options profiletest.Options) *journaled {
	t.Helper()
	j := &journaled{}
	server := options.Server
	options.Server = func(o *mcpserve.Options) {
		if server != nil {
			server(o)
		}
		o.Journal = history.New(history.Options{Folder: j.folder, Kind: history.KindStdio, Now: o.Now, Log: o.Log})
	}
	j.suite = profiletest.NewSuite(t, options)
	return j
}

func (j *journaled) serve(t *testing.T) *served {
	t.Helper()
	j.folder = journaltest.Folder(t, filepath.Join(t.TempDir(), "history"))
	s := &served{j.suite.World(t), j.folder}
	require.NoError(t, s.Store.SetHistory(t.Context(), profiletest.MainGraph, configstore.On))
	return s
}

// serve starts a world of its own.
func serve(t *testing.T, options profiletest.Options) *served {
	t.Helper()
	return newJournaled(t, options).serve(t)
}

// rows asks the journal's file, by a connection of its own.
func (s *served) rows(query string, args ...any) (rows []string) {
	s.T.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(s.folder, "journal.db"), sqlite.OpenReadOnly)
	require.NoError(s.T, err)
	defer conn.Close()
	err = sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(row *sqlite.Stmt) error {
		var columns []string
		for i := range row.ColumnCount() {
			columns = append(columns, row.ColumnText(i))
		}
		rows = append(rows, strings.Join(columns, " "))
		return nil
	}})
	require.NoError(s.T, err)
	return rows
}

// settled waits until all changes that are done have been read after.
func (s *served) settled() {
	s.T.Helper()
	await.Condition(s.T, "what the writes left is read", func() bool {
		return len(s.rows("SELECT id FROM change WHERE state = 'open' OR state = 'done' AND after_by IS NULL")) == 0
	})
}

// changing reports whether an action changes a graph.
func changing(action string) bool {
	switch {
	case strings.HasPrefix(action, "data.block."), strings.HasPrefix(action, "data.page."), action == "batchActions", action == "file.upload", action == "file.delete", action == "data.ai.callExtensionTool":
		return true
	}
	return false
}

// written are calls of all tools that write, by profile.
var written = []struct{ profile, tool, arguments string }{
	{"roam", "create_page", `{"title":"On [[Mars]]","markdown":"red"}`},
	{"roam", "create_block", `{"parentUid":"list","markdown":"- three\n  - four"}`},
	{"roam", "append_to_daily_note", `{"markdown":"today"}`},
	{"roam", "add_comment", `{"blockUid":"one","comment":"I agree"}`},
	{"roam", "update_block", `{"uid":"one","string":"1"}`},
	{"roam", "update_blocks", `{"updates":[{"uid":"one","string":"1"},{"uid":"two","heading":0}]}`},
	{"roam", "move_block", `{"uid":"one","parentUid":"tea","order":"first"}`},
	{"roam", "move_blocks", `{"parentUid":"plan","uids":["last","buy"],"order":"first"}`},
	{"roam", "update_page", `{"uid":"tea","title":"Green tea"}`},
	{"roam", "update_page", `{"uid":"tea","title":"Drinks","mergePages":true}`},
	{"roam", "delete_block", `{"uid":"list"}`},
	{"roam", "delete_blocks", `{"uids":["one","buy"]}`},
	{"roam", "delete_page", `{"uid":"tea"}`},
	{"roam", "add_shortcut", `{"uid":"tea"}`},
	{"roam", "remove_shortcut", `{"uid":"tea"}`},
	{"roam", "file_upload", `{"base64":"` + strings.Repeat("AAAA", 30) + `","mimetype":"image/png"}`},
	{"roam", "call_extension_tool", `{"tool":"cards/make","args":{"front":"a"}}`},
	{"notes", "create_note", `{"title":"New","content":"first\nsecond"}`},
	{"notes", "update_note", `{"id":"plan","content":"Old list\n\nsomething else"}`},
	{"notes", "toggle_pin", `{"id":"drinks"}`},
	{"notes", "toggle_archive", `{"id":"drinks"}`},
	{"notes", "delete_note", `{"id":"drinks"}`},
	{"graph", "create_node", `{"title":"New","content":"first [[Tea]]"}`},
	{"graph", "update_node", `{"id":"drinks","content":"Milk"}`},
	{"graph", "delete_node", `{"id":"drinks"}`},
	{"wiki", "create_note", `{"path":"New","title":"New","content":"first [[Tea]]","tags":["tea"]}`},
	{"wiki", "update_note", `{"path":"Drinks","content":"Milk"}`},
	{"wiki", "update_note", `{"path":"Drinks","tags":["tea"],"new_path":"Cold drinks"}`},
	{"wiki", "edit_note", `{"path":"Drinks","append":"Milk"}`},
	{"wiki", "delete_note", `{"path":"Drinks"}`},
	{"wiki", "delete_note", `{"path":"Tea"}`},
}

// withExtension gives the sandbox an extension with a tool.
func withExtension(o *sandbox.Options) {
	tool := actions.ExtensionTool{Name: "make", Run: func(context.Context, map[string]any) (any, error) { return map[string]string{"card": "a"}, nil }}
	o.Extensions = []actions.Extension{{ID: "cards", Name: "Cards", Tools: []actions.ExtensionTool{tool}}}
}

// TestT1RecordedFirst is the promise of that name (HISTORY.md, Promises): before a
// request that changes something reaches Roam its intent is in the file, with what it
// replaces, and before the reply leaves its outcome is.
func TestT1RecordedFirst(t *testing.T) {
	var table strings.Builder
	plainly, recorded := map[string]*profiletest.Suite{}, map[string]*journaled{}
	for _, profile := range []string{"roam", "notes", "graph", "wiki"} {
		options := profiletest.Options{Profile: profile, Export: export, Server: func(o *mcpserve.Options) { o.Toolsets, o.OverwriteUnread = []string{"all"}, true }, Sandbox: withExtension}
		plainly[profile], recorded[profile] = profiletest.NewSuite(t, options), newJournaled(t, options)
	}
	for _, tc := range written {
		t.Run(tc.profile+" "+tc.tool, func(t *testing.T) {
			plain := countCalls(t, plainly[tc.profile].World(t), tc.tool, tc.arguments, nil)
			s := recorded[tc.profile].serve(t)
			recorded := countCalls(t, s.World, tc.tool, tc.arguments, func(action string) {
				if open := s.rows("SELECT action FROM change WHERE state = 'open' AND (before IS NOT NULL OR class IN ('make', 'comment', 'file', 'opaque'))"); len(open) != 1 || open[0] != action {
					t.Errorf("%s is sent while the journal has %q open", action, open)
				}
			})
			if open := s.rows("SELECT action FROM change WHERE state = 'open'"); len(open) > 0 {
				t.Errorf("the reply is there while %q is open", open)
			}
			s.settled()
			after := s.Calls().Total()
			fmt.Fprintf(&table, "%-6s %-22s %d writes; reads: %s, with journal %s\n", tc.profile, tc.tool, plain.writes, plain, recorded.upTo(after))
		})
	}
	golden.File(t, filepath.Join("testdata", "calls.golden"), table.String())
}

// counted are the calls to Roam of one call of a tool.
type counted struct {
	writes      int
	before, all int // reads: before the first write, and in all
}

func (c counted) upTo(total int) counted { return counted{c.writes, c.before, total - c.writes} }

func (c counted) String() string {
	return fmt.Sprintf("%d before and %d after", c.before, c.all-c.before)
}

func countCalls(t *testing.T, w *profiletest.World, tool, arguments string, changes func(action string)) counted {
	c := w.Connect(profiletest.Ways()[0])
	var count counted
	var mu sync.Mutex
	w.Fault(func(r faultproxy.Request) faultproxy.Fault {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case changing(r.Action):
			count.writes++
			if changes != nil {
				changes(r.Action)
			}
		case strings.HasPrefix(r.Action, "/"):
		default:
			count.all++
			if count.writes == 0 {
				count.before++
			}
		}
		return faultproxy.Fault{}
	})
	w.ResetCalls()
	if r := c.Call(tool, arguments); r.IsError || r.RPC != nil {
		t.Fatal(r)
	}
	mu.Lock()
	defer mu.Unlock()
	return count
}
