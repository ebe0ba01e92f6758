package store

import (
	"fmt"
	"iter"
	"math"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/graphdb"
)

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
