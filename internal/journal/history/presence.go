package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/files"
)

// self is this process's row among the servers, with the lock that says it lives. The
// operating system frees the lock when the process ends, however it ends.
type self struct {
	id        int64
	lock      *flock.Flock
	sessions  map[Who]session // that it began
	committed bool            // the row is in the file, and not only in a transaction
	noted     bool            // the file of numbers has it
}

// session is one in the file.
type session struct {
	id   int64
	last int64 // time of its last call, as the file has it
}

// release frees the lock and removes its file.
func (s *self) release() {
	if s == nil {
		return
	}
	_ = s.lock.Close()
	_ = os.Remove(s.lock.Path())
}

func (j *shared) serverFolder() string { return filepath.Join(j.options.Folder, "servers") }

func (j *shared) serverLock(id int64) string {
	return filepath.Join(j.serverFolder(), strconv.FormatInt(id, 10)+".lock")
}

// serverOfLock returns the server that a file in the folder of locks belongs to.
func serverOfLock(name string) (int64, bool) {
	digits, ok := strings.CutSuffix(name, ".lock")
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, ok && err == nil && id > 0 && id < mostNumber && strconv.FormatInt(id, 10) == digits
}

// self returns this process's number among the servers. The first time it makes the row,
// within the transaction under way, and takes the lock. It has to be called with the
// write lock.
func (j *writer) self(conn *sqlite.Conn) (int64, error) {
	if j.server != nil {
		if j.server.committed && !j.server.noted {
			j.raiseNumbers(numbers{Servers: j.server.id})
			j.server.noted = true
		}
		return j.server.id, nil
	}
	if err := os.MkdirAll(j.serverFolder(), 0o700); err != nil {
		return 0, err
	}
	newest, err := number(conn, "SELECT seq FROM sqlite_sequence WHERE name = 'server'")
	if err != nil {
		return 0, err
	}
	id := max(newest, j.clearLocks()) + 1
	lock, err := files.Lock(j.serverLock(id))
	if err != nil {
		return 0, err
	}
	if held, err := lock.TryLock(); err != nil || !held {
		return 0, errors.Join(err, placeError{lock.Path(), "can't be locked"})
	}
	j.server = &self{id: id, lock: lock, sessions: map[Who]session{}}
	return id, run(conn, "INSERT INTO server (id, pid, program, kind, started) VALUES (?1, ?2, ?3, ?4, ?5)",
		id, os.Getpid(), clip(j.options.Program), string(j.options.Kind), j.now())
}

// settleSelf keeps what self has made, or takes it back where its transaction failed.
func (j *writer) settleSelf(err error) {
	switch {
	case j.server == nil:
	case err == nil:
		j.server.committed = true
	case j.server.committed:
		clear(j.server.sessions) // some may have been of the transaction
	default:
		j.server.release()
		j.server = nil
	}
}

// endServer records that this process ends.
func (j *writer) endServer(ctx context.Context) error {
	if j.w == nil || j.server == nil || j.w.replaced(j.path()) {
		return nil
	}
	j.w.conn.SetInterrupt(ctx.Done())
	defer j.w.conn.SetInterrupt(nil)
	return j.explain(ctx, run(j.w.conn, "UPDATE server SET ended = ?1 WHERE id = ?2", j.now(), j.server.id))
}

// clearLocks removes the locks of servers that do not live, and returns the highest
// number of those that do.
func (j *shared) clearLocks() (highest int64) {
	for _, id := range j.lockedServers() {
		if j.alive(id) {
			highest = max(highest, id)
		} else {
			_ = os.Remove(j.serverLock(id))
		}
	}
	return highest
}

// lockedServers returns the servers that have a lock's file, whether they live or not.
func (j *shared) lockedServers() (ids []int64) {
	entries, _ := os.ReadDir(j.serverFolder()) // none where it can't be read
	for _, entry := range entries {
		if id, ok := serverOfLock(entry.Name()); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (j *shared) anyAlive() bool {
	return slices.ContainsFunc(j.lockedServers(), j.alive)
}

// alive reports whether a server holds its lock.
func (j *shared) alive(id int64) bool { return files.Held(j.serverLock(id)) }

// living returns a function that reports whether a server lives, and asks once for each.
func (j *shared) living() func(id int64) bool {
	known := map[int64]bool{}
	return func(id int64) bool {
		alive, ok := known[id]
		if !ok {
			alive = j.alive(id)
			known[id] = alive
		}
		return alive
	}
}

// Exclusive takes the lock of a name ("settle", "purge") among all processes,
// and waits for it so long. It reports whether it has it; then release frees it. Where
// there is no journal there is nothing to keep apart.
func (j *shared) Exclusive(ctx context.Context, name string, wait time.Duration) (release func(), ok bool, err error) {
	if _, err := os.Lstat(j.options.Folder); errors.Is(err, fs.ErrNotExist) {
		return func() {}, true, nil
	}
	release, ok, err = j.lock(ctx, name, wait)
	return release, ok, j.explain(ctx, err)
}

// lock takes the lock of a name among all processes. The release of one that it does not
// have does nothing.
func (j *shared) lock(ctx context.Context, name string, wait time.Duration) (release func(), ok bool, err error) {
	release = func() {}
	lock, err := files.Lock(filepath.Join(j.options.Folder, name+".lock"))
	if err != nil {
		return release, false, err
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ok, err = lock.TryLock()
	if !ok && err == nil {
		ok, err = lock.TryLockContext(limited, 5*time.Millisecond)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	if ok {
		release = func() { _ = lock.Close() }
	}
	return release, ok, err
}

// maintained reports whether a process purges or tidies, which may write the file anew.
func (j *shared) maintained() bool {
	return files.Held(filepath.Join(j.options.Folder, "purge.lock"))
}

// now returns the time as the file has it.
func (j *shared) now() int64 { return j.options.Now().UnixMilli() }

// timeOf returns the time in a column, zero where it is NULL.
func timeOf(row *sqlite.Stmt, i int) time.Time {
	if row.ColumnIsNull(i) {
		return time.Time{}
	}
	return time.UnixMilli(row.ColumnInt64(i))
}
