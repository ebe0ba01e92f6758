package files

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// Files of our own are those that the program makes for itself: state, logs, locks,
// tokens. At their paths nothing is to be that the program has not made, so that no last
// link is followed, no file of another user is opened, and nothing is waited for.

// OpenOwn opens a file of our own for reading.
func OpenOwn(path string) (*os.File, error) { return openOwn(path, os.O_RDONLY) }

// ReadOwn returns the content of a file of our own of at most max bytes, as Read does.
func ReadOwn(path string, max int64) ([]byte, error) {
	file, err := OpenOwn(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadOpened(file, max)
}

// Append opens a file of our own for appending, and makes it with mode 0600 if it is
// missing. The null device is one, too.
func Append(path string) (*os.File, error) {
	if path == os.DevNull {
		return os.OpenFile(path, os.O_WRONLY, 0)
	}
	return openOwn(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY)
}

// Create makes a file of our own with mode 0600. It is an error if there is one.
func Create(path string) (*os.File, error) {
	return openOwn(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
}

// Update opens a file of our own for writing as it is, and makes it with mode 0600 if it
// is missing.
func Update(path string) (*os.File, error) { return openOwn(path, os.O_CREATE|os.O_WRONLY) }

// Truncate cuts a file of our own to a size.
func Truncate(path string, size int64) error {
	file, err := openOwn(path, os.O_WRONLY)
	if err != nil {
		return err
	}
	return errors.Join(file.Truncate(size), file.Close())
}

// Overwrite writes a file of our own, which a reader may see half written.
func Overwrite(path string, data []byte) error {
	file, err := Update(path)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Truncate(int64(len(data))) // after it is known what it is
	}
	return errors.Join(err, file.Close())
}

// CheckOwn returns an error unless there is a file of our own at the path.
func CheckOwn(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return isOwn(path, info)
}

func isOwn(path string, info fs.FileInfo) error {
	if err := isRegular(path, info); err != nil {
		return err
	}
	if HasOtherOwner(info) {
		return &fs.PathError{Op: "open", Path: path, Err: errNotOurs}
	}
	return nil
}

var errNotOurs = errors.New("it belongs to another user")

func openOwn(path string, flags int) (*os.File, error) {
	return open(path, flags|withoutFollowing, CheckOwn, isOwn)
}

// Lock returns the lock on a file of our own, without taking it. Taking it creates the file
// with mode 0600 if it is missing.
func Lock(path string) (*flock.Flock, error) {
	if err := CheckOwn(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDONLY|withoutWaiting|withoutFollowing), flock.SetPermissions(0o600)), nil
}

// Held reports whether a process holds the lock on a file. It creates no file.
func Held(path string) bool {
	if CheckOwn(path) != nil {
		return false
	}
	lock, err := Lock(path)
	if err != nil {
		return false
	}
	// A shared one, so that two that ask do not take each other for the holder.
	free, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !free
}
