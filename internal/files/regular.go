package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// NotRegularError reports that something else than a file is at a path.
type NotRegularError struct{ Mode fs.FileMode }

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("it is %s and no regular file", kind(e.Mode))
}

func notRegular(path string, mode fs.FileMode) error {
	return &fs.PathError{Op: "open", Path: path, Err: &NotRegularError{mode}}
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// TooLargeError reports a file that is larger than what may be read.
type TooLargeError struct{ Max int64 } // bytes

func (e *TooLargeError) Error() string { return fmt.Sprintf("it is larger than %d bytes", e.Max) }

// Open opens a file for reading. Links are followed.
func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY, CheckRegular, isRegular) }

// open looks before it opens, since opening a device can have effects, and again at
// what it has opened, since the name may lead elsewhere by then.
func open(path string, flags int, look func(path string) error, isWanted func(path string, info fs.FileInfo) error) (*os.File, error) {
	if err := look(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(path, flags|withoutWaiting, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = isWanted(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func isRegular(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return notRegular(path, info.Mode())
	}
	return nil
}

// CheckRegular returns an error unless there is a regular file at the path. Links are
// followed.
func CheckRegular(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return isRegular(path, info)
}

// Read returns the content of a file of at most max bytes. The error of a larger one
// is *TooLargeError.
func Read(path string, max int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadOpened(file, max)
}

// ReadOpened is Read for a file that is open.
func ReadOpened(file *os.File, max int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, max+1))
	if err == nil && int64(len(text)) > max {
		return nil, &fs.PathError{Op: "read", Path: file.Name(), Err: &TooLargeError{max}}
	}
	return text, err
}
