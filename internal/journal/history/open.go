package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// database is an open file.
type database struct {
	conn   *sqlite.Conn
	file   fs.FileInfo // tells whether another file has taken its path
	level  level       // what setLevel chose
	key    []byte      // of the hashes of bodies; nil where it is only read
	packer *packer     // of bodies; nil where it is only read

	immutable bool // it is read without locks; what is written meanwhile is not seen
}

// replaced reports whether the file is not at its path any more: what is written to it
// then is lost.
func (d *database) replaced(path string) bool {
	now, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, d.file)
}

// level is how far a commit has come when it returns.
type level int

const (
	toSystem        level = iota // it survives the end of the process
	toDisk                       // and a power cut, as far as the disk keeps its word
	beyondDiskCache              // and one of a Mac, whose disks are asked for more than fsync
)

// setLevel chooses how far the next commits come. It does nothing within a transaction.
func (d *database) setLevel(l level) error {
	if d.level == l {
		return nil
	}
	before := d.level
	d.level = l
	if (l == beyondDiskCache) != (before == beyondDiskCache) { // is of no effect elsewhere
		if err := run(d.conn, fmt.Sprintf("PRAGMA fullfsync = %t", l == beyondDiskCache)); err != nil {
			return err
		}
	}
	if l == toSystem {
		return run(d.conn, "PRAGMA synchronous = NORMAL")
	}
	return run(d.conn, "PRAGMA synchronous = FULL")
}

// openWriting makes j.w the database at the path, which it makes where there is none.
func (j *writer) openWriting(ctx context.Context) error {
	if j.w != nil {
		if !j.w.replaced(j.path()) {
			return nil
		}
		j.note(CodeDeleted, "")
		j.options.Log.Warn("the journal was deleted or moved while it was open; a new one begins")
		if err := j.closeWriting(); err != nil {
			return err
		}
	}
	if err := j.checkFiles(); err != nil {
		return err
	}
	if err := os.MkdirAll(j.options.Folder, 0o700); err != nil {
		return err
	}
	release, err := j.lockOpening(ctx)
	if err != nil {
		return err
	}
	defer release()
	holder, err := openHolder(j.options.Folder)
	if err != nil {
		return err
	}
	opened, err := j.openFile()
	if isDamage(err) {
		j.options.Log.Error("the journal is damaged", "error", err)
		if err = j.setAside(ctx); err == nil {
			opened, err = j.openFile()
		}
	}
	if err != nil {
		holder.close()
		return err
	}
	j.w, j.holder, j.files = opened, holder, j.files+1
	return j.keepNotes(opened.conn)
}

// lockOpening lets one process at a time make the file or move it aside.
func (j *shared) lockOpening(ctx context.Context) (release func(), err error) {
	release, ok, err := j.lock(ctx, "open", j.options.Wait)
	if err == nil && !ok {
		err = errOpening
	}
	return release, err
}

// closeWriting closes what openWriting opened, and ends that this process is alive.
func (j *writer) closeWriting() error {
	if j.w == nil {
		return nil
	}
	err := j.w.conn.Close()
	j.holder.close()
	j.server.release()
	j.w, j.holder, j.server = nil, nil, nil
	return err
}

// openFile opens the database for writing, and makes its tables where there are none.
func (j *writer) openFile() (_ *database, err error) {
	unclean := j.unclean()
	if err := j.makeFiller(); err != nil {
		return nil, err
	}
	if err := makePrivate(j.path()); err != nil {
		return nil, err
	}
	file, err := os.Lstat(j.path())
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(j.uri(false), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.Close())
		}
	}()
	conn.SetBusyTimeout(j.options.Wait)
	version, err := versionOf(conn)
	if err != nil {
		return nil, err
	}
	if unclean {
		if err := quickCheck(conn); err != nil {
			return nil, err
		}
	}
	if err := j.chooseLog(conn); err != nil {
		return nil, err
	}
	if err := settings(conn, "foreign_keys = ON", "secure_delete = ON", "wal_autocheckpoint = 500", "journal_size_limit = 2097152", "synchronous = FULL"); err != nil {
		return nil, err
	}
	if err := j.makeTables(conn, version); err != nil {
		return nil, err
	}
	key, err := readKey(conn)
	if err != nil {
		return nil, err
	}
	opened := &database{conn: conn, file: file, level: toDisk, key: key, packer: &j.packer}
	return opened, j.checkOpened(opened)
}

// checkOpened refuses a database whose files were exchanged while SQLite opened them, which
// follows links.
func (j *shared) checkOpened(d *database) error {
	if d.replaced(j.path()) {
		return placeError{j.path(), "was exchanged while it was opened"}
	}
	return j.checkFiles()
}

// settings sets pragmas, and those of every connection.
func settings(conn *sqlite.Conn, pragmas ...string) error {
	for _, pragma := range append(pragmas, "cache_size = -512", "mmap_size = 0", "temp_store = MEMORY") {
		if err := run(conn, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	return nil
}

// uri names the database for SQLite. An immutable one is read without locks.
func (j *shared) uri(immutable bool) string {
	options := url.Values{}
	if j.vfs != "" {
		options.Set("vfs", j.vfs)
	}
	if immutable {
		options.Set("immutable", "1")
	}
	path := filepath.ToSlash(j.path())
	if filepath.VolumeName(j.path()) != "" {
		path = "/" + path // file:///C:/…
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: options.Encode()}).String()
}

// versionOf returns the schema version of a file, 0 for an empty one. A file of another
// program is an error.
func versionOf(conn *sqlite.Conn) (version int64, err error) {
	var id, count int64
	err = inTransaction(conn, "BEGIN", func() error { // another process may be making the tables
		if count, err = number(conn, "SELECT count(*) FROM sqlite_schema"); err != nil {
			return err
		}
		if id, err = number(conn, "PRAGMA application_id"); err != nil {
			return err
		}
		version, err = number(conn, "PRAGMA user_version")
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case id == 0 && version == 0 && count == 0:
		return 0, nil
	case id != applicationID:
		return 0, errForeign
	case version > schemaVersion:
		return 0, tooNewError{version}
	}
	return version, nil
}

// chooseLog has SQLite write ahead, which lets readers and a writer work side by side.
// Where the file system has no shared memory for that, SQLite keeps a rollback journal.
func (j *shared) chooseLog(conn *sqlite.Conn) error {
	mode, err := text(conn, "PRAGMA journal_mode = WAL")
	if err == nil && mode == "wal" {
		return nil
	}
	if isBusy(err) || isDamage(err) || isFull(err) {
		return err
	}
	if other := run(conn, "PRAGMA journal_mode = DELETE"); other != nil {
		return errors.Join(err, other)
	}
	j.logOnce(CodeNoWAL, "the journal's file system can't share a write-ahead log; a rollback journal is used", "mode", mode, "error", err)
	j.note(CodeNoWAL, "")
	return nil
}

// makeTables makes those of a new file and those that an older file lacks, and has numbers
// go on above those that were given before.
func (j *shared) makeTables(conn *sqlite.Conn, version int64) error {
	return inTransaction(conn, "BEGIN IMMEDIATE", func() error {
		if err := migrate(conn); err != nil {
			return err
		}
		if version == 0 {
			if err := makeKey(conn); err != nil {
				return err
			}
		}
		restored, err := j.continueNumbers(conn, version == 0)
		if restored {
			j.note(CodeRestored, "")
		}
		return err
	})
}

// migrate makes the tables that a file lacks, in the transaction that writes.
func migrate(conn *sqlite.Conn) error {
	schema, err := number(conn, "PRAGMA user_version") // another process may have been faster
	for schema++; err == nil && schema <= schemaVersion; schema++ {
		script := fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", tablesOf(schema), applicationID, schema)
		err = sqlitex.ExecuteScript(conn, script, nil)
	}
	return err
}
