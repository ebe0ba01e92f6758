package history

import (
	"zombiezen.com/go/sqlite"
)

// The tools under which calls are recorded that take others back.
const (
	ToolUndo        = "undo"
	ToolRedo        = "redo" // takes an undo back
	ToolUndoChanges = "undo_changes"
)

// IsUndo reports whether the calls of a tool take others back.
func IsUndo(tool string) bool {
	return tool == ToolUndo || tool == ToolRedo || tool == ToolUndoChanges
}

// undone says how far a call is taken back, by calls that are not taken back themselves.
type undone struct {
	by     int64 // number of the newest of them; 0: none
	partly bool  // it is not all taken back
}

// readUndone returns how far a call is taken back. A change that was not done is no part of
// that.
func readUndone(conn *sqlite.Conn, call int64) (u undone, err error) {
	if there, err := hasUndoes(conn); err != nil || !there {
		return u, err
	}
	some, err := number(conn, "SELECT EXISTS (SELECT 1 FROM change CROSS JOIN change AS taking ON taking.undoes = change.id WHERE change.call = CAST(?1 AS INTEGER))", call)
	if err != nil || some == 0 {
		return u, err
	}
	changes, err := numbersOf(conn, "SELECT id FROM change WHERE call = ? AND state IN ('done', 'unknown', 'open')", call)
	if err != nil {
		return u, err
	}
	for _, id := range changes {
		by, left, err := undoneBy(conn, id)
		if err != nil {
			return u, err
		}
		if by == 0 || left {
			u.partly = true
		}
		u.by = max(u.by, by)
	}
	u.partly = u.partly && u.by != 0
	return u, nil
}

// undoneBy returns the call that has taken a change back and is not taken back itself, 0
// where there is none, and whether it left something.
func undoneBy(conn *sqlite.Conn, change int64) (call int64, left bool, err error) {
	type taking struct {
		id, call int64
		left     bool
	}
	var all []taking
	err = rows(conn, "SELECT id, call, lacks IS NOT NULL FROM change WHERE undoes = CAST(?1 AS INTEGER) AND action = ''", []any{change}, func(row *sqlite.Stmt) error {
		all = append(all, taking{row.ColumnInt64(0), row.ColumnInt64(1), row.ColumnBool(2)})
		return nil
	})
	for _, each := range all {
		back, _, err := undoneBy(conn, each.id)
		if err != nil {
			return 0, false, err
		}
		if back == 0 {
			call, left = max(call, each.call), left || each.left
		}
	}
	return call, left, err
}

// hasUndoes reports whether a file says what takes back what, as it does since schema 4.
func hasUndoes(conn *sqlite.Conn) (bool, error) {
	schema, err := number(conn, "PRAGMA user_version")
	return schema >= 4, err
}
