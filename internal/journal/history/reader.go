package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/files"
)

// reader reads the journal, and makes none.
type reader struct {
	*shared

	reading semaphore // held while r is used
	r       *database // nil: not open
}

// read runs a function on the connection for reading, in one snapshot of the file. It
// reports false, and does not run it, where there is no journal.
func (j *reader) read(ctx context.Context, do func(*sqlite.Conn) error) (bool, error) {
	if err := j.reading.enter(ctx); err != nil {
		return false, err
	}
	defer j.reading.leave()
	if err := j.openReading(); err != nil || j.r == nil {
		return false, j.explain(ctx, err)
	}
	j.r.conn.SetInterrupt(ctx.Done())
	defer j.r.conn.SetInterrupt(nil)
	err := inTransaction(j.r.conn, "BEGIN", func() error { return do(j.r.conn) })
	if err != nil {
		err = j.explain(ctx, err)
	}
	return true, err
}

// openReading makes j.r the database at the path, or nil where there is none.
func (j *reader) openReading() (err error) {
	if j.r != nil {
		if !j.r.replaced(j.path()) {
			return nil
		}
		if err := j.closeReading(); err != nil {
			return err
		}
	}
	if err := j.checkFiles(); err != nil {
		return err
	}
	file, err := os.Lstat(j.path())
	if errors.Is(err, fs.ErrNotExist) || err == nil && file.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	opened, version, err := j.openReadable()
	if err != nil {
		return err
	}
	opened.file = file
	if version == 0 {
		return opened.conn.Close()
	}
	if err := settings(opened.conn, "query_only = ON"); err != nil {
		return errors.Join(err, opened.conn.Close())
	}
	if err := j.checkOpened(opened); err != nil {
		return errors.Join(err, opened.conn.Close())
	}
	j.r = opened
	return nil
}

// openReadable opens the file for reading. In a folder where SQLite can't write what it
// shares with other processes, it reads a file that has no log as it lies there.
func (j *reader) openReadable() (d *database, version int64, err error) {
	for _, immutable := range []bool{false, true} {
		flags := sqlite.OpenReadWrite
		if immutable {
			if info, err := os.Lstat(j.path() + "-wal"); err == nil && info.Size() > 0 {
				break
			}
			flags = sqlite.OpenReadOnly
		}
		conn, opened := sqlite.OpenConn(j.uri(immutable), flags|sqlite.OpenURI)
		if opened == nil {
			conn.SetBusyTimeout(j.options.Wait)
			if version, opened = versionOf(conn); opened == nil {
				return &database{conn: conn, immutable: immutable}, version, nil
			}
			opened = errors.Join(opened, conn.Close())
		}
		if err == nil {
			err = opened
		}
		if code := sqlite.ErrCode(opened).ToPrimary(); code != sqlite.ResultCantOpen && code != sqlite.ResultReadOnly {
			break
		}
	}
	return nil, 0, err
}

func (j *reader) closeReading() error {
	if j.r == nil {
		return nil
	}
	err := j.r.conn.Close()
	j.r = nil
	return err
}

// Size is how much is kept.
type Size struct {
	Bytes int64 // of the files
	Calls int   // with texts or without
}

// Size returns how much is kept, zeros where there is no journal.
func (j *reader) Size(ctx context.Context) (size Size, err error) {
	found, err := j.read(ctx, func(conn *sqlite.Conn) error {
		calls, err := number(conn, "SELECT count(*) FROM call")
		size.Calls = int(calls)
		return err
	})
	if err != nil || !found {
		return Size{}, err
	}
	size.Bytes = j.bytes()
	return size, nil
}

// watchEvery is how often Journal.Watch looks.
const watchEvery = 150 * time.Millisecond

// Watch returns a channel that receives after every change of the file, by whatever
// process, and once the file comes to be, is replaced or deleted. Changes that follow
// each other closely may be received as one. It is closed when the context ends.
func (j *reader) Watch(ctx context.Context) <-chan struct{} {
	return files.Poll(ctx, watchEvery, func() fileStamp { return j.glance(ctx) }, func(a, b fileStamp) bool { return a == b })
}

// fileStamp is what tells one state of the file from the next. Versions are those of a
// connection, and mean nothing to another.
type fileStamp struct {
	file    *database // nil: there is none
	version int64
	failed  string // why the file can't be read
}

// glance looks at the file, without reading any of it where nothing has changed.
func (j *reader) glance(ctx context.Context) (seen fileStamp) {
	_, err := j.read(ctx, func(conn *sqlite.Conn) (err error) {
		seen.file = j.r
		seen.version, err = number(conn, "PRAGMA data_version")
		return err
	})
	if err != nil {
		seen.failed = err.Error()
	}
	return seen
}
