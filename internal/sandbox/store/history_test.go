package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// Transaction is a saved change.
type Transaction struct {
	Tx        int64
	Time      time.Time // to the millisecond
	Author    string    // a user's uid
	TakesBack int64     // the transaction that this undo or redo reverted; 0: it is neither
}

// History lists transactions before a given one (0: all), newest first, limit at
// most.
func (g *Graph) History(ctx context.Context, before int64, limit int) (list []Transaction, err error) {
	err = g.reading(ctx, func(j *journal) error {
		return sqlitex.Execute(j.database, `SELECT tx, time, author, takes_back FROM transactions
			WHERE ?1 = 0 OR tx < ?1 ORDER BY tx DESC LIMIT ?2`, &sqlitex.ExecOptions{
			Args: []any{before, limit},
			ResultFunc: func(row *sqlite.Stmt) error {
				list = append(list, Transaction{
					Tx: row.ColumnInt64(0), Time: time.UnixMilli(row.ColumnInt64(1)),
					Author: row.ColumnText(2), TakesBack: row.ColumnInt64(3),
				})
				return nil
			},
		})
	})
	return list, err
}

// dump lists a snapshot's datoms in one order.
func dump(db *graphdb.DB) string {
	var lines []string
	for d := range db.All() {
		lines = append(lines, fmt.Sprintf("%d %s %s", d.E, d.A, d.V))
	}
	slices.Sort(lines)
	return fmt.Sprint(lines)
}

func undo(t *testing.T, g *Graph) int64 {
	t.Helper()
	taken, err := g.Undo(t.Context(), "undoer")
	require.NoError(t, err)
	return taken
}

func redo(t *testing.T, g *Graph) int64 {
	t.Helper()
	taken, err := g.Redo(t.Context(), "redoer")
	require.NoError(t, err)
	return taken
}

func write(t *testing.T, g *Graph, change func(*graphdb.Tx) error) {
	t.Helper()
	if _, err := g.Transact(t.Context(), "writer", change); err != nil {
		t.Fatal(err)
	}
}

func TestUndoAndRedoWalkThroughTheSession(t *testing.T) {
	path := t.TempDir()
	g := create(t, openFolder(t, path), notes)
	states := []string{dump(g.DB())}
	for i := range 4 {
		write(t, g, page(fmt.Sprint(i)))
		states = append(states, dump(g.DB()))
	}
	want := func(when string, state int) {
		t.Helper()
		if dump(g.DB()) != states[state] {
			t.Errorf("%s: %s", when, titles(g.DB()))
		}
	}
	undo(t, g)
	undo(t, g)
	want("two undone", 2)
	redo(t, g)
	want("one redone", 3)
	undo(t, g)
	undo(t, g)
	undo(t, g)
	want("all undone", 0)
	if undo(t, g) != 0 {
		t.Error("what was before the session was undone")
	}
	for range 4 {
		redo(t, g)
	}
	want("all redone", 4)
	if redo(t, g) != 0 {
		t.Error("something was redone that was not undone")
	}
	if again := crash(t, path); dump(again.DB()) != states[4] {
		t.Error("the disk has something else")
	} else if undo(t, again) != 0 {
		t.Error("a new session undoes what an old one did")
	}
}

func TestAWriteAfterAnUndoEndsRedoing(t *testing.T) {
	g := create(t, openFolder(t, t.TempDir()), notes)
	write(t, g, page("A"))
	undo(t, g)
	write(t, g, page("B"))
	if redo(t, g) != 0 || titles(g.DB()) != "B Start" {
		t.Errorf("%q", titles(g.DB()))
	}
	undo(t, g)
	if titles(g.DB()) != "Start" {
		t.Errorf("%q", titles(g.DB()))
	}
}

func TestAnUndoIsRecordedWithWhoAndWhat(t *testing.T) {
	g := create(t, openFolder(t, t.TempDir()), notes)
	write(t, g, page("A"))
	write(t, g, func(*graphdb.Tx) error { return nil }) // changes nothing, so it is no step
	undo(t, g)
	redo(t, g)
	history, err := g.History(t.Context(), 0, 3)
	require.NoError(t, err)
	var got []string
	for _, x := range history {
		got = append(got, fmt.Sprintf("%d %s %d", x.Tx, x.Author, x.TakesBack))
	}
	if want := "[4 redoer 3 3 undoer 2 2 writer 0]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	older, err := g.History(t.Context(), 2, 9)
	if err != nil || len(older) != 1 || older[0].Tx != 1 {
		t.Errorf("%v %v", older, err)
	}
}

func TestAFailedUndoLosesNoStep(t *testing.T) {
	g := create(t, openFolder(t, t.TempDir()), notes)
	write(t, g, page("A"))
	failure := errors.New("no")
	if _, err := g.Transact(t.Context(), "a", func(*graphdb.Tx) error { return failure }); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	undo(t, g)
	if titles(g.DB()) != "Start" {
		t.Errorf("%q", titles(g.DB()))
	}
	require.NoError(t, g.Close())
	if _, err := g.Redo(t.Context(), "a"); !errors.Is(err, errClosed) {
		t.Errorf("%v", err)
	}
	if _, err := g.History(t.Context(), 0, 1); !errors.Is(err, errClosed) {
		t.Errorf("%v", err)
	}
}

// Random writes, undone and redone at random, always give a state that was
// there, and the log alone leads to the state at the end.
func TestTheLogLeadsToTheState(t *testing.T) {
	_, g := generated(t, graphtest.Options{Blocks: 300, Seed: 5})
	random := rand.New(rand.NewPCG(1, 1))
	line := []string{dump(g.DB())} // the states that undo leads back through
	at := 0
	for range 200 {
		switch random.IntN(4) {
		case 0:
			if undo(t, g) != 0 {
				at--
			}
		case 1:
			if redo(t, g) != 0 {
				at++
			}
		default:
			write(t, g, randomChange(random))
			if state := dump(g.DB()); state != line[at] {
				at++
				line = append(line[:at], state)
			}
		}
		if dump(g.DB()) != line[at] {
			t.Fatal("the state is none that was there")
		}
	}
	if replayed(t, g) != dump(g.DB()) {
		t.Error("the log leads to another state")
	}
}

func randomChange(random *rand.Rand) func(*graphdb.Tx) error {
	return func(tx *graphdb.Tx) error {
		for range 1 + random.IntN(4) {
			e := graphdb.EID(1 + random.IntN(300))
			var err error
			switch random.IntN(4) {
			case 0:
				err = tx.Set(e, graphdb.BlockString, graphdb.StringValue(graphtest.Word(random.IntN(99))))
			case 1:
				err = tx.Set(e, graphdb.BlockRefs, graphdb.RefValue(graphdb.EID(1+random.IntN(300))))
			case 2:
				err = tx.RetractEntity(e)
			default:
				err = tx.Set(tx.NewEntity(), graphdb.BlockString, graphdb.StringValue("new"))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// replayed runs the log from the start.
func replayed(t *testing.T, g *Graph) string {
	t.Helper()
	history, err := g.History(t.Context(), 0, 1<<20)
	require.NoError(t, err)
	conn := graphdb.NewConn(graphdb.RoamSchema())
	for _, x := range slices.Backward(history) {
		datoms, err := g.Changes(t.Context(), x.Tx)
		require.NoError(t, err)
		_, err = conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
			for _, d := range datoms {
				set := tx.Set
				if !d.Added {
					set = tx.Retract
				}
				if err := set(d.E, d.A, d.V); err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	return dump(conn.DB())
}

// versionOne makes a file as version 1 did: a row for each datom.
const versionOne = `
CREATE TABLE attributes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE transactions (tx INTEGER PRIMARY KEY, time INTEGER NOT NULL, author TEXT NOT NULL, last_entity INTEGER NOT NULL);
CREATE TABLE datoms (e INTEGER NOT NULL, a INTEGER NOT NULL, kind INTEGER NOT NULL, v NOT NULL, tx INTEGER NOT NULL, PRIMARY KEY (e, a, kind, v)) WITHOUT ROWID;
CREATE TABLE history (e INTEGER NOT NULL, a INTEGER NOT NULL, kind INTEGER NOT NULL, v NOT NULL, tx INTEGER NOT NULL, retracted INTEGER NOT NULL);
INSERT INTO attributes VALUES (1, ':node/title'), (2, ':block/uid'), (3, ':test/float'), (4, ':block/string'), (5, ':block/refs');
INSERT INTO transactions VALUES (1, 1000, 'maren', 1), (2, 2000, 'maren-ai', 7);
INSERT INTO history VALUES (1, 1, 1, 'Old', 1, 2);
INSERT INTO datoms VALUES (1, 1, 1, 'Baking', 2), (1, 2, 1, 'uid-1', 1), (1, 3, 3, 4607182418800017408, 1), (2, 4, 1, 'a block', 2), (2, 5, 6, 1, 2);
PRAGMA application_id = 1383031149; PRAGMA user_version = 1`

func TestAFileOfTheFirstVersionIsTakenOver(t *testing.T) {
	folder := openFolder(t, t.TempDir())
	path := folder.path + "/" + fileOfGraph(notes)
	require.NoError(t, script(path, versionOne))
	for range 2 { // the second time it is of this version
		g, err := folder.Open(t.Context(), notes, Options{})
		require.NoError(t, err)
		want := `[1 :block/uid "uid-1" 1 :node/title "Baking" 1 :test/float 1 2 :block/refs #1 2 :block/string "a block"]`
		if got := dump(g.DB()); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if replayed(t, g) != dump(g.DB()) {
			t.Error("its log leads to another state")
		}
		if g.DB().BasisTx() != 2 || g.DB().LastEntity() != 7 {
			t.Error("numbering does not go on where it was")
		}
		if _, found, ok := g.WithStems(t.Context(), "bakes", 9); !ok || fmt.Sprint(found) != "[1]" {
			t.Errorf("full text: %v %v", found, ok)
		}
		require.NoError(t, g.Close())
	}
}

func TestABrokenFileOfTheFirstVersionStaysAsItIs(t *testing.T) {
	for name, damage := range map[string]string{
		"kind":      "UPDATE datoms SET kind = 77",
		"attribute": "DELETE FROM attributes",
		"history":   "UPDATE history SET kind = 77",
		"table":     "DROP TABLE history",
	} {
		t.Run(name, func(t *testing.T) {
			folder := openFolder(t, t.TempDir())
			path := folder.path + "/" + fileOfGraph(notes)
			require.NoError(t, script(path, versionOne+";"+damage))
			if _, err := folder.Open(t.Context(), notes, Options{}); problem.CodeOf(err) != CodeDamaged {
				t.Errorf("%v", err)
			}
			database, err := sqlite.OpenConn(path)
			require.NoError(t, err)
			defer database.Close()
			if version, err := integer(database, "PRAGMA user_version"); err != nil || version != 1 {
				t.Errorf("it is of version %d now, %v", version, err)
			}
		})
	}
}
