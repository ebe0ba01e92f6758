package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/files"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/problem"
)

// applicationID marks SQLite files as graphs of this program ("Roam").
const applicationID = 0x526f616d

// schemaVersion grows with every change of tables; see migrations.
const schemaVersion = 2

// migrations returns the steps from one schema version to the next, from version 1.
func migrations() []func(*sqlite.Conn) error { return []func(*sqlite.Conn) error{packTables} }

// currentTables are the tables of schemaVersion. entities holds the state, changes
// what each transaction did; both are packed (packing.go). The two full-text tables
// are contentless (fulltext.go).
const currentTables = `
CREATE TABLE attributes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE transactions (
	tx INTEGER PRIMARY KEY,
	time INTEGER NOT NULL,             -- ms since 1970
	author TEXT NOT NULL,              -- user uid
	last_entity INTEGER NOT NULL,      -- highest id used so far; ids are not reused
	takes_back INTEGER NOT NULL DEFAULT 0 -- the transaction that an undo or redo reverted
);
CREATE TABLE entities (e INTEGER PRIMARY KEY, facts BLOB NOT NULL);
CREATE TABLE changes (
	tx INTEGER NOT NULL, part INTEGER NOT NULL, datoms BLOB NOT NULL,
	PRIMARY KEY (tx, part)
);
` + fullTextTables

// checkFiles looks at a graph's file, and at those that SQLite puts beside it, before
// SQLite opens them: it would wait for a named pipe, and take an empty file for a new
// graph.
func checkFiles(path string) error {
	if err := checkOwn(path); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err != nil || info.Size() == 0 {
		return damaged(path, cmp.Or(err, errors.New("it is empty")))
	}
	return nil
}

// checkOwn refuses files of a graph that are not our own. A missing graph is an error, too.
func checkOwn(path string) error {
	for _, name := range databaseFiles(path) {
		err := files.CheckOwn(name)
		if failed := (*fs.PathError)(nil); name == path && errors.As(err, &failed) {
			return damaged(path, failed.Err) // which does not name the path again
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return damaged(path, err)
		}
	}
	return nil
}

func openDatabase(path string) (*sqlite.Conn, error) {
	if err := keepPrivate(path); err != nil {
		return nil, unusable(filepath.Dir(path), err)
	}
	database, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, damaged(path, err)
	}
	err = prepareDatabase(database, path)
	if err == nil {
		err = checkOwn(path) // SQLite has followed what was there
	}
	if err != nil {
		return nil, errors.Join(err, database.Close())
	}
	return database, nil
}

func prepareDatabase(database *sqlite.Conn, path string) error {
	// The folder's lock keeps other processes out, so no shared memory is needed.
	// Another program that has the file open makes this fail.
	if err := sqlitex.ExecuteTransient(database, "PRAGMA locking_mode = EXCLUSIVE", nil); err != nil {
		return damaged(path, err)
	}
	id, err := integer(database, "PRAGMA application_id")
	if err != nil {
		return damaged(path, err)
	}
	version, err := integer(database, "PRAGMA user_version")
	if err != nil {
		return damaged(path, err)
	}
	tables, err := integer(database, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return damaged(path, err)
	}
	switch {
	case id != applicationID && (id != 0 || version != 0 || tables != 0):
		return damaged(path, errors.New("it is a database of another program"))
	case version > schemaVersion:
		return &problem.Error{
			Code:    CodeTooNew,
			Message: fmt.Sprintf("%s was written by a newer version of roam-mcp (format %d, this one reads %d).", path, version, schemaVersion),
			Hint:    problem.Say("Update roam-mcp."),
		}
	}
	// Only now, since they write to the file.
	for _, pragma := range []string{"journal_mode = WAL", "synchronous = FULL"} {
		if err := sqlitex.ExecuteTransient(database, "PRAGMA "+pragma, nil); err != nil {
			return damaged(path, err)
		}
	}
	if err := migrate(database, version); err != nil {
		return damaged(path, err)
	}
	return nil
}

func migrate(database *sqlite.Conn, version int64) (err error) {
	if version == schemaVersion {
		return nil
	}
	end, err := sqlitex.ImmediateTransaction(database)
	if err != nil {
		return err
	}
	defer end(&err)
	if version == 0 {
		err = sqlitex.ExecuteScript(database, currentTables, nil)
	} else {
		for _, step := range migrations()[version-1:] {
			if err = step(database); err != nil {
				break
			}
		}
	}
	if err != nil {
		return err
	}
	return sqlitex.ExecuteScript(database, fmt.Sprintf(
		"PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, schemaVersion), nil)
}

func damaged(path string, err error) *problem.Error {
	return &problem.Error{
		Code:    CodeDamaged,
		Message: fmt.Sprintf("The graph file %s can't be read: %v.", path, err),
		Hint:    problem.Say("Put back a copy of the file, or move it away to go on without that graph."),
		Err:     err,
	}
}

func integer(database *sqlite.Conn, query string) (n int64, err error) {
	err = sqlitex.ExecuteTransient(database, query, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		n = row.ColumnInt64(0)
		return nil
	}})
	return n, err
}

// packTables migrates version 1, which had a row for each datom (datoms: the current
// ones, history: the retracted ones), to the packed tables.
func packTables(database *sqlite.Conn) error {
	err := sqlitex.ExecuteScript(database, `
ALTER TABLE attributes RENAME TO old_attributes;
ALTER TABLE transactions RENAME TO old_transactions;`+currentTables+`
INSERT INTO attributes SELECT id, name FROM old_attributes;
INSERT INTO transactions SELECT tx, time, author, last_entity, 0 FROM old_transactions;
DROP TABLE old_attributes; DROP TABLE old_transactions;
CREATE INDEX datoms_by_tx ON datoms (tx);
CREATE INDEX history_by_tx ON history (tx);
CREATE INDEX history_by_retraction ON history (retracted);`, nil)
	if err != nil {
		return err
	}
	j := &journal{database: database, attributes: map[graphdb.Attr]int64{}}
	names, err := j.readAttributes()
	if err != nil {
		return err
	}
	if err := packHistory(j, names); err != nil {
		return err
	}
	if err := packState(j, names); err != nil {
		return err
	}
	return sqlitex.ExecuteScript(database, "DROP TABLE datoms; DROP TABLE history;", nil)
}

// packHistory writes the changes of every transaction.
func packHistory(j *journal, names map[int64]graphdb.Attr) error {
	var transactions []int64
	err := sqlitex.Execute(j.database, "SELECT tx FROM transactions", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		transactions = append(transactions, row.ColumnInt64(0))
		return nil
	}})
	if err != nil {
		return err
	}
	var failure error
	for _, tx := range transactions {
		datoms := oldRows(j.database, names, &failure, `SELECT e, a, kind, v, 0 FROM history WHERE retracted = ?1
			UNION ALL SELECT e, a, kind, v, 1 FROM history WHERE tx = ?1 UNION ALL SELECT e, a, kind, v, 1 FROM datoms WHERE tx = ?1`, tx)
		if err := j.writeChanges(j.attributes, tx, datoms); err != nil {
			return err
		}
		if failure != nil {
			return failure
		}
	}
	return nil
}

// packState writes the current datoms, and the full text.
func packState(j *journal, names map[int64]graphdb.Attr) error {
	var failure error
	var now graphdb.EID
	var packed []byte
	texts := map[graphdb.Attr]string{}
	flush := func() error {
		if now == 0 {
			return nil
		}
		if err := j.writeEntity(now, packed); err != nil {
			return err
		}
		return j.writeText(now, "", joinTexts(texts[graphdb.NodeTitle], texts[graphdb.BlockString]))
	}
	for d := range oldRows(j.database, names, &failure, "SELECT e, a, kind, v, 1 FROM datoms WHERE ?1 = 0 ORDER BY e", 0) {
		if d.E != now {
			if err := flush(); err != nil {
				return err
			}
			now, packed = d.E, packed[:0]
			clear(texts)
		}
		packed = packFact(packed, j.attributes[d.A], d.V)
		if d.A == graphdb.NodeTitle || d.A == graphdb.BlockString {
			texts[d.A] = d.V.Text()
		}
	}
	if failure != nil {
		return failure
	}
	return flush()
}

// oldRows reads datoms of version 1: entity, attribute, kind, value, added.
func oldRows(database *sqlite.Conn, names map[int64]graphdb.Attr, failure *error, query string, argument int64) iter.Seq[graphdb.Datom] {
	return func(yield func(graphdb.Datom) bool) {
		rows, _, err := database.PrepareTransient(query)
		if err != nil {
			*failure = err
			return
		}
		defer func() { _ = rows.Finalize() }()
		rows.BindInt64(1, argument)
		for {
			more, err := rows.Step()
			if err != nil || !more {
				*failure = err
				return
			}
			d := graphdb.Datom{E: graphdb.EID(rows.ColumnInt64(0)), A: names[rows.ColumnInt64(1)], Added: rows.ColumnInt64(4) != 0}
			if d.A == "" {
				*failure = fmt.Errorf("attribute %d has no name", rows.ColumnInt64(1))
				return
			}
			if d.V, *failure = oldValue(rows, graphdb.Kind(rows.ColumnInt64(2))); *failure != nil {
				return
			}
			if !yield(d) {
				return
			}
		}
	}
}

func oldValue(row *sqlite.Stmt, kind graphdb.Kind) (graphdb.Value, error) {
	const value = 3
	switch kind {
	case graphdb.KindString:
		return graphdb.StringValue(row.ColumnText(value)), nil
	case graphdb.KindInt:
		return graphdb.IntValue(row.ColumnInt64(value)), nil
	case graphdb.KindFloat:
		return graphdb.FloatValue(math.Float64frombits(uint64(row.ColumnInt64(value)))), nil
	case graphdb.KindBool:
		return graphdb.BoolValue(row.ColumnInt64(value) != 0), nil
	case graphdb.KindKeyword:
		return graphdb.KeywordValue(graphdb.Keyword(row.ColumnText(value))), nil
	case graphdb.KindRef:
		return graphdb.RefValue(graphdb.EID(row.ColumnInt64(value))), nil
	case graphdb.KindOpaque:
		return graphdb.OpaqueValue(graphdb.Opaque(row.ColumnText(value))), nil
	}
	return graphdb.Value{}, fmt.Errorf("values of kind %d are unknown", kind)
}
