package history

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
)

// noon is when generated journals end.
func noon() time.Time { return time.UnixMilli(1_790_000_000_000) }

// generatedJournal returns a journal of so many changes.
func generatedJournal(t testing.TB, changes int) *Journal {
	t.Helper()
	folder := t.TempDir()
	generate(t, folder, changes, noon())
	return journalIn(t, folder)
}

func journalIn(t testing.TB, folder string) *Journal {
	t.Helper()
	j := New(Options{Folder: folder, Kind: KindCLI, Program: "1.0", Now: noon})
	t.Cleanup(func() { require.NoError(t, j.Close(context.Background())) })
	return j
}

// alter runs statements on a journal's file.
func alter(t testing.TB, j *Journal, do func(*sqlite.Conn) error) {
	t.Helper()
	conn, err := sqlite.OpenConn(j.path(), sqlite.OpenReadWrite)
	require.NoError(t, err)
	require.NoError(t, inTransaction(conn, "BEGIN IMMEDIATE", func() error { return do(conn) }))
	require.NoError(t, conn.Close())
}

// plainly returns the calls that a filter chooses, by looking at all.
func plainly(conn *sqlite.Conn, f Filter, titles map[string]string) (found []int64, err error) {
	err = rows(conn, `SELECT call.id, graph.name, agent, session, tool, at FROM call JOIN session ON session.id = session JOIN graph ON graph.id = graph
		ORDER BY call.id DESC`, nil, func(row *sqlite.Stmt) error {
		id, at := row.ColumnInt64(0), timeOf(row, 5)
		named := func(g Graph) bool { return g.Name == row.ColumnText(1) && (g.Type == "" || g.Type == "hosted") }
		if len(f.Graphs) > 0 && !slices.ContainsFunc(f.Graphs, named) || f.Agent != "" && f.Agent != row.ColumnText(2) ||
			f.Session != 0 && f.Session != row.ColumnInt64(3) || f.Tool != "" && f.Tool != row.ColumnText(4) ||
			!f.Since.IsZero() && at.Before(f.Since) || !f.Until.IsZero() && !at.Before(f.Until) ||
			id <= f.After || f.Before != 0 && id >= f.Before {
			return nil
		}
		page, block := f.Page == "" && f.PageUID == "", f.Block == ""
		err := rows(conn, "SELECT uid, page, graph FROM touch JOIN change ON change.id = touch.change WHERE change.call = ?1", []any{id}, func(row *sqlite.Stmt) error {
			block = block || row.ColumnText(0) == f.Block
			for _, uid := range []string{row.ColumnText(0), row.ColumnText(1)} {
				page = page || uid != "" && (f.PageUID == "" || uid == f.PageUID) && (f.Page == "" || titles[row.ColumnText(2)+uid] == f.Page)
			}
			return nil
		})
		if page && block {
			found = append(found, id)
		}
		return err
	})
	if f.OldestFirst {
		slices.Reverse(found)
	}
	return found, err
}

// crossed makes the order of calls differ from that of changes and of times: calls get
// later changes, pages are touched themselves, and the clock is set back.
func crossed(conn *sqlite.Conn, r *rand.Rand, calls int) error {
	for i := range calls / 4 {
		call, change := 1+r.IntN(calls), calls+i+1
		err := run(conn, `INSERT INTO change (id, call, seq, mark, action, class, state, sent, before_by) VALUES (?, ?, ?, 1, 'a', 'text', 'done', 1, 'none')`, change, call, i+2)
		for range 2 {
			page := fmt.Sprintf("page-%d", r.IntN(5))
			if err == nil {
				err = run(conn, "INSERT OR IGNORE INTO touch VALUES ((SELECT graph FROM call WHERE id = ?), ?, ?, 1, ?)", call, page, change, []string{"", page}[r.IntN(2)])
			}
		}
		if err == nil {
			err = run(conn, "UPDATE call SET at = at + ? WHERE id = ?", (r.IntN(3)-1)*1000*3600*(1+r.IntN(48)), call)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// anyFilter returns a filter of a few conditions.
func anyFilter(r *rand.Rand, calls int) Filter {
	of := func(one ...string) string { return one[r.IntN(len(one))] }
	f := Filter{OldestFirst: r.IntN(3) == 0}
	for range 1 + r.IntN(3) {
		at := func() time.Time { return noon().Add(-time.Duration(r.IntN(92*24*60)) * time.Minute) }
		switch r.IntN(10) {
		case 0:
			f.Graphs = append(f.Graphs, Graph{Name: of("Work", "Old", "Personal", "None"), Type: of("hosted", "", "offline")})
		case 1:
			f.Agent = of("claude-code", "cursor", "once", "nobody")
		case 2:
			f.Session = int64(r.IntN(12))
		case 3:
			f.Tool = of("update_block", "delete_page", "none")
		case 4:
			f.Page = "Title of " + of("page-0", "page-1", "page-once", "page-of-old", "none")
		case 5:
			f.PageUID = of("page-0", "page-1", "page-3", "page-once", "none")
		case 6:
			f.Block = of("block-once", "page-1", fmt.Sprintf("block-%d", r.IntN(calls)))
		case 7:
			f.Since = at()
		case 8:
			f.Until = at()
		case 9:
			f.After, f.Before = int64(r.IntN(calls)), int64(r.IntN(calls))
		}
	}
	return f
}

func TestCalls(t *testing.T) {
	const calls = 300
	j, ctx, r := generatedJournal(t, calls), context.Background(), rand.New(rand.NewPCG(3, 4))
	alter(t, j, func(conn *sqlite.Conn) error { return crossed(conn, r, calls) })
	titles := map[string]string{}
	_, err := j.read(ctx, func(conn *sqlite.Conn) error {
		return rows(conn, "SELECT graph || uid, title FROM page", nil, func(row *sqlite.Stmt) error {
			titles[row.ColumnText(0)] = row.ColumnText(1)
			return nil
		})
	})
	require.NoError(t, err)

	t.Run("any filter chooses what a look at all calls chooses, page by page", func(t *testing.T) {
		filters := 80
		if race.Enabled {
			filters = 15
		}
		for range filters {
			f := anyFilter(r, calls)
			var want, got []int64
			_, err := j.read(ctx, func(conn *sqlite.Conn) (err error) {
				want, err = plainly(conn, f, titles)
				return err
			})
			require.NoError(t, err)
			f.Limit = 1 + r.IntN(70)
			for next := f; ; {
				page, err := j.Calls(ctx, next)
				require.NoError(t, err)
				for _, call := range page.Calls {
					got = append(got, call.ID)
				}
				if !page.More {
					break
				}
				if last := got[len(got)-1]; f.OldestFirst {
					next.After = last
				} else {
					next.Before = last
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v:\n got %v\nwant %v", f, got, want)
			}
		}
	})
	t.Run("sessions are those of the calls that a filter chooses", func(t *testing.T) {
		for range 30 {
			f := anyFilter(r, calls)
			f.Limit = calls
			page, err := j.Calls(ctx, f)
			require.NoError(t, err)
			var want, got []int64
			for _, call := range page.Calls {
				want = append(want, call.Session)
			}
			slices.Sort(want)
			want = slices.Compact(want)
			sessions, err := j.Sessions(ctx, f)
			require.NoError(t, err)
			for _, session := range sessions {
				got = append(got, session.ID)
			}
			if !f.OldestFirst {
				slices.Reverse(want)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v:\n got %v\nwant %v", f, got, want)
			}
		}
	})
}

func TestReading(t *testing.T) {
	ctx := context.Background()
	t.Run("a call is returned with all that was recorded of it", func(t *testing.T) {
		j := New(Options{Folder: filepath.Join(t.TempDir(), "history"), Kind: KindStdio, Now: noon})
		defer func() { require.NoError(t, j.Close(ctx)) }()
		change, err := j.Intend(ctx, Intent{
			Who: Who{Agent: "a", Client: "c", Version: "1"}, Graph: Graph{"g", "hosted"}, Tool: "update_block", Args: []byte(`{"x":1}`),
			Action: "data.block.update", Request: []byte(`[1]`), Class: fact.ClassText, Before: []byte(`{"b":1}`), BeforeBy: ByLook,
			Lacks: []string{"one"}, Touches: []fact.Touch{{UID: "u", Role: fact.RoleTarget, Page: "p"}, {UID: "r", Role: fact.RoleReferrer, Page: ""}},
		})
		require.NoError(t, err)
		open, ok, err := j.Record(ctx, change.Call)
		if err != nil || !ok || open.Call.State != CallOpen || open.Call.Abandoned || open.Changes[0].State != StateOpen {
			t.Errorf("open: %+v %v %v", open, ok, err)
		}
		require.NoError(t, j.Finish(ctx, change, Outcome{State: StateDone, Evidence: "seen", Summary: "1 block"}))
		require.NoError(t, j.After(ctx, change, Aftermath{Facts: []byte(`{"a":1}`), By: BySoon, Lacks: []string{"two"}, Pages: map[string]string{"p": "P"}}))
		got, ok, err := j.Record(ctx, change.Call)
		change.file = 0
		want := Record{
			Call: Call{
				ID: change.Call, Graph: Graph{"g", "hosted"}, Session: 1, Server: 1, Agent: "a", Client: "c", Tool: "update_block",
				At: noon(), State: CallDone, Evidence: "seen", Summary: "1 block", Args: []byte(`{"x":1}`), Changes: 1, Blocks: 1,
			},
			Changes: []ChangeRecord{{
				Change: change, Action: "data.block.update", Class: fact.ClassText, State: StateDone, Sent: noon(), Done: noon(), Evidence: "seen",
				Before: []byte(`{"b":1}`), After: []byte(`{"a":1}`), Request: []byte(`[1]`), BeforeBy: ByLook, AfterBy: BySoon,
				Lacks: []string{"one", "two"}, Touches: []fact.Touch{{UID: "r", Role: fact.RoleReferrer, Page: ""}, {UID: "u", Role: fact.RoleTarget, Page: "p"}},
			}},
			Pages: map[string]string{"p": "P"},
		}
		slices.SortFunc(got.Changes[0].Touches, func(a, b fact.Touch) int { return int(b.Role) - int(a.Role) })
		if err != nil || !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, %v\nwant %+v", got, ok, err, want)
		}
		sessions, err := j.Sessions(ctx, Filter{})
		if err != nil || len(sessions) != 1 || !sessions[0].Alive || sessions[0].Calls != 1 {
			t.Errorf("sessions %+v, %v", sessions, err)
		}
	})
	t.Run("where there is no journal there are no calls, and none is made", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "history")
		j := journalIn(t, folder)
		page, err := j.Calls(ctx, Filter{})
		_, ok, err2 := j.Record(ctx, 1)
		sessions, err3 := j.Sessions(ctx, Filter{Page: "x"})
		if err != nil || err2 != nil || err3 != nil || ok || len(page.Calls) > 0 || len(sessions) > 0 {
			t.Errorf("%+v %v %v, %v, %v, %v", page, ok, sessions, err, err2, err3)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Error("the folder was made")
		}
	})
	t.Run("a journal of a newer version is not read, and stays as it is", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		finish(t, j, intend(t, j, someIntent("u")), StateDone)
		require.NoError(t, j.Close(ctx))
		edit(t, filepath.Join(folder, "journal.db"), "PRAGMA user_version = 9")
		before, err := os.ReadFile(filepath.Join(folder, "journal.db"))
		require.NoError(t, err)
		_, calls := j.Calls(ctx, Filter{})
		_, _, record := j.Record(ctx, 1)
		_, sessions := j.Sessions(ctx, Filter{})
		_, size := j.Size(ctx)
		_, purge := j.Purge(ctx, Purge{All: true})
		for what, err := range map[string]error{
			"Calls": calls, "Record": record, "Sessions": sessions, "Size": size, "Purge": purge,
			"Tidy": j.Tidy(ctx), "Export": j.Export(ctx, io.Discard, Filter{}),
		} {
			if e, ok := problem.As(err); !ok || e.Code != CodeTooNew {
				t.Errorf("%s: %v", what, err)
			}
		}
		if after, err := os.ReadFile(filepath.Join(folder, "journal.db")); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file has changed, %v", err)
		}
	})
	t.Run("those who read do not keep the log from being emptied", func(t *testing.T) {
		folder := newFolder(t)
		writer, viewer := open(t, folder), open(t, folder)
		watching, end := context.WithCancel(ctx)
		changed, ended := viewer.Watch(watching), make(chan struct{})
		go func() {
			defer close(ended)
			for range changed {
				_, _ = viewer.Calls(ctx, Filter{})
			}
		}()
		for n := range 40 {
			in := someIntent("u")
			in.Before = []byte(words(rand.New(rand.NewPCG(uint64(n), 5)), 4000))
			finish(t, writer, intend(t, writer, in), StateDone)
			_, err := viewer.Calls(ctx, Filter{})
			require.NoError(t, err)
		}
		end()
		<-ended
		for range 3 { // while somebody reads, the log may have to grow
			finish(t, writer, intend(t, writer, someIntent("u")), StateDone)
		}
		info, err := os.Stat(filepath.Join(folder, "journal.db-wal"))
		if err != nil || info.Size() > 3<<20 { // 500 pages are 2 MB
			t.Errorf("the log has %d bytes, %v", info.Size(), err)
		}
	})
}
