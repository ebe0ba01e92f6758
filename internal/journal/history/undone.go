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
		taken, err := takenBackBy(conn, id)
		if err != nil {
			return u, err
		}
		if taken.call == 0 || taken.left != nil {
			u.partly = true
		}
		u.by = max(u.by, taken.call)
	}
	u.partly = u.partly && u.by != 0
	return u, nil
}

// PagesLeft is what an undo of a change has left that was ended before the pages which the
// change made were removed.
const PagesLeft = "pages that it made are still there"

// takenBack is the newest mark of a change that says it was taken back, and that is not taken back
// itself. The zero value: there is none.
type takenBack struct {
	call int64
	left []string // in words
}

func takenBackBy(conn *sqlite.Conn, change int64) (newest takenBack, err error) {
	var ids []int64
	var all []takenBack
	err = rows(conn, "SELECT id, call, lacks FROM change WHERE undoes = CAST(?1 AS INTEGER) AND action = '' ORDER BY id", []any{change}, func(row *sqlite.Stmt) error {
		ids, all = append(ids, row.ColumnInt64(0)), append(all, takenBack{row.ColumnInt64(1), parseLacks(row.ColumnText(2))})
		return nil
	})
	for i, each := range all {
		back, err := takenBackBy(conn, ids[i])
		if err != nil {
			return takenBack{}, err
		}
		if back.call == 0 {
			newest = each
		}
	}
	return newest, err
}

// hasUndoes reports whether a file says what takes back what, as it does since schema 4.
func hasUndoes(conn *sqlite.Conn) (bool, error) {
	schema, err := number(conn, "PRAGMA user_version")
	return schema >= 4, err
}
