package store

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/graph/graphdb"
)

// changesPerRow is the approximate size of a row of changes, in bytes of packed
// datoms.
const changesPerRow = 256 << 10

// journal writes transactions into a graph's database. It belongs to one
// goroutine at a time.
type journal struct {
	database   *sqlite.Conn
	attributes map[graphdb.Attr]int64 // numbers of the attributes on disk
	newest     int64                  // the last transaction on disk
	ids        *renumbering
}

// entry is a transaction to write.
type entry struct {
	tx            int64
	time          time.Time
	author        string
	takesBack     int64          // the transaction that this one reverts; 0: none
	before, after graphdb.Reader // before is nil for an empty graph
	last          graphdb.EID    // the highest entity id
	datoms        iter.Seq[graphdb.Datom]
	touched       iter.Seq[graphdb.EID] // the entities of the datoms, each once
}

func entryOf(report graphdb.Report, w writing) entry {
	return entry{
		tx: report.Tx, time: report.Time, author: w.author, takesBack: w.takesBack,
		before: report.Before, after: report.After, last: report.After.LastEntity(),
		datoms: report.Datoms(),
		touched: func(yield func(graphdb.EID) bool) {
			known := report.Before.LastEntity()
			seen := map[graphdb.EID]struct{}{} // of those that were there before
			last := graphdb.EID(0)
			for d := range report.Datoms() {
				if _, ok := seen[d.E]; ok || d.E == last {
					continue
				}
				if last = d.E; d.E <= known {
					seen[d.E] = struct{}{}
				}
				if !yield(d.E) {
					return
				}
			}
		},
	}
}

// entryOfAll returns a transaction that makes a whole graph.
func entryOfAll(db *graphdb.DB, at time.Time, author string) entry {
	return entry{
		tx: max(1, db.BasisTx()), time: at, author: author, after: db, last: db.LastEntity(), datoms: db.All(),
		touched: func(yield func(graphdb.EID) bool) {
			for e := graphdb.EID(1); e <= db.LastEntity(); e++ {
				if !yield(e) {
					return
				}
			}
		},
	}
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

// basis returns the number of the last transaction and the highest entity id.
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
func (j *journal) write(x entry) (err error) {
	attributes := maps.Clone(j.attributes)
	end, err := sqlitex.ImmediateTransaction(j.database)
	if err != nil {
		return err
	}
	defer func() {
		end(&err)
		if err == nil {
			j.attributes, j.newest = attributes, x.tx
		}
	}()
	err = sqlitex.Execute(j.database, "INSERT INTO transactions (tx, time, author, last_entity, takes_back) VALUES (?, ?, ?, ?, ?)",
		&sqlitex.ExecOptions{Args: []any{x.tx, x.time.UnixMilli(), x.author, int64(x.last), x.takesBack}})
	if err != nil {
		return err
	}
	if err := j.writeChanges(attributes, x.tx, x.datoms); err != nil {
		return err
	}
	return j.writeEntities(attributes, x)
}

// attribute returns an attribute's number, a new one if it has none.
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

// writeChanges records what a transaction did.
func (j *journal) writeChanges(known map[graphdb.Attr]int64, tx int64, datoms iter.Seq[graphdb.Datom]) error {
	var packed []byte
	part := 0
	flush := func() error {
		err := sqlitex.Execute(j.database, "INSERT INTO changes (tx, part, datoms) VALUES (?, ?, ?)",
			&sqlitex.ExecOptions{Args: []any{tx, part, packed}})
		part, packed = part+1, packed[:0]
		return err
	}
	for d := range datoms {
		number, err := j.attribute(known, d.A)
		if err != nil {
			return err
		}
		d.E, d.V = j.ids.toFile(d.E), j.ids.valueToFile(d.V)
		if packed = packChange(packed, number, d); len(packed) >= changesPerRow {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(packed) == 0 {
		return nil
	}
	return flush()
}

// writeEntities updates the rows and the full text of the entities that a transaction
// touched.
func (j *journal) writeEntities(known map[graphdb.Attr]int64, x entry) error {
	var packed []byte
	for e := range x.touched {
		packed = packed[:0]
		for d := range x.after.Datoms(e) {
			number, err := j.attribute(known, d.A)
			if err != nil {
				return err
			}
			packed = packFact(packed, number, j.ids.valueToFile(d.V))
		}
		if err := j.writeEntity(j.ids.toFile(e), packed); err != nil {
			return err
		}
		before := ""
		if x.before != nil {
			before = searchableText(x.before, e)
		}
		if err := j.writeText(j.ids.toFile(e), before, searchableText(x.after, e)); err != nil {
			return err
		}
	}
	return nil
}

func (j *journal) writeEntity(e graphdb.EID, packed []byte) error {
	if len(packed) == 0 {
		return j.run("DELETE FROM entities WHERE e = ?1", func(s *sqlite.Stmt) { s.BindInt64(1, int64(e)) })
	}
	return j.run("INSERT OR REPLACE INTO entities (e, facts) VALUES (?1, ?2)", func(s *sqlite.Stmt) {
		s.BindInt64(1, int64(e))
		s.BindBytes(2, packed)
	})
}

// run executes a statement that returns no rows.
func (j *journal) run(query string, bind func(*sqlite.Stmt)) error {
	statement, err := j.database.Prepare(query)
	if err != nil {
		return err
	}
	bind(statement)
	_, err = statement.Step()
	return errors.Join(err, statement.Reset())
}

// datoms reads the current state.
func (j *journal) datoms(names map[int64]graphdb.Attr) iter.Seq2[graphdb.Datom, error] {
	return func(yield func(graphdb.Datom, error) bool) {
		rows, err := j.database.Prepare("SELECT e, facts FROM entities ORDER BY e")
		if err != nil {
			yield(graphdb.Datom{}, err)
			return
		}
		defer func() { _ = rows.Reset() }()
		var packed []byte
		for {
			more, err := rows.Step()
			if err != nil {
				yield(graphdb.Datom{}, err)
				return
			}
			if !more {
				return
			}
			e := graphdb.EID(rows.ColumnInt64(0))
			packed = readBlob(rows, 1, packed)
			u := unpacker{rest: packed, names: names}
			for u.more() {
				name, v, err := u.fact()
				if err != nil {
					err = fmt.Errorf("entity %d: %w", e, err)
				}
				if !yield(j.ids.datomFromFile(graphdb.Datom{E: e, A: name, V: v, Added: true}), err) || err != nil {
					return
				}
			}
		}
	}
}

// readBlob reads a column into buffer, or into a larger one if it is too small.
func readBlob(row *sqlite.Stmt, column int, buffer []byte) []byte {
	length := row.ColumnLen(column)
	if cap(buffer) < length {
		buffer = make([]byte, length+length/2)
	}
	buffer = buffer[:length]
	return buffer[:row.ColumnBytes(column, buffer)]
}
