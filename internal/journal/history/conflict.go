package history

import (
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
)

// freshlyDone is how long after a change ended somebody may still be reading what it
// left.
const freshlyDone = 10 * time.Second

// meeting is an intent that meets what others do, within the transaction that records it.
type meeting struct {
	conn   *sqlite.Conn
	graph  int64
	in     Intent
	waited time.Duration // the intent has
	own    int64         // the server of this process; 0: it has none yet
	now    int64         // as the file has it
	alive  func(server int64) bool
}

// check returns ErrLookAgain where the look of the intent may be out of date, and errWait
// where another server has something to finish first.
func (m *meeting) check() error {
	if m.in.Mark == 0 {
		return m.awaitRewriting()
	}
	newest, err := newestMark(m.conn)
	if err != nil {
		return err
	}
	if m.in.Mark > newest+1 { // of a file that is no more
		return ErrLookAgain
	}
	others, err := m.othersAtWork()
	if err != nil {
		return err
	}
	ours := rolesOf(m.in.Touches)
	for _, other := range others {
		open := other.state == StateOpen
		if open && !m.alive(other.server) {
			continue
		}
		theirs, err := touchesOf(m.conn, other.id)
		if err != nil {
			return err
		}
		if !conflict(ours, m.in.Class, theirs, other.class) && (m.in.Insist || !mayMention(m.in.Class, other.class)) {
			continue
		}
		if open && m.waited < longestOpen {
			return errWait
		}
		return ErrLookAgain
	}
	if m.waited >= longestAfterReads {
		return nil
	}
	return m.awaitAfterReads()
}

// atWork is a change that may be in the way of an intent.
type atWork struct {
	id, server int64
	class      fact.Class
	state      State
}

// The queries below start from the few changes that are open, unread or new, and are told
// so: SQLite would start from all calls of the graph. A cast keeps it from planning anew
// for each value of a parameter.

// othersAtWork returns the changes of a graph that are open, or newer than the mark of an
// intent, apart from those of its own call and from those that did nothing.
func (m *meeting) othersAtWork() (others []atWork, err error) {
	const (
		columns = "SELECT change.id, session.server, change.class, change.state FROM change "
		of      = ` CROSS JOIN call ON call.id = change.call CROSS JOIN session ON session.id = call.session
			WHERE call.graph = CAST(?1 AS INTEGER) AND call.id <> CAST(?2 AS INTEGER) AND `
	)
	err = rows(m.conn, columns+"INDEXED BY change_open"+of+"change.state = 'open' UNION "+
		columns+"INDEXED BY change_mark"+of+"change.mark >= CAST(?3 AS INTEGER) AND change.state NOT IN ('refused', 'not-done')",
		[]any{m.graph, m.in.Call, m.in.Mark}, func(row *sqlite.Stmt) error {
			others = append(others, atWork{row.ColumnInt64(0), row.ColumnInt64(1), fact.Class(row.ColumnText(2)), State(row.ColumnText(3))})
			return nil
		})
	return others, err
}

// awaitRewriting returns errWait where a change adds texts that may mention what another
// one, which is open, rewrites all over the graph: what it has seen would be too little.
func (m *meeting) awaitRewriting() error {
	if m.waited >= longestAfterReads || !m.in.Class.WritesTexts() {
		return nil
	}
	return rows(m.conn, `SELECT DISTINCT session.server FROM change INDEXED BY change_open
		CROSS JOIN call ON call.id = change.call CROSS JOIN session ON session.id = call.session
		WHERE change.state = 'open' AND change.class IN ('gone', 'rename', 'merge')
		AND call.graph = CAST(?1 AS INTEGER) AND call.id <> CAST(?2 AS INTEGER)`,
		[]any{m.graph, m.in.Call}, func(row *sqlite.Stmt) error {
			if m.alive(row.ColumnInt64(0)) {
				return errWait
			}
			return nil
		})
}

// mayMention reports whether of changes of two classes one may write a text that mentions
// what the other rewrites. What rewrites texts writes them, too.
func mayMention(a, b fact.Class) bool {
	return a.Rewrites() && (b.WritesTexts() || b.Rewrites()) || a.WritesTexts() && b.Rewrites()
}

// awaitAfterReads returns errWait while another server that lives has to read what a
// change of the graph left.
func (m *meeting) awaitAfterReads() error {
	return rows(m.conn, `SELECT DISTINCT session.server FROM change INDEXED BY change_unread
		CROSS JOIN call ON call.id = change.call CROSS JOIN session ON session.id = call.session
		WHERE change.state = 'done' AND change.after_by IS NULL AND change.request IS NOT NULL
		AND call.graph = CAST(?1 AS INTEGER) AND session.server <> CAST(?2 AS INTEGER) AND change.done > CAST(?3 AS INTEGER)`,
		[]any{m.graph, m.own, m.now - freshlyDone.Milliseconds()}, func(row *sqlite.Stmt) error {
			if m.alive(row.ColumnInt64(0)) {
				return errWait
			}
			return nil
		})
}

// touchesOf returns what a change touches.
func touchesOf(conn *sqlite.Conn, change int64) (touches []fact.Touch, err error) {
	err = rows(conn, "SELECT uid, role, page FROM touch WHERE change = ?1", []any{change}, func(row *sqlite.Stmt) error {
		touches = append(touches, fact.Touch{UID: row.ColumnText(0), Role: fact.Role(row.ColumnInt(1)), Page: row.ColumnText(2)})
		return nil
	})
	return touches, err
}

func rolesOf(touches []fact.Touch) map[string][]fact.Role {
	roles := map[string][]fact.Role{}
	for _, t := range touches {
		roles[t.UID] = append(roles[t.UID], t.Role)
	}
	return roles
}

// conflict reports whether of two changes one may alter what the other is based on.
func conflict(ours map[string][]fact.Role, class fact.Class, theirs []fact.Touch, otherClass fact.Class) bool {
	if class == fact.ClassShortcut && changesShortcuts(otherClass) || otherClass == fact.ClassShortcut && changesShortcuts(class) {
		return true // there is one list
	}
	for _, t := range theirs {
		for _, role := range ours[t.UID] {
			if excludes(role, class, t.Role, otherClass) {
				return true
			}
		}
	}
	return false
}

// changesShortcuts reports whether a class of changes may change the list of shortcuts.
func changesShortcuts(c fact.Class) bool {
	return c == fact.ClassShortcut || c == fact.ClassGone || c == fact.ClassMerge || c == fact.ClassRename
}

// excludes reports whether two roles that changes of two classes give to one block keep
// the changes apart. Two changes may have one parent, unless it goes or moves itself.
func excludes(a fact.Role, aClass fact.Class, b fact.Role, bClass fact.Class) bool {
	if a == fact.RoleImplied || b == fact.RoleImplied || a == fact.RolePlace && b == fact.RolePlace {
		return false
	}
	if a == fact.RolePlace {
		return b == fact.RoleGone || b == fact.RoleTarget && bClass == fact.ClassPlace
	}
	if b == fact.RolePlace {
		return a == fact.RoleGone || a == fact.RoleTarget && aClass == fact.ClassPlace
	}
	return true
}
