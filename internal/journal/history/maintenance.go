package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	// longestAnew is how long writers wait while the file is written anew, which takes about
	// a second where it has 200 MB and the machine has nothing else to do.
	longestAnew = 20 * time.Second
	// betweenSteps is how long who removes things lets others write.
	betweenSteps = 20 * time.Millisecond
)

// purgingName is a row of meta that is there while what was removed may still be in the files.
const purgingName = "purging"

// remover removes what is too old or was to be forgotten.
type remover struct {
	*shared
	readers time.Duration // that readers of an older state of the file are waited for; tests choose less
}

// maintenance is a connection that removes things. It is one of its own, so that this
// process can go on writing.
type maintenance struct {
	conn    *sqlite.Conn
	living  func(server int64) bool
	readers time.Duration // that readers are waited for
}

// maintain opens the file for a function, which is not called where there is no journal.
func (j *remover) maintain(ctx context.Context, do func(*maintenance) error) error {
	info, err := os.Lstat(j.path())
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err == nil {
		err = j.checkFiles()
	}
	if err != nil {
		return err
	}
	conn, err := sqlite.OpenConn(j.uri(false), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		return err
	}
	conn.SetBusyTimeout(DefaultWait)
	version, err := versionOf(conn)
	if err == nil && version != 0 {
		// Rows that refer to others go with them here, in an order that makes it unneeded
		// to look for them.
		err = settings(conn, "foreign_keys = OFF", "synchronous = NORMAL", "wal_autocheckpoint = 500")
		// What a vacuum puts aside is as large as the file.
		err = errors.Join(err, sqlitex.ExecuteScript(conn, "PRAGMA temp_store = FILE; PRAGMA cache_size = -16384", nil))
		conn.SetInterrupt(ctx.Done())
		if err == nil && version < schemaVersion {
			err = patiently(ctx, func() error { return inTransaction(conn, "BEGIN IMMEDIATE", func() error { return migrate(conn) }) })
		}
		if err == nil {
			err = do(&maintenance{conn, j.living(), j.readers})
		}
		conn.SetInterrupt(nil)
	}
	return errors.Join(err, conn.Close())
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

// finish writes the file anew and empties its log, where something was removed since that
// was done the last time: rows that went leave copies behind. It reports whether it waited in
// vain for who reads an older state of the file.
func (m *maintenance) finish(ctx context.Context) (waiting bool, err error) {
	if purging, err := number(m.conn, "SELECT count(*) FROM meta WHERE name = ?1", purgingName); err != nil || purging == 0 {
		return false, err
	}
	if err := patiently(ctx, func() error { return run(m.conn, "VACUUM") }); err != nil {
		return false, err
	}
	for started := time.Now(); ; {
		emptied, err := m.emptyLog()
		switch {
		case err != nil:
			return false, err
		case emptied:
			return false, m.transact(ctx, func() error { return run(m.conn, "DELETE FROM meta WHERE name = ?1", purgingName) })
		case time.Since(started) > m.readers:
			return true, nil
		}
		if err := pause(ctx, betweenSteps); err != nil {
			return false, err
		}
	}
}

// put writes a row of meta.
func (m *maintenance) put(name, value string) error {
	return run(m.conn, "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value", name, value)
}

// emptyLog brings all of the log into the database, and reports whether the log is empty
// then. It is not where somebody reads an older state of the file.
func (m *maintenance) emptyLog() (bool, error) {
	m.conn.SetBusyTimeout(0)
	defer m.conn.SetBusyTimeout(DefaultWait)
	busy, err := number(m.conn, "PRAGMA wal_checkpoint(TRUNCATE)")
	if isBusy(err) {
		return false, nil
	}
	return busy == 0, err
}
