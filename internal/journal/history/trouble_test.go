package history

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

// withHistory makes a journal of two changes, of which the second is open, and returns
// its path. Its process ended as it should.
func withHistory(t *testing.T, folder string) string {
	t.Helper()
	j := open(t, folder)
	c := intend(t, j, someIntent("x"))
	finish(t, j, c, StateDone)
	intend(t, j, someIntent("y"))
	require.NoError(t, j.Close(context.Background()))
	return j.path()
}

// uncleanly leaves the files as a process does that is killed.
func uncleanly(t *testing.T, path string) {
	t.Helper()
	killed := start(t, "intend", filepath.Dir(path))
	killed.line(t)
	killed.kill()
}

// damage overwrites a page of the file.
func damage(t *testing.T, path string, page int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt(bytes.Repeat([]byte{0xa5}, 4096), (page-1)*4096)
	require.NoError(t, errors.Join(err, file.Close()))
}

func edit(t *testing.T, path, statement string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	require.NoError(t, err)
	require.NoError(t, errors.Join(run(conn, statement), conn.Close()))
}

func withoutLinks(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
}

func withoutModes(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
}

// TestTrouble lists what can be wrong with the file before it is opened. Each says what
// an agent's next change is told, and what a person is told then.
func TestTrouble(t *testing.T) {
	const moved = "HISTORY_DAMAGED: The journal was damaged. It was moved to FOLDER/journal.damaged-2026-11-22.db, and a new one was begun. > Delete that file, or keep it if you miss what it holds."
	for name, test := range map[string]struct {
		prepare func(t *testing.T, folder string)
		intent  string   // what the change is told; empty: it is recorded
		read    string   // what a person is told before; empty: not asked
		notice  string   // what a person is told then
		there   []string // files in the folder afterwards
		call    int64    // the number that the next call gets; 0: any
	}{
		"nothing is there": {prepare: func(*testing.T, string) {}, call: 1},
		"all is well":      {prepare: func(t *testing.T, folder string) { withHistory(t, folder) }, call: 3},
		"its process was killed": {
			prepare: func(t *testing.T, folder string) { uncleanly(t, withHistory(t, folder)) }, call: 4,
		},
		"the file is empty": {
			prepare: func(t *testing.T, folder string) {
				require.NoError(t, os.MkdirAll(folder, 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(folder, "journal.db"), nil, 0o600))
			}, call: 1,
		},
		"the file is no database": {
			prepare: func(t *testing.T, folder string) {
				require.NoError(t, os.MkdirAll(folder, 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(folder, "journal.db"), bytes.Repeat([]byte("notes "), 999), 0o600))
			},
			read:   "HISTORY_UNAVAILABLE: The journal FOLDER/journal.db is damaged: sqlite: prepare \"SELECT count(*) FROM sqlite_schema\": file is not a database. > The next change that an agent makes moves the file aside and begins a new one.",
			notice: moved, there: []string{"journal.damaged-2026-11-22.db"}, call: 1,
		},
		"a page is damaged after an unclean end": {
			prepare: func(t *testing.T, folder string) {
				path := withHistory(t, folder)
				uncleanly(t, path)
				damage(t, path, 4)
				require.NoError(t, os.WriteFile(filepath.Join(folder, "journal.damaged-2026-11-22.db"), nil, 0o600))
			},
			notice: strings.Replace(moved, "-22.db", "-22-2.db", 1), there: []string{"journal.damaged-2026-11-22.db", "journal.damaged-2026-11-22-2.db"},
			call: 17, // above those that were given
		},
		"a page is damaged that the next change needs": {
			prepare: func(t *testing.T, folder string) {
				path := withHistory(t, folder)
				conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
				require.NoError(t, err)
				page, err := number(conn, "SELECT rootpage FROM sqlite_schema WHERE name = 'session'")
				require.NoError(t, errors.Join(err, conn.Close()))
				damage(t, path, page)
			},
			notice: moved, there: []string{"journal.damaged-2026-11-22.db"}, call: 17,
		},
		"a newer version of the program wrote it": {
			prepare: func(t *testing.T, folder string) { edit(t, withHistory(t, folder), "PRAGMA user_version = 9") },
			intent:  "HISTORY_TOO_NEW: The journal FOLDER/journal.db was written by a newer version of roam-mcp: its format is 9, and this version knows 4. > Update roam-mcp, and start it again.",
			notice:  "HISTORY_TOO_NEW: The journal FOLDER/journal.db was written by a newer version of roam-mcp: its format is 9, and this version knows 4. > Update roam-mcp, and start it again.",
		},
		"it is a database of another program": {
			prepare: func(t *testing.T, folder string) {
				require.NoError(t, os.MkdirAll(folder, 0o700))
				edit(t, filepath.Join(folder, "journal.db"), "CREATE TABLE pages (title TEXT)")
				require.NoError(t, os.Chmod(filepath.Join(folder, "journal.db"), 0o600))
			},
			intent: "HISTORY_UNAVAILABLE: FOLDER/journal.db is no journal: it is a database of another program. > Move that file away.",
			notice: "HISTORY_UNAVAILABLE: FOLDER/journal.db is no journal: it is a database of another program. > Move that file away.",
		},
		"it was put back from a copy": {
			prepare: func(t *testing.T, folder string) {
				path := withHistory(t, folder)
				old, err := os.ReadFile(path)
				require.NoError(t, err)
				for range 20 {
					withHistory(t, folder)
				}
				require.NoError(t, os.WriteFile(path, old, 0o600))
			},
			notice: "HISTORY_RESTORED: The journal is an older copy of itself: what was recorded after that copy was made is missing. New changes go on with higher numbers.",
			call:   49, // the newest was 42, and the numbers up to 48 were taken for those to come
		},
		"it was deleted, and what was given is still known": {
			prepare: func(t *testing.T, folder string) { require.NoError(t, os.Remove(withHistory(t, folder))) }, call: 17,
		},
		"the folder is a link": {
			prepare: func(t *testing.T, folder string) {
				withoutLinks(t)
				elsewhere := filepath.Join(filepath.Dir(folder), "elsewhere")
				withHistory(t, elsewhere)
				require.NoError(t, os.Symlink(elsewhere, folder))
			},
			intent: "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER is a link. > Put a folder or file of your own in its place, or move it away.",
			notice: "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER is a link. > Put a folder or file of your own in its place, or move it away.",
		},
		"the file is a link": {
			prepare: func(t *testing.T, folder string) {
				withoutLinks(t)
				path := withHistory(t, folder)
				require.NoError(t, os.Rename(path, path+".real"))
				require.NoError(t, os.Symlink(path+".real", path))
			},
			intent: "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER/journal.db is a link. > Put a folder or file of your own in its place, or move it away.",
			notice: "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER/journal.db is a link. > Put a folder or file of your own in its place, or move it away.",
		},
		"the file is a folder": {
			prepare: func(t *testing.T, folder string) {
				require.NoError(t, os.MkdirAll(filepath.Join(folder, "journal.db"), 0o700))
			},
			intent: "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER/journal.db is no regular file. > Put a folder or file of your own in its place, or move it away.",
			notice: "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER/journal.db is no regular file. > Put a folder or file of your own in its place, or move it away.",
		},
		"the log is a folder": {
			prepare: func(t *testing.T, folder string) {
				require.NoError(t, os.Mkdir(withHistory(t, folder)+"-wal", 0o700))
			},
			intent: "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER/journal.db-wal is no regular file. > Put a folder or file of your own in its place, or move it away.",
			notice: "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER/journal.db-wal is no regular file. > Put a folder or file of your own in its place, or move it away.",
		},
		"the folder is a file": {
			prepare: func(t *testing.T, folder string) { require.NoError(t, os.WriteFile(folder, nil, 0o600)) },
			intent:  "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER is no folder. > Put a folder or file of your own in its place, or move it away.",
			notice:  "HISTORY_UNAVAILABLE: The journal can't be used: FOLDER is no folder. > Put a folder or file of your own in its place, or move it away.",
		},
		"others can read the file and the folder": {
			prepare: func(t *testing.T, folder string) {
				withoutModes(t)
				require.NoError(t, os.Chmod(withHistory(t, folder), 0o644))
				require.NoError(t, os.Chmod(folder, 0o755))
			},
			notice: "HISTORY_MODES: Other users of this computer could read the journal until now: history had mode 0755, journal.db had mode 0644 in PARENT. Only you can now.",
			call:   3,
		},
		"the file system has no shared memory": {
			prepare: func(*testing.T, string) {},
			notice:  "HISTORY_WITHOUT_WAL: The file system of FOLDER can't be shared by readers and writers at once, so the journal is slower. > Have the state folder on a disk of this computer.",
			call:    1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, folder := context.Background(), newFolder(t)
			test.prepare(t, folder)
			if got := test.read; got != "" {
				if got = notices(t, open(t, folder)); got != filepath.FromSlash(test.read) {
					t.Errorf("before, a person is told %s\nwant %s", got, test.read)
				}
			}
			j := open(t, folder)
			j.options.Now = at("2026-11-22")
			if strings.Contains(name, "shared memory") {
				if j.vfs = "unix-dotfile"; runtime.GOOS == "windows" {
					t.Skip("SQLite has no such file system there")
				}
			}
			c, err := j.Intend(ctx, someIntent("z"))
			if got := told(err, folder); got != filepath.FromSlash(test.intent) && (err != nil || test.intent != "") {
				t.Errorf("%s\nwant %s", got, test.intent)
			}
			if err == nil && test.call != 0 && c.Call != test.call {
				t.Errorf("call %d, want %d", c.Call, test.call)
			}
			want := filepath.FromSlash(strings.ReplaceAll(test.notice, "PARENT", filepath.Dir(folder)))
			if got := notices(t, j); got != want {
				t.Errorf("notices %s\nwant %s", got, want)
			}
			for _, name := range test.there {
				if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
					t.Error(err)
				}
			}
			if err != nil {
				return
			}
			checkPrivate(t, folder)
			other := open(t, folder)
			other.vfs = j.vfs
			if got := notices(t, other); got != want {
				t.Errorf("another process is told %s\nwant %s", got, want)
			}
			require.NoError(t, other.DismissNotices(ctx))
			if got := notices(t, j) + notices(t, other); got != "" {
				t.Errorf("dismissed, and still there: %s", got)
			}
			finish(t, j, c, StateDone)
			intend(t, other, someIntent("z"))
			if got := notices(t, other); got != "" {
				t.Errorf("dismissed, and back: %s", got)
			}
		})
	}
}

// checkPrivate checks that only the user can read what a folder holds.
func checkPrivate(t *testing.T, folder string) {
	t.Helper()
	require.NoError(t, filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&othersMode != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	}))
}

// TestTroubleWhileOpen lists what can happen to the file of a process that goes on.
func TestTroubleWhileOpen(t *testing.T) {
	ctx := context.Background()
	const gone = "HISTORY_DELETED: The journal was deleted or moved away while roam-mcp was running, and a new one was begun."
	t.Run("deleted, it begins anew, and what was under way is dropped", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a file that is open can't be deleted there")
		}
		folder := newFolder(t)
		j := open(t, folder)
		old := intend(t, j, someIntent("x"))
		if list, err := j.Servers(ctx); err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		require.NoError(t, os.RemoveAll(folder))
		if list, err := j.Servers(ctx); err != nil || len(list) != 0 {
			t.Errorf("what was deleted is read: %v, %v", list, err)
		}
		finish(t, j, old, StateDone)
		fresh := intend(t, j, someIntent("y"))
		if fresh.ID != old.ID {
			t.Fatalf("%v after %v: the test wants the same number", fresh, old)
		}
		finish(t, j, old, StateRefused)
		if got := ask(t, j, "SELECT group_concat(state) FROM change"); got != "open" {
			t.Errorf("the new change is %s; the outcome of the old one is not its own", got)
		}
		if got := notices(t, j); got != gone {
			t.Error(got)
		}
		if list, err := j.Servers(ctx); err != nil || len(list) != 1 || !list[0].Alive {
			t.Errorf("%v, %v; want one that lives", list, err)
		}
	})
	t.Run("deleted while an intent is written, it is written again", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a file that is open can't be deleted there")
		}
		folder := newFolder(t)
		j := open(t, folder)
		in := someIntent("x")
		in.Call = intend(t, j, in).Call
		var c Change
		times := 0
		require.NoError(t, j.transact(ctx, toDisk, func(conn *sqlite.Conn) (err error) {
			if times++; times == 1 {
				require.NoError(t, os.RemoveAll(folder))
			}
			c, err = j.insert(conn, in, StateOpen, "")
			return err
		}))
		if got := ask(t, j, "SELECT count(*) FROM change"); times != 2 || got != "1" || c.Seq != 1 {
			t.Errorf("%s changes after %d times, the last %v", got, times, c)
		}
	})
	t.Run("moved away between the look and the intent, it looks again", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a file that is open can't be moved there")
		}
		folder := newFolder(t)
		j := open(t, folder)
		intend(t, j, someIntent("x"))
		mark, err := j.Mark(ctx)
		require.NoError(t, err)
		require.NoError(t, os.Rename(folder, folder+".old"))
		in := someIntent("x")
		in.Mark = mark
		if _, err := j.Intend(ctx, in); !errors.Is(err, ErrLookAgain) {
			t.Error(err)
		}
	})
	t.Run("an outcome that can't be written is kept, and no intent is recorded until it is", func(t *testing.T) {
		var logged bytes.Buffer
		j := New(Options{Folder: newFolder(t), Log: slog.New(slog.NewTextHandler(&logged, nil))})
		t.Cleanup(func() { _ = j.Close(ctx) })
		c, later := intend(t, j, someIntent("x")), someIntent("y")
		limit := func(pages string) {
			require.NoError(t, run(j.w.conn, "PRAGMA max_page_count = "+pages))
		}
		for pages := "1"; pages != ""; pages = "" { // SQLite takes the present size then
			limit(pages)
		}
		var touches []fact.Touch
		for range 2000 { // more than the free pages hold
			touches = append(touches, fact.Touch{UID: string(facts(len(touches))), Role: fact.RoleImplied})
		}
		err := j.Finish(ctx, c, Outcome{State: StateDone, Touches: touches})
		if problem.CodeOf(err) != CodeUnavailable {
			t.Fatal(err)
		}
		_, err = j.Intend(ctx, later)
		if got := told(err, j.options.Folder); !strings.HasPrefix(got, "HISTORY_UNAVAILABLE: How an earlier change ended could not be recorded yet. There is no room") {
			t.Error(got)
		}
		require.NoError(t, j.writing.enter(ctx))
		limit("1000000")
		j.writing.leave()
		await.Condition(t, "the outcome is written by itself", func() bool { return ask(t, j, "SELECT state FROM change") == "done" })
		intend(t, j, later)
		if strings.Contains(logged.String(), "sentence") || !strings.Contains(logged.String(), "can't be recorded yet") {
			t.Errorf("logged %s", logged.String())
		}
	})
	t.Run("the end of the context does not keep an outcome from being recorded", func(t *testing.T) {
		j := open(t, newFolder(t))
		c := intend(t, j, someIntent("x"))
		ended, cancel := context.WithCancel(ctx)
		cancel()
		require.NoError(t, j.Finish(ended, c, Outcome{State: StateDone}))
		if _, err := j.Intend(ended, someIntent("y")); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if got := ask(t, j, "SELECT group_concat(state) FROM change"); got != "done" {
			t.Error(got)
		}
	})
	t.Run("nothing is made before the first change", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		if got := notices(t, j); got != "" {
			t.Error(got)
		}
		servers, err := j.Servers(ctx)
		open, err2 := j.Abandoned(ctx, nil)
		_, held, err3 := j.Exclusive(ctx, "settle", 0)
		if err := errors.Join(err, err2, err3, j.DismissNotices(ctx), j.Close(ctx)); err != nil || len(servers)+len(open) != 0 || !held {
			t.Error(err, servers, open, held)
		}
		if _, err := os.Lstat(folder); !os.IsNotExist(err) {
			t.Error("the folder was made:", err)
		}
	})
}
