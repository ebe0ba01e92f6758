// Package logfile is a file that a log is appended to and that never grows
// large.
//
// It promises that several processes may write to the same file, that a line is
// never torn, that the files are readable by this user only, and that at most
// Keep old files stay beside the present one. Where the old file can't be moved
// away, writing goes on. It does not know what is in a line. Limited keeps a
// log from being filled with lines of one kind.
package logfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"roam-mcp/internal/regularfile"
)

const (
	// DefaultSize is the size in bytes at which a file is moved away.
	DefaultSize = 10 << 20
	// DefaultKeep is the number of old files that stay.
	DefaultKeep = 3
)

// File is an open log file. Each Write is one line, or several whole ones.
type File struct {
	path string
	size int64
	keep int

	mu   sync.Mutex
	open *os.File // nil once closed
}

var _ io.WriteCloser = (*File)(nil)

// Open opens or makes the file. At size bytes it becomes path.1, the one before
// that path.2, up to keep; 0 stands for the defaults.
func Open(path string, size int64, keep int) (*File, error) {
	if size <= 0 {
		size = DefaultSize
	}
	if keep <= 0 {
		keep = DefaultKeep
	}
	open, err := appendTo(path)
	if err != nil {
		return nil, err
	}
	return &File{path: path, size: size, keep: keep, open: open}, nil
}

func appendTo(path string) (*os.File, error) {
	open, err := regularfile.Append(path)
	if err != nil {
		return nil, err
	}
	// One that was there may be open to others. The null device is left as it is.
	if info, err := open.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		_ = open.Chmod(info.Mode().Perm() & 0o600)
	}
	return open, nil
}

// Write implements io.Writer.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		return 0, os.ErrClosed
	}
	if err := f.makeRoom(int64(len(line))); err != nil {
		return 0, err
	}
	return f.open.Write(line)
}

// makeRoom follows a file that another process has moved away, and moves it
// where it would grow too large.
func (f *File) makeRoom(more int64) error {
	if !f.isCurrent() {
		if err := f.reopen(); err != nil {
			return err
		}
	}
	if info, err := f.open.Stat(); err != nil || info.Size() == 0 || info.Size()+more <= f.size {
		return err
	}
	lock, err := regularfile.Lock(f.path + ".lock")
	if err != nil {
		return nil // writing goes on
	}
	if locked, err := lock.TryLock(); err != nil || !locked {
		return nil // another process is at it
	}
	defer func() { _ = lock.Unlock() }()
	if f.isCurrent() { // nobody was quicker
		_ = f.open.Close() // some systems move no open file
		for n := f.keep; n > 0; n-- {
			_ = os.Rename(f.numbered(n-1), f.numbered(n)) // those that are missing, or held open
		}
	}
	return f.reopen()
}

func (f *File) numbered(n int) string {
	if n == 0 {
		return f.path
	}
	return fmt.Sprintf("%s.%d", f.path, n)
}

// isCurrent reports whether the open file is the one at the path.
func (f *File) isCurrent() bool {
	open, err := f.open.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.path)
	return err == nil && os.SameFile(open, there)
}

func (f *File) reopen() error {
	open, err := appendTo(f.path)
	if err != nil {
		return err
	}
	_ = f.open.Close()
	f.open = open
	return nil
}

// Close implements io.Closer.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		return nil
	}
	err := f.open.Close()
	f.open = nil
	if errors.Is(err, os.ErrClosed) { // the last reopening failed
		return nil
	}
	return err
}
