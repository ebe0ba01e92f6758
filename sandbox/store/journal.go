package store

import (
	"errors"
	"fmt"
	"maps"
	"math"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/graphdb"
)

// applicationID marks SQLite files as graphs of this program ("Roam").
const applicationID = 0x526f616d

// schemaVersion is raised with every change of tables; see migrations.
const schemaVersion = 1

// migrations lead from one schema version to the next. datoms is the state, and
// history what was retracted from it: together they tell what every transaction
// did. kind and v are those of bindValue.
func migrations() []string {
	return []string{`
CREATE TABLE attributes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE transactions (
	tx INTEGER PRIMARY KEY,
	time INTEGER NOT NULL,        -- ms since 1970
	author TEXT NOT NULL,         -- user uid
	last_entity INTEGER NOT NULL  -- highest id used so far, never given again
);
CREATE TABLE datoms (
	e INTEGER NOT NULL, a INTEGER NOT NULL, kind INTEGER NOT NULL, v NOT NULL,
	tx INTEGER NOT NULL,          -- that added it
	PRIMARY KEY (e, a, kind, v)
) WITHOUT ROWID;
CREATE TABLE history (
	e INTEGER NOT NULL, a INTEGER NOT NULL, kind INTEGER NOT NULL, v NOT NULL,
	tx INTEGER NOT NULL,          -- that added it
	retracted INTEGER NOT NULL    -- the transaction that took it away
);
`}
}

// journal writes transactions into a graph's database. It belongs to one
// goroutine at a time.
type journal struct {
	database   *sqlite.Conn
	attributes map[graphdb.Attr]int64 // those that are on disk
}

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
	// The folder's lock keeps other processes out, so no shared memory is needed
	// and whatever else opened the file would be seen at once.
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
		return &Error{
			Code:    CodeTooNew,
			Message: fmt.Sprintf("%s was written by a newer version of roam-mcp (format %d, this one reads %d).", path, version, schemaVersion),
			Advice:  "Update roam-mcp.",
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
	for _, step := range migrations()[version:] {
		if err := sqlitex.ExecuteScript(database, step, nil); err != nil {
			return err
		}
	}
	return sqlitex.ExecuteScript(database, fmt.Sprintf(
		"PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, schemaVersion), nil)
}

func damaged(path string, err error) *Error {
	return &Error{
		Code:    CodeDamaged,
		Message: fmt.Sprintf("The graph file %s can't be read: %v.", path, err),
		Advice:  "Put back a copy of the file, or move it away to go on without that graph.",
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

func (j *journal) readAttributes() (map[int64]graphdb.Attr, error) {
	names := map[int64]graphdb.Attr{}
	err := sqlitex.Execute(j.database, "SELECT id, name FROM attributes", &sqlitex.ExecOptions{
		ResultFunc: func(row *sqlite.Stmt) error {
			id, name := row.ColumnInt64(0), graphdb.Attr(row.ColumnText(1))
			names[id], j.attributes[name] = name, id
			return nil
		},
	})
	return names, err
}

// basis gives the number of the last transaction and the highest entity id.
func (j *journal) basis() (tx int64, last graphdb.EID, err error) {
	err = sqlitex.Execute(j.database, "SELECT tx, last_entity FROM transactions ORDER BY tx DESC LIMIT 1", &sqlitex.ExecOptions{
		ResultFunc: func(row *sqlite.Stmt) error {
			tx, last = row.ColumnInt64(0), graphdb.EID(row.ColumnInt64(1))
			return nil
		},
	})
	return tx, last, err
}

// write saves one transaction, wholly or not at all. When it returns nil, SQLite
// has synced it.
func (j *journal) write(report graphdb.Report, author string) (err error) {
	attributes := maps.Clone(j.attributes)
	end, err := sqlitex.ImmediateTransaction(j.database)
	if err != nil {
		return err
	}
	defer func() {
		end(&err)
		if err == nil {
			j.attributes = attributes
		}
	}()
	err = sqlitex.Execute(j.database, "INSERT INTO transactions (tx, time, author, last_entity) VALUES (?, ?, ?, ?)", &sqlitex.ExecOptions{
		Args: []any{report.Tx, report.Time.UnixMilli(), author, int64(report.After.LastEntity())},
	})
	if err != nil {
		return err
	}
	for _, datom := range report.Datoms {
		attribute, err := j.attribute(attributes, datom.A)
		if err != nil {
			return err
		}
		if err := j.writeDatom(report.Tx, datom, attribute); err != nil {
			return err
		}
	}
	return nil
}

// attribute gives an attribute's number, a new one where it has none.
func (j *journal) attribute(known map[graphdb.Attr]int64, name graphdb.Attr) (int64, error) {
	if id, ok := known[name]; ok {
		return id, nil
	}
	err := sqlitex.Execute(j.database, "INSERT INTO attributes (name) VALUES (?)", &sqlitex.ExecOptions{Args: []any{string(name)}})
	if err != nil {
		return 0, err
	}
	known[name] = j.database.LastInsertRowID()
	return known[name], nil
}

func (j *journal) writeDatom(tx int64, datom graphdb.Datom, attribute int64) error {
	if datom.Added {
		return j.run("INSERT INTO datoms (tx, e, a, kind, v) VALUES (?1, ?2, ?3, ?4, ?5)", tx, datom, attribute)
	}
	const which = "FROM datoms WHERE ?1 > 0 AND e = ?2 AND a = ?3 AND kind = ?4 AND v = ?5"
	if err := j.run("INSERT INTO history (retracted, e, a, kind, v, tx) SELECT ?1, e, a, kind, v, tx "+which, tx, datom, attribute); err != nil {
		return err
	}
	return j.run("DELETE "+which, tx, datom, attribute)
}

// run executes a statement over tx, e, a, kind and v, in this order, that must
// change one row: else memory and disk have come apart.
func (j *journal) run(query string, tx int64, datom graphdb.Datom, attribute int64) error {
	statement, err := j.database.Prepare(query)
	if err != nil {
		return err
	}
	statement.BindInt64(1, tx)
	statement.BindInt64(2, int64(datom.E))
	statement.BindInt64(3, attribute)
	statement.BindInt64(4, int64(datom.V.Kind()))
	bindValue(statement, 5, datom.V)
	_, err = statement.Step()
	if err := errors.Join(err, statement.Reset()); err != nil {
		return err
	}
	if changed := j.database.Changes(); changed != 1 {
		return fmt.Errorf("the file has %d of the datom %d %s where it should have one", changed, datom.E, datom.A)
	}
	return nil
}

// bindValue binds text as text and all else as an integer: floats by their bits,
// since SQLite has no NaN.
func bindValue(statement *sqlite.Stmt, at int, v graphdb.Value) {
	switch v.Kind() {
	case graphdb.KindString, graphdb.KindKeyword, graphdb.KindOpaque:
		statement.BindText(at, v.Text())
	case graphdb.KindFloat:
		statement.BindInt64(at, int64(math.Float64bits(v.Float())))
	case graphdb.KindBool:
		statement.BindBool(at, v.Bool())
	case graphdb.KindRef:
		statement.BindInt64(at, int64(v.Ref()))
	default:
		statement.BindInt64(at, v.Int())
	}
}

// readValue is the inverse of bindValue.
func readValue(row *sqlite.Stmt, kind, value int) (graphdb.Value, error) {
	switch k := graphdb.Kind(row.ColumnInt64(kind)); k {
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
	default:
		return graphdb.Value{}, fmt.Errorf("values of kind %d are unknown", k)
	}
}
