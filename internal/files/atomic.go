package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrOtherOwner reports that the file to be replaced belongs to another user and
// that the new one can't be given to them.
var ErrOtherOwner = errors.New("the file belongs to another user")

// ReplaceAtomically replaces the file at path, whose folder must exist, with one of mode 0600
// that holds data. When it returns nil the file is on disk.
func ReplaceAtomically(path string, data []byte) error { return ReplaceAs(path, data, nil) }

// ReplaceAs is ReplaceAtomically for a file that keeps the owner of the old one, and its mode
// as far as 0600 allows. A nil old stands for no file.
func ReplaceAs(path string, data []byte, old fs.FileInfo) error {
	f, err := StartReplacement(path, old)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// WriteNew writes data to a new file of mode 0600 in a folder that exists. Its
// name is the pattern with the "*" replaced, as by os.CreateTemp. On an error
// nothing is left behind.
func WriteNew(folder, pattern string, data []byte) (path string, err error) {
	f, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	_ = syncFolder(folder) // the data are on disk, so the file does not count as lost
	return f.Name(), nil
}

// Replacement is a temporary file in the folder of the file that it is to replace. One
// of Commit and Discard must be called.
type Replacement struct {
	temporary *os.File
	path      string
}

// StartReplacement begins to replace the file at path; old is as for ReplaceAs.
func StartReplacement(path string, old fs.FileInfo) (*Replacement, error) {
	prefix, suffix := temporaryName(path)
	temporary, err := os.CreateTemp(filepath.Dir(path), prefix+"*"+suffix)
	if err != nil {
		return nil, err
	}
	f := &Replacement{temporary, path}
	if err := keepOwnerAndMode(temporary, old); err != nil {
		_ = f.Discard()
		return nil, err
	}
	return f, nil
}

// ReplaceAtomically implements io.Writer.
func (f *Replacement) Write(data []byte) (int, error) { return f.temporary.Write(data) }

// Chmod sets the mode of the new file, which may be wider than what Create gave it.
func (f *Replacement) Chmod(mode fs.FileMode) error { return f.temporary.Chmod(mode) }

// Sync brings to disk what was written so far.
func (f *Replacement) Sync() error { return f.temporary.Sync() }

// Commit puts the new file in the place of the old one and returns when it is on
// disk. On an error the old file is still there or, if only the last step failed,
// the new one is but may not survive a power cut.
func (f *Replacement) Commit() error {
	err := errors.Join(f.temporary.Sync(), f.temporary.Close())
	if err == nil {
		err = rename(f.temporary.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(f.temporary.Name())
		return err
	}
	return syncFolder(filepath.Dir(f.path))
}

// Discard removes the temporary file. After Commit it does nothing.
func (f *Replacement) Discard() error {
	if errors.Is(f.temporary.Close(), os.ErrClosed) {
		return nil
	}
	return os.Remove(f.temporary.Name())
}

// temporaryName returns what stands before and after the digits in the name of a
// temporary file.
func temporaryName(path string) (prefix, suffix string) {
	return filepath.Base(path) + ".", ".tmp"
}

// RemoveLeftovers deletes the temporary files that killed processes left beside
// path, as far as it can. The caller must know that nobody else is replacing the
// file just now.
func RemoveLeftovers(path string) {
	prefix, suffix := temporaryName(path)
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok || !e.Type().IsRegular() {
			continue
		}
		middle, ok = strings.CutSuffix(middle, suffix)
		if ok && middle != "" && strings.Trim(middle, "0123456789") == "" {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}
