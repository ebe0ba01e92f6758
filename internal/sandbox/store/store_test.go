package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

var notes = localapi.Graph{Name: "Notes", Type: localapi.Hosted}

func openFolder(t *testing.T, path string) *Folder {
	t.Helper()
	folder, err := OpenFolder(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

func create(t *testing.T, folder *Folder, graph localapi.Graph) *Graph {
	t.Helper()
	g, err := folder.Create(t.Context(), graph, Options{}, "creator", page("Start"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// page writes one page.
func page(title string) func(*graphdb.Tx) error {
	return func(tx *graphdb.Tx) error {
		e := tx.NewEntity()
		return errors.Join(
			tx.Set(e, graphdb.NodeTitle, graphdb.StringValue(title)),
			tx.Set(e, graphdb.BlockUID, graphdb.StringValue("uid-"+title)))
	}
}

func titles(db *graphdb.DB) string {
	var list []string
	for _, v := range db.Entities(graphdb.NodeTitle) {
		list = append(list, v.Text())
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// crash copies the files as a process that is killed leaves them, and opens the
// copy.
func crash(t *testing.T, from string) *Graph {
	t.Helper()
	to := t.TempDir()
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(from, entry.Name()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(to, entry.Name()), data, 0o600))
	}
	g, err := openFolder(t, to).Open(t.Context(), notes, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func TestAReportedWriteIsOnDisk(t *testing.T) {
	path := t.TempDir()
	g := create(t, openFolder(t, path), notes)
	for i := range 8 {
		if _, err := g.Transact(t.Context(), "a", page(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		again := crash(t, path)
		if got, want := titles(again.DB()), titles(g.DB()); got != want {
			t.Fatalf("after write %d the disk has %q, want %q", i, got, want)
		}
		if again.DB().BasisTx() != g.DB().BasisTx() || again.DB().LastEntity() != g.DB().LastEntity() {
			t.Fatal("numbering does not go on where it was")
		}
		require.NoError(t, again.Close())
	}
}

func TestAFailedWriteLeavesNoTrace(t *testing.T) {
	path := t.TempDir()
	g := create(t, openFolder(t, path), notes)
	failure := errors.New("no")
	_, err := g.Transact(t.Context(), "a", func(tx *graphdb.Tx) error {
		return errors.Join(page("Half")(tx), failure)
	})
	if !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	if _, err := g.Transact(t.Context(), "a", page("Start")); err == nil {
		t.Error("a second page of the same title was saved")
	}
	for _, db := range []*graphdb.DB{g.DB(), crash(t, path).DB()} {
		if titles(db) != "Start" {
			t.Errorf("%q", titles(db))
		}
	}
}

func TestWhatCannotBeSavedIsNotSeen(t *testing.T) {
	path := t.TempDir()
	g := create(t, openFolder(t, path), notes)
	// A table that takes no more rows stands in for a disk that is full.
	err := sqlitex.ExecuteScript(g.log.database, `CREATE TEMP TRIGGER full BEFORE INSERT ON main.entities
		WHEN NEW.e = 2 BEGIN SELECT RAISE(ABORT, 'disk full'); END`, nil)
	require.NoError(t, err)
	if _, err := g.Transact(t.Context(), "a", page("Lost")); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%v", err)
	}
	if titles(g.DB()) != "Start" {
		t.Errorf("a write that failed is seen: %q", titles(g.DB()))
	}
	require.NoError(t, sqlitex.ExecuteScript(g.log.database, "DROP TRIGGER full", nil))
	if _, err := g.Transact(t.Context(), "a", page("Next")); err != nil {
		t.Errorf("the write after it: %v", err)
	}
	if got := titles(crash(t, path).DB()); got != "Next Start" {
		t.Errorf("on disk: %q", got)
	}
}

func TestEveryKindOfValueComesBackAsItWas(t *testing.T) {
	path := t.TempDir()
	g := create(t, openFolder(t, path), notes)
	values := []graphdb.Value{
		graphdb.StringValue(""), graphdb.StringValue("a\x00b ü \U0001F35E '\""), graphdb.IntValue(math.MinInt64),
		graphdb.IntValue(0), graphdb.FloatValue(0.1), graphdb.FloatValue(math.Inf(-1)), graphdb.BoolValue(true),
		graphdb.BoolValue(false), graphdb.KeywordValue(":numbered"), graphdb.OpaqueValue(`{"a":[1]}`),
	}
	_, err := g.Transact(t.Context(), "a", func(tx *graphdb.Tx) error {
		e := tx.NewEntity()
		for i, v := range values {
			if err := tx.Set(e, graphdb.Attr(fmt.Sprintf(":test/%d", i)), v); err != nil {
				return err
			}
		}
		return tx.Set(e, graphdb.BlockRefs, graphdb.RefValue(1))
	})
	require.NoError(t, err)
	again := crash(t, path).DB()
	for i, v := range values {
		if got, ok := again.Get(2, graphdb.Attr(fmt.Sprintf(":test/%d", i))); !ok || got != v {
			t.Errorf("%v came back as %v", v, got)
		}
	}
	if got := again.Reverse(graphdb.BlockRefs, 1); len(got) != 1 || got[0] != 2 {
		t.Errorf("the reference came back as %v", got)
	}
}

func TestKindsKeepTheirNumbersOnDisk(t *testing.T) {
	kinds := []graphdb.Kind{
		graphdb.KindNone, graphdb.KindString, graphdb.KindInt, graphdb.KindFloat,
		graphdb.KindBool, graphdb.KindKeyword, graphdb.KindRef, graphdb.KindOpaque,
	}
	for number, kind := range kinds {
		if int(kind) != number {
			t.Errorf("kind %v is now %d and was %d: graph files would be misread", kind, kind, number)
		}
	}
}

func TestEveryTransactionStaysRecorded(t *testing.T) {
	path := t.TempDir()
	at := time.UnixMilli(1_795_000_000_000)
	folder := openFolder(t, path)
	g, err := folder.Create(t.Context(), notes, Options{Now: func() time.Time { return at }}, "maren", page("Old"))
	require.NoError(t, err)
	defer g.Close()
	_, err = g.Transact(t.Context(), "maren-ai", func(tx *graphdb.Tx) error {
		return tx.Set(1, graphdb.NodeTitle, graphdb.StringValue("New"))
	})
	require.NoError(t, err)
	var recorded []string
	history, err := g.History(t.Context(), 0, 10)
	require.NoError(t, err)
	for _, x := range history {
		datoms, err := g.Changes(t.Context(), x.Tx)
		require.NoError(t, err)
		for _, d := range datoms {
			if d.A == graphdb.NodeTitle {
				recorded = append(recorded, fmt.Sprintf("%s +%d %v %s", x.Author, x.Time.Sub(at), d.Added, d.V.Text()))
			}
		}
	}
	if want := "[maren-ai +0 false Old maren-ai +0 true New maren +0 true Old]"; fmt.Sprint(recorded) != want {
		t.Errorf("%v; want %v", recorded, want)
	}
}

func TestOneProcessHoldsTheFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	folder := openFolder(t, path)
	_, err := OpenFolder(path)
	if e, ok := problem.As(err); !ok || e.Code != CodeInUse || e.Hint.IsZero() {
		t.Errorf("the second one: %v", err)
	}
	require.NoError(t, folder.Close())
	openFolder(t, path)
}

func TestGraphsAreFoundAgainByNameAndType(t *testing.T) {
	folder := openFolder(t, t.TempDir())
	graphs := []localapi.Graph{
		{Name: "Notes", Type: localapi.Hosted}, {Name: "con", Type: localapi.Hosted}, {Name: "notes", Type: localapi.Hosted},
		{Name: "A-B_c-", Type: localapi.Offline}, {Name: "notes", Type: localapi.Offline},
	}
	for _, graph := range graphs {
		require.NoError(t, create(t, folder, graph).Close())
	}
	for _, stray := range []string{"hosted-A.sqlite", "hosted-++a.sqlite", "cloud-a.sqlite", "hosted-.sqlite", "hosted-a.sqlite.new", "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), stray), nil, 0o600))
	}
	found, err := folder.Graphs()
	if err != nil || fmt.Sprint(found) != fmt.Sprint(graphs) {
		t.Errorf("%v, %v; want %v", found, err, graphs)
	}
	if _, err := folder.Create(t.Context(), notes, Options{}, "a", page("x")); problem.CodeOf(err) != localapi.CodeAlreadyExists {
		t.Errorf("creating a graph twice: %v", err)
	}
	if _, err := folder.Open(t.Context(), localapi.Graph{Name: "none", Type: localapi.Hosted}, Options{}); problem.CodeOf(err) != localapi.CodeNotFound {
		t.Errorf("opening what is not there: %v", err)
	}
}

func TestACreationThatFailsLeavesNoGraph(t *testing.T) {
	folder := openFolder(t, t.TempDir())
	failure := errors.New("the import broke")
	_, err := folder.Create(t.Context(), notes, Options{}, "a", func(tx *graphdb.Tx) error { return errors.Join(page("x")(tx), failure) })
	if !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(folder.Path()); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestFilesThatAreNoGraphsAreRefusedAndKept(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		code problem.Code
	}{
		"an empty file": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, CodeDamaged},
		"half a database": {func(path string) error {
			err := script(path, "CREATE TABLE t (x); PRAGMA application_id = 5")
			return errors.Join(err, os.Truncate(path, 3000))
		}, CodeDamaged},
		"a link to itself": {func(path string) error { return os.Symlink(path, path) }, CodeDamaged},
		"a folder beside it": {func(path string) error {
			return errors.Join(script(path, "PRAGMA user_version = 0; CREATE TABLE t (x)"), os.Mkdir(path+"-wal", 0o700))
		}, CodeDamaged},
		"another's of no version": {func(path string) error { return script(path, "CREATE TABLE t (x)") }, CodeDamaged},
		"not a database":          {func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("hello ", 500)), 0o600) }, CodeDamaged},
		"another program's database": {func(path string) error {
			return script(path, "CREATE TABLE t (x); PRAGMA user_version = 3")
		}, CodeDamaged},
		"a newer version": {func(path string) error {
			return script(path, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 99", applicationID))
		}, CodeTooNew},
		"an attribute without name": {func(path string) error { return damage(path, "DELETE FROM attributes") }, CodeDamaged},
		"a value of unknown kind":   {func(path string) error { return damage(path, "UPDATE entities SET facts = x'0177'") }, CodeDamaged},
		"a value that can't be":     {func(path string) error { return damage(path, "UPDATE entities SET e = -1") }, CodeDamaged},
		"a row that is cut off":     {func(path string) error { return damage(path, "UPDATE entities SET facts = substr(facts, 1, 5)") }, CodeDamaged},
		"a table that is missing":   {func(path string) error { return damage(path, "DROP TABLE transactions") }, CodeDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			folder := openFolder(t, t.TempDir())
			path := filepath.Join(folder.Path(), fileOfGraph(notes))
			require.NoError(t, c.make(path))
			before, _ := os.ReadFile(path)
			_, err := folder.Open(t.Context(), notes, Options{})
			if e, ok := problem.As(err); !ok || e.Code != c.code || !strings.Contains(e.Message, path) {
				t.Errorf("%v, want %s", err, c.code)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
			if _, err := os.Lstat(path); err != nil {
				t.Errorf("the file is gone: %v", err)
			}
		})
	}
}

func TestAnOpeningThatIsCancelledSpeaksOfNoDamage(t *testing.T) {
	folder := openFolder(t, t.TempDir())
	require.NoError(t, create(t, folder, notes).Close())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := folder.Open(ctx, notes, Options{}); !errors.Is(err, context.Canceled) || problem.CodeOf(err) != "" {
		t.Errorf("%v, want %v alone", err, context.Canceled)
	}
}

func script(path, text string) error {
	database, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	for statement := range strings.SplitSeq(text, ";") {
		err = errors.Join(err, sqlitex.ExecuteTransient(database, statement, nil))
	}
	return errors.Join(err, database.Close())
}

// damage makes a graph with one page and runs a statement on it.
func damage(path, statement string) error {
	g, err := open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	_, err = g.Transact(context.Background(), "a", page("Start"))
	return errors.Join(err, g.Close(), script(path, statement))
}

func TestAClosedGraphTakesNoWrites(t *testing.T) {
	g := create(t, openFolder(t, t.TempDir()), notes)
	for range 2 {
		require.NoError(t, g.Close())
	}
	if _, err := g.Transact(t.Context(), "a", page("Late")); !errors.Is(err, errClosed) {
		t.Errorf("%v", err)
	}
	if titles(g.DB()) != "Start" {
		t.Error("its snapshot is gone")
	}
}

func TestOnlyTheUserCanReadTheFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file modes here")
	}
	modes := func(path string) string {
		t.Helper()
		var list []string
		require.NoError(t, filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err == nil {
				info, err := entry.Info()
				require.NoError(t, err)
				list = append(list, fmt.Sprintf("%s %o", filepath.Base(name), info.Mode().Perm()))
			}
			return err
		}))
		return strings.Join(list[1:], ", ")
	}
	const private = "hosted-+notes.sqlite 600, hosted-+notes.sqlite-wal 600, lock 600"
	path := filepath.Join(t.TempDir(), "data")
	folder := openFolder(t, path)
	g := create(t, folder, notes)
	if got := modes(path); got != private {
		t.Errorf("they are made as %s", got)
	}
	require.NoError(t, errors.Join(g.Close(), folder.Close()))

	// As an earlier version left them, beside the log of one that was killed.
	file := filepath.Join(path, fileOfGraph(notes))
	require.NoError(t, errors.Join(os.Chmod(path, 0o755), os.Chmod(file, 0o644), os.WriteFile(file+"-wal", nil, 0o644)))
	folder = openFolder(t, path)
	g, err := folder.Open(t.Context(), notes, Options{})
	require.NoError(t, err)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 || modes(path) != private {
		t.Errorf("opened again they are %s in a folder of %v, %v", modes(path), info.Mode(), err)
	}
	require.NoError(t, errors.Join(g.Close(), folder.Close()))

	for name, tc := range map[string]struct {
		mode  fs.FileMode
		owner int
		want  string
	}{
		"that the group can write to": {0o770, os.Geteuid(), "Other users can write to"},
		"that all can write to":       {0o707, os.Geteuid(), "Other users can write to"},
		"of another user":             {0o700, 12345, "belongs to another user"},
	} {
		t.Run("refuses a folder "+name, func(t *testing.T) {
			if tc.owner != os.Geteuid() && os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			path := t.TempDir()
			require.NoError(t, errors.Join(os.Chmod(path, tc.mode), os.Chown(path, tc.owner, -1)))
			folder, err := OpenFolder(path)
			if problem.CodeOf(err) != CodeUnusable || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, %v", folder, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != tc.mode {
				t.Errorf("the folder was changed: %v, %v", info.Mode(), err)
			}
		})
	}
}
