package configstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"roam-mcp/atomicfile"
)

const lockRetryDelay = 4 * time.Millisecond

// session is one writer's time with the file: from taking the lock to releasing
// it.
type session struct {
	target string      // the file itself, links followed
	old    fs.FileInfo // nil where the file does not exist yet
	doc    *document
	unlock func()
}

// target returns the path of the file itself: all writers of one file, by
// whatever name they know it, meet at its lock.
func (s *Store) target() (string, error) {
	target, err := atomicfile.Resolve(s.path)
	switch {
	case errors.Is(err, atomicfile.ErrTooManyLinks):
		return "", unreadable(target, err)
	case err != nil:
		return "", unwritable(target, err)
	}
	return target, nil
}

// begin takes the lock and reads what is there. The caller calls unlock.
func (s *Store) begin(ctx context.Context) (*session, error) {
	target, err := s.target()
	if err != nil {
		return nil, err
	}
	unlock, err := s.lock(ctx, target)
	if err != nil {
		return nil, err
	}
	w := &session{target: target, unlock: unlock}
	if err := w.load(s.path); err != nil {
		unlock()
		return nil, err
	}
	return w, nil
}

func (w *session) load(path string) error {
	// Only the holder of the lock has a temporary file, so any other one was
	// left behind by a writer that was killed.
	atomicfile.RemoveLeftovers(w.target)
	var err error
	w.doc, w.old, err = openDocument(w.target, path)
	return err
}

// openDocument reads the file at target for editing; a missing one is an empty
// document without info. Errors speak of the file as path.
func openDocument(target, path string) (*document, fs.FileInfo, error) {
	text, info, err := readFile(target)
	if errors.Is(err, fs.ErrNotExist) {
		return newDocument(), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	d, err := parseDocument(path, text)
	return d, info, err
}

// update is the one way in which the file changes: lock, read, change, write. A
// change that returns an error or modifies nothing writes nothing.
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
	if err := atomicfile.Replace(w.target, text, w.old); err != nil {
		return unwritable(w.target, err)
	}
	return nil
}

func (w *session) encode() ([]byte, error) {
	text, err := w.doc.encode()
	if err != nil {
		return nil, unwritable(w.target, err)
	}
	if len(text) > maxFileSize || len(w.doc.graphs) > maxGraphs {
		return nil, unwritable(w.target, fmt.Errorf("it would hold more than %d graphs or %d MB", maxGraphs, maxFileSize>>20))
	}
	return text, nil
}

// CheckWritable proves that an update would succeed: what is there can be
// understood, the lock can be had, and a file of its size can be written beside
// it. Call it before a person is asked to approve a token. It changes nothing.
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
	f, err := atomicfile.Create(w.target, w.old)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Sync(), f.Discard())
	}
	if err != nil {
		return unwritable(w.target, err)
	}
	return nil
}

// lock waits for the lock beside the file. It is a file of its own because the
// configuration file is replaced on every write.
func (s *Store) lock(ctx context.Context, target string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, interrupted(s.path, err)
	}
	waiting, cancel := context.WithTimeout(ctx, s.lockTimeout)
	defer cancel()
	path := target + ".lock"
	lock := flock.New(path)
	_, err = lock.TryLockContext(waiting, lockRetryDelay)
	switch {
	case err == nil:
		return func() { _ = lock.Unlock() }, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, interrupted(s.path, ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &Error{
			Code:    CodeConfigLocked,
			Message: fmt.Sprintf("Another program holds the lock %s and does not let go of it.", path),
			Advice:  "Try again; if it stays so, look for a roam-mcp that hangs and end it.",
			Path:    path, Err: err,
		}
	}
	return nil, unwritable(path, err)
}

// FixMode closes the file to other users, so that the problem CONFIG_MODE_OPEN
// goes away. A missing file is no error.
func (s *Store) FixMode(ctx context.Context) error {
	target, err := s.target()
	if err != nil {
		return err
	}
	// Without the lock, a writer might just be putting another file in place.
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
