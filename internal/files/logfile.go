package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

const (
	// DefaultLogSize is the size in bytes at which a file is moved away.
	DefaultLogSize = 10 << 20
	// DefaultLogsKept is the number of old files that stay.
	DefaultLogsKept = 3
)

// LogFile is an open log file. Each Write is one line, or several whole ones.
type LogFile struct {
	path string
	size int64
	keep int

	mu   sync.Mutex
	open *os.File // nil once closed
}

var _ io.WriteCloser = (*LogFile)(nil)

// OpenLog opens or makes the file. At size bytes it becomes path.1, the one before
// that path.2, up to keep; 0 stands for the defaults.
func OpenLog(path string, size int64, keep int) (*LogFile, error) {
	if size <= 0 {
		size = DefaultLogSize
	}
	if keep <= 0 {
		keep = DefaultLogsKept
	}
	open, err := appendToLog(path)
	if err != nil {
		return nil, err
	}
	return &LogFile{path: path, size: size, keep: keep, open: open}, nil
}

func appendToLog(path string) (*os.File, error) {
	open, err := Append(path)
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
func (f *LogFile) Write(line []byte) (int, error) {
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
func (f *LogFile) makeRoom(more int64) error {
	if !f.isCurrent() {
		if err := f.reopen(); err != nil {
			return err
		}
	}
	if info, err := f.open.Stat(); err != nil || info.Size() == 0 || info.Size()+more <= f.size {
		return err
	}
	lock, err := Lock(f.path + ".lock")
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

func (f *LogFile) numbered(n int) string {
	if n == 0 {
		return f.path
	}
	return fmt.Sprintf("%s.%d", f.path, n)
}

// isCurrent reports whether the open file is the one at the path.
func (f *LogFile) isCurrent() bool {
	open, err := f.open.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.path)
	return err == nil && os.SameFile(open, there)
}

func (f *LogFile) reopen() error {
	open, err := appendToLog(f.path)
	if err != nil {
		return err
	}
	_ = f.open.Close()
	f.open = open
	return nil
}

// Close implements io.Closer.
func (f *LogFile) Close() error {
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
