package store

import (
	"errors"
	"fmt"

	"roam-mcp/problem"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
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

func openDatabase(path string) (*sqlite.Conn, error) {
	database, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, damaged(path, err)
	}
	if err := prepareDatabase(database, path); err != nil {
		return nil, errors.Join(err, database.Close())
	}
	return database, nil
}

func prepareDatabase(database *sqlite.Conn, path string) error {
	// The folder's lock keeps other processes out, so no shared memory is needed.
	// Another program that has the file open makes this fail.
	for _, pragma := range []string{"locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"} {
		if err := sqlitex.ExecuteTransient(database, "PRAGMA "+pragma, nil); err != nil {
			return damaged(path, err)
		}
	}
	id, err := integer(database, "PRAGMA application_id")
	if err != nil {
		return damaged(path, err)
	}
	version, err := integer(database, "PRAGMA user_version")
	if err != nil {
		return damaged(path, err)
	}
	switch {
	case id != applicationID && (id != 0 || version != 0):
		return damaged(path, errors.New("it is a database of another program"))
	case version > schemaVersion:
		return &problem.Error{
			Code:    CodeTooNew,
			Message: fmt.Sprintf("%s was written by a newer version of roam-mcp (format %d, this one reads %d).", path, version, schemaVersion),
			Hint:    problem.Say("Update roam-mcp."),
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
