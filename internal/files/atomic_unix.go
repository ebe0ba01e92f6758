//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// HasOtherOwner reports whether a file or folder belongs to another user than the
// one as whom this process runs. It is false where the system does not tell.
func HasOtherOwner(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}

// keepOwnerAndMode sets the new file's owner to the old one's, so that a run as root
// does not take the file away from its user, and its mode to one no wider than 0600.
func keepOwnerAndMode(f *os.File, old fs.FileInfo) error {
	if old == nil {
		return f.Chmod(0o600)
	}
	if HasOtherOwner(old) {
		stat := old.Sys().(*syscall.Stat_t)
		if err := f.Chown(int(stat.Uid), int(stat.Gid)); err != nil {
			return errors.Join(ErrOtherOwner, err)
		}
	}
	return f.Chmod(old.Mode().Perm() & 0o600)
}

func rename(from, to string) error { return os.Rename(from, to) }

// syncFolder makes a rename in the folder survive a power cut. File systems that
// can't sync a folder need no such thing.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
