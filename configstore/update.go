package configstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
)

const lockRetryDelay = 4 * time.Millisecond

// lockedFile is the file while a writer holds its lock.
type lockedFile struct {
	target string      // the file itself, links resolved
	old    fs.FileInfo // nil if the file does not exist
	doc    *document
	unlock func()
}

// target returns the path of the file itself, so that all writers of one file use
// one lock, by whatever links they reach it.
func (s *Store) target() (string, error) {
	target, err := files.ResolveLinks(s.path)
	switch {
	case errors.Is(err, files.ErrTooManyLinks):
		return "", unreadable(target, err)
	case err != nil:
		return "", unwritable(target, err)
	}
	return target, nil
}

// begin locks and reads the file. The caller must call unlock.
func (s *Store) begin(ctx context.Context) (*lockedFile, error) {
	target, err := s.target()
	if err != nil {
		return nil, err
	}
	unlock, err := s.lock(ctx, target)
	if err != nil {
		return nil, err
	}
	w := &lockedFile{target: target, unlock: unlock}
	if err := w.load(s.path); err != nil {
		unlock()
		return nil, err
	}
	return w, nil
}

func (w *lockedFile) load(path string) error {
	// Only the holder of the lock makes temporary files, so any that are there were
	// left by killed writers.
	files.RemoveLeftovers(w.target)
	var err error
	w.doc, w.old, err = openDocument(w.target, path)
	return err
}

// openDocument reads the file at target for editing; for a missing one it returns an
// empty document and nil. Errors name the file path.
func openDocument(target, path string) (*document, fs.FileInfo, error) {
	text, state, err := readFile(target)
	if errors.Is(err, fs.ErrNotExist) {
		return newDocument(), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	d, err := parseDocument(path, text)
	return d, state.Info, err
}

// update locks and reads the file, calls change and writes the file. All changes of
// the file go through it. If change returns an error or modifies nothing, the file is
// not written.
func (s *Store) update(ctx context.Context, change func(*document) error) error {
	w, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer w.unlock()
	if err := change(w.doc); err != nil {
		return err
	}
	if !w.doc.modified {
		return nil
	}
	text, err := w.encode()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return interrupted(s.path, err)
	}
	if err := files.ReplaceAs(w.target, text, w.old); err != nil {
		return unwritable(w.target, err)
	}
	return nil
}

func (w *lockedFile) encode() ([]byte, error) {
	text, err := w.doc.encode()
	if err != nil {
		return nil, unwritable(w.target, err)
	}
	if len(text) > maxFileSize || len(w.doc.graphs) > maxGraphs {
		return nil, unwritable(w.target, fmt.Errorf("it would hold more than %d graphs or %d MB", maxGraphs, maxFileSize>>20))
	}
	return text, nil
}

// CheckWritable returns the error that an update would meet: it reads the file, takes
// the lock and writes a temporary file of the same size. It changes nothing. Call it
// before a person is asked to approve a token.
func (s *Store) CheckWritable(ctx context.Context) error {
	w, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer w.unlock()
	text, err := w.encode()
	if err != nil {
		return err
	}
	f, err := files.StartReplacement(w.target, w.old)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Sync(), f.Discard())
	}
	if err != nil {
		return unwritable(w.target, err)
	}
	return nil
}

// lock waits for the lock, which is a file of its own because every write replaces
// the configuration file.
func (s *Store) lock(ctx context.Context, target string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, interrupted(s.path, err)
	}
	waiting, cancel := context.WithTimeout(ctx, s.lockTimeout)
	defer cancel()
	path := target + ".lock"
	lock, err := files.Lock(path)
	if err != nil {
		return nil, unwritable(path, err)
	}
	_, err = lock.TryLockContext(waiting, lockRetryDelay)
	switch {
	case err == nil:
		return func() { _ = lock.Unlock() }, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, interrupted(s.path, ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &problem.Error{
			Code:    CodeConfigLocked,
			Message: fmt.Sprintf("Another program holds the lock %s and does not let go of it.", path),
			Hint:    problem.Say("Try again; if it stays so, look for a roam-mcp that hangs and end it."),
			Place:   &problem.Place{Path: path}, Err: err,
		}
	}
	return nil, unwritable(path, err)
}

// FixMode removes the rights of other users, which solves the problem
// CONFIG_MODE_OPEN. A missing file is no error.
func (s *Store) FixMode(ctx context.Context) error {
	target, err := s.target()
	if err != nil {
		return err
	}
	// Without the lock, a writer might replace the file meanwhile.
	unlock, err := s.lock(ctx, target)
	if err != nil {
		return err
	}
	defer unlock()
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(s.path, err)
	}
	if !openToOthers(info.Mode()) {
		return nil
	}
	if err := os.Chmod(target, info.Mode().Perm()&0o600); err != nil {
		return unwritable(target, err)
	}
	return nil
}
