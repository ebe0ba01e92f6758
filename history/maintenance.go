package history

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// longestStep is about how long a step of maintenance keeps others from writing. They
// get as long after it.
const longestStep = 20 * time.Millisecond

// longestAnew is how long writers wait while the file is written anew, which takes about
// a second where it has 200 MB and the machine has nothing else to do.
const longestAnew = 20 * time.Second

// mostCalls bounds a step.
const mostCalls = 500

// Rows of meta.
const (
	vacuumedName = "vacuumed" // when the file was last written anew, in milliseconds as text
	purgingName  = "purging"  // is there while texts that were purged may still be in the files
)

// maintenance is a connection that removes things. It is one of its own, so that this
// process can go on writing.
type maintenance struct {
	conn    *sqlite.Conn
	living  func(server int64) bool
	readers time.Duration // that readers are waited for

	overwrites bool // bodies that go
}

// The settings of a connection that removes things. Where the file is written anew
// afterwards, what is removed need not be overwritten first.
const (
	overwriting = "secure_delete = ON; PRAGMA cache_size = -2048"
	writingAnew = "secure_delete = OFF; PRAGMA cache_size = -16384"
)

// maintain opens the file for a function. It reports false, and does not call it, where
// there is no journal.
func (j *Journal) maintain(ctx context.Context, how string, do func(*maintenance) error) (bool, error) {
	info, err := os.Lstat(j.path())
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return false, nil
	}
	if err == nil {
		err = j.checkFiles()
	}
	if err != nil {
		return false, err
	}
	conn, err := sqlite.OpenConn(j.uri(false), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		return false, err
	}
	conn.SetBusyTimeout(longestLock)
	version, err := versionOf(conn)
	if err == nil && version != 0 {
		// Rows that refer to others go with them here, in an order that makes it unneeded
		// to look for them.
		err = settings(conn, "foreign_keys = OFF", "synchronous = NORMAL", "wal_autocheckpoint = 500")
		// What a vacuum puts aside is as large as the file.
		err = errors.Join(err, sqlitex.ExecuteScript(conn, "PRAGMA temp_store = FILE; PRAGMA "+how, nil))
		conn.SetInterrupt(ctx.Done())
		if err == nil && version < schemaVersion {
			err = patiently(ctx, func() error { return inTransaction(conn, "BEGIN IMMEDIATE", func() error { return migrate(conn) }) })
		}
		if err == nil {
			err = do(&maintenance{conn, j.living(), j.readers, how == overwriting})
		}
		conn.SetInterrupt(nil)
	}
	return version != 0, errors.Join(err, conn.Close())
}

// inSteps calls a function with a part of the calls at a time, in a transaction that
// keeps others waiting for moments only.
func (m *maintenance) inSteps(ctx context.Context, calls []int64, do func(part []int64) error) error {
	for size := 8; len(calls) > 0; {
		part := calls[:min(size, len(calls))]
		started := time.Now()
		if err := m.transact(ctx, func() error { return do(part) }); err != nil {
			return err
		}
		took := time.Since(started)
		switch {
		case took > longestStep:
			size = max(1, size/2)
		case took < longestStep/2:
			size = min(2*size, mostCalls)
		}
		if calls = calls[len(part):]; len(calls) == 0 {
			return nil
		}
		if err := pause(ctx, min(took/2, longestStep)); err != nil {
			return err
		}
	}
	return nil
}

// transact runs a function in a transaction that writes.
func (m *maintenance) transact(ctx context.Context, do func() error) error {
	return patiently(ctx, func() error { return inTransaction(m.conn, "BEGIN IMMEDIATE", do) })
}

// patiently tries again where others write without a pause.
func patiently(ctx context.Context, do func() error) error {
	for started := time.Now(); ; {
		err := do()
		if !isBusy(err) || time.Since(started) > longestTurn || ctx.Err() != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// list returns numbers as a parameter for json_each.
func list(ids []int64) string {
	data, _ := json.Marshal(ids) // numbers can be encoded
	return string(data)
}

const ofCalls = "(SELECT value FROM json_each(?1))"

// removeTexts removes the texts of calls, and returns how many changes these have. A
// change that is open becomes unknown, since nobody can look for it any more; what a
// server has still to tell of one that is done is not wanted any more.
func (m *maintenance) removeTexts(calls []int64) (changes int, err error) {
	if len(calls) == 0 {
		return 0, nil
	}
	ids := list(calls)
	var bodies []int64
	err = rows(m.conn, `SELECT args FROM call WHERE args IS NOT NULL AND id IN `+ofCalls+`
		UNION SELECT request FROM change WHERE request IS NOT NULL AND call IN `+ofCalls+`
		UNION SELECT before FROM change WHERE before IS NOT NULL AND call IN `+ofCalls+`
		UNION SELECT after FROM change WHERE after IS NOT NULL AND call IN `+ofCalls, []any{ids}, func(row *sqlite.Stmt) error {
		bodies = append(bodies, row.ColumnInt64(0))
		return nil
	})
	if err != nil {
		return 0, err
	}
	err = run(m.conn, `UPDATE change SET request = NULL, before = NULL, after = NULL, lacks = NULL, evidence = NULL,
		after_by = ifnull(after_by, 'none'), state = iif(state = 'open', 'unknown', state) WHERE call IN `+ofCalls, ids)
	if err != nil {
		return 0, err
	}
	changes = m.conn.Changes()
	for _, query := range []string{
		`UPDATE call SET args = NULL, summary = NULL, evidence = NULL, texts = 0, state = iif(state = 'open', 'unknown', state) WHERE id IN ` + ofCalls,
		`DELETE FROM page WHERE seen IN (SELECT id FROM change WHERE call IN ` + ofCalls + `)`,
	} {
		if err := run(m.conn, query, ids); err != nil {
			return 0, err
		}
	}
	return changes, m.removeBodies(bodies)
}

// removeBodies removes those that nothing refers to. They are overwritten where they
// are, before anything is moved.
func (m *maintenance) removeBodies(bodies []int64) error {
	var unused []int64
	err := rows(m.conn, `SELECT value FROM json_each(?1)
		WHERE NOT EXISTS (SELECT 1 FROM call WHERE args = value) AND NOT EXISTS (SELECT 1 FROM change WHERE request = value)
		AND NOT EXISTS (SELECT 1 FROM change WHERE before = value) AND NOT EXISTS (SELECT 1 FROM change WHERE after = value)
		AND NOT EXISTS (SELECT 1 FROM version WHERE body = value)`,
		[]any{list(bodies)}, func(row *sqlite.Stmt) error {
			unused = append(unused, row.ColumnInt64(0))
			return nil
		})
	if err == nil && len(unused) > 0 && m.overwrites {
		err = run(m.conn, "UPDATE body SET data = zeroblob(length(data)) WHERE id IN "+ofCalls, list(unused))
	}
	if err == nil && len(unused) > 0 {
		err = run(m.conn, "DELETE FROM body WHERE id IN "+ofCalls, list(unused))
	}
	return err
}

// removeRows removes calls that have no texts any more.
func (m *maintenance) removeRows(calls []int64) error {
	for _, query := range []string{
		"DELETE FROM touch WHERE change IN (SELECT id FROM change WHERE call IN " + ofCalls + ")",
		"DELETE FROM change WHERE call IN " + ofCalls,
		"DELETE FROM call WHERE id IN " + ofCalls,
	} {
		if err := run(m.conn, query, list(calls)); err != nil {
			return err
		}
	}
	return nil
}

// removeUnused removes sessions without calls, servers without sessions and claims of
// servers that do not live, graphs without calls and versions, and titles that no change
// has seen.
func (m *maintenance) removeUnused(ctx context.Context) error {
	return m.transact(ctx, func() error {
		queries := []string{
			"DELETE FROM session WHERE NOT EXISTS (SELECT 1 FROM call WHERE call.session = session.id)",
			"DELETE FROM page WHERE NOT EXISTS (SELECT 1 FROM change WHERE change.id = page.seen)",
			`DELETE FROM graph WHERE NOT EXISTS (SELECT 1 FROM call WHERE call.graph = graph.id)
				AND NOT EXISTS (SELECT 1 FROM version WHERE version.graph = graph.id)`,
		}
		for _, query := range queries {
			if err := run(m.conn, query); err != nil {
				return err
			}
		}
		idle, err := numbersOf(m.conn, "SELECT id FROM server WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.server = server.id)")
		for _, server := range idle {
			if err == nil && !m.living(server) {
				err = run(m.conn, "DELETE FROM server WHERE id = ?1", server)
			}
		}
		if err != nil {
			return err
		}
		claiming, err := numbersOf(m.conn, "SELECT DISTINCT server FROM claim")
		for _, server := range claiming {
			if err == nil && !m.living(server) {
				err = run(m.conn, "DELETE FROM claim WHERE server = ?1", server)
			}
		}
		return err
	})
}

// vacuum writes the file anew, and notes when.
func (m *maintenance) vacuum(ctx context.Context, now time.Time) error {
	if err := patiently(ctx, func() error { return run(m.conn, "VACUUM") }); err != nil {
		return err
	}
	return m.note(ctx, vacuumedName, strconv.FormatInt(now.UnixMilli(), 10))
}

// note writes a row of meta.
func (m *maintenance) note(ctx context.Context, name, value string) error {
	return m.transact(ctx, func() error {
		return run(m.conn, "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value", name, value)
	})
}

// emptyLog brings all of the log into the database, and reports whether the log is empty
// then. It is not where somebody reads an older state of the file.
func (m *maintenance) emptyLog() (bool, error) {
	m.conn.SetBusyTimeout(0)
	defer m.conn.SetBusyTimeout(longestLock)
	busy, err := number(m.conn, "PRAGMA wal_checkpoint(TRUNCATE)")
	if isBusy(err) {
		return false, nil
	}
	return busy == 0, err
}
