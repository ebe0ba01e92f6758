package history

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/problem"
)

// ErrLookAgain reports that what an intent is based on may have changed since its look,
// by a change that is newer than the look's mark or under way; see Journal.Intend.
var ErrLookAgain = errors.New("another change touches the same blocks; look again")

// Journal is the journal of a user, as one process uses it. It is safe for concurrent
// use.
type Journal struct {
	*shared
	*reader
	*writer
	*remover
}

// shared is what the parts of a journal have in common: where it lies, which servers
// live, and what a person should know.
type shared struct {
	options Options
	vfs     string // of SQLite; empty: the usual one. Tests choose another

	mu     sync.Mutex
	events []event               // that are not in the file yet
	logged map[problem.Code]bool // conditions that this process met
}

// writer records changes, versions and claims.
type writer struct {
	*shared
	reader *reader // is closed before the file is moved

	writing semaphore // held while w, server and holder are used
	w       *database // nil: not open
	server  *self     // nil: this process has no row in the file
	holder  *holderFile
	files   int // number of files that were opened for writing; names the present one in Change

	unsaved unsavedOutcomes
	claims  claims
	packer  packer
}

// New returns the journal of a folder. It opens nothing and makes nothing: the first
// Intend does.
func New(options Options) *Journal {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	options.Wait = cmp.Or(options.Wait, DefaultWait)
	usual := DefaultRetention()
	options.Keep.Days = cmp.Or(options.Keep.Days, usual.Days)
	options.Keep.Megabytes = cmp.Or(options.Keep.Megabytes, usual.Megabytes)
	common := &shared{options: options, logged: map[problem.Code]bool{}}
	reading := &reader{shared: common, reading: make(semaphore, 1)}
	return &Journal{
		shared: common, reader: reading,
		writer:  &writer{shared: common, reader: reading, writing: make(semaphore, 1)},
		remover: &remover{shared: common, readers: longestReader},
	}
}

// Close records that this process ends, and frees its lock. Outcomes that could not be
// written are tried a last time. A journal that was closed opens again when it is used.
func (j *Journal) Close(ctx context.Context) error {
	err := j.saveUnsaved(ctx)
	j.unsaved.stop()
	err = errors.Join(err, j.removeClaims(j.claims.take()...))
	if j.writing.enter(ctx) == nil {
		err = errors.Join(err, j.endServer(ctx), j.closeWriting())
		j.writing.leave()
	}
	if j.reading.enter(ctx) == nil {
		err = errors.Join(err, j.closeReading())
		j.reading.leave()
	}
	return err
}

// path is that of the database.
func (j *shared) path() string { return filepath.Join(j.options.Folder, "journal.db") }

// transact runs a function in a transaction that writes. It makes the journal where
// there is none. When it returns nil, what the function wrote survives what the level
// says. The function may run more than once: the file may turn out to be damaged, or to
// have been deleted.
func (j *writer) transact(ctx context.Context, l level, do func(*sqlite.Conn) error) error {
	if err := j.writing.enter(ctx); err != nil {
		return err
	}
	defer j.writing.leave()
	started := time.Now()
	for attempt := 0; ; attempt++ {
		again, err := j.transactOnce(ctx, l, do)
		for isBusy(err) && time.Since(started) < longestAnew && j.maintained() {
			again, err = j.transactOnce(ctx, l, do)
		}
		if !again || attempt == 2 {
			return j.explain(ctx, err)
		}
	}
}

// transactOnce reports whether it is worth while to try again with a file that is opened
// anew.
func (j *writer) transactOnce(ctx context.Context, l level, do func(*sqlite.Conn) error) (again bool, err error) {
	if err := j.openWriting(ctx); err != nil {
		return false, err
	}
	conn := j.w.conn
	conn.SetInterrupt(ctx.Done())
	err = j.w.setLevel(l)
	if err == nil {
		err = inTransaction(conn, "BEGIN IMMEDIATE", func() error {
			j.holder.hold(j.server)
			defer j.holder.free()
			return do(conn)
		})
	}
	conn.SetInterrupt(nil)
	j.settleSelf(err)
	if sqlite.ErrCode(err) == sqlite.ResultConstraintForeignKey && j.server != nil { // its row was purged
		j.server.release()
		j.server = nil
		return true, err
	}
	if isDamage(err) {
		j.options.Log.Error("the journal is damaged", "error", err)
		return true, errors.Join(err, j.replaceDamaged(ctx))
	}
	if l != toSystem && err == nil && j.w.replaced(j.path()) {
		return true, errors.Join(errReplaced, j.closeWriting())
	}
	return false, err
}

// inTransaction runs a function between begin and COMMIT, or ROLLBACK where it fails.
func inTransaction(conn *sqlite.Conn, begin string, do func() error) error {
	err := run(conn, begin)
	if err != nil {
		return err
	}
	if err = do(); err == nil {
		err = run(conn, "COMMIT")
	}
	if err != nil && !conn.AutocommitEnabled() {
		interrupt := conn.SetInterrupt(nil)
		err = errors.Join(err, run(conn, "ROLLBACK"))
		conn.SetInterrupt(interrupt)
	}
	return err
}

// semaphore lets one in at a time.
type semaphore chan struct{}

func (s semaphore) enter(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	default:
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s semaphore) leave() { <-s }
