package configstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var (
	errTooManyLinks = errors.New("too many symbolic links")
	errOtherOwner   = errors.New("the file belongs to another user")
)

const maxLinks = 40

// resolveTarget follows a symbolic link, or a chain of them, to the file that it
// stands for, which need not exist. Folders on the way are resolved too, so that
// all writers of one file meet at one lock.
func resolveTarget(path string) (string, error) {
	for range maxLinks {
		folder, name := filepath.Split(path)
		if folder == "" {
			folder = "."
		}
		// The text of a link is relative to the real folder that holds it.
		realFolder, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return "", unwritable(path, err)
		}
		if realFolder, err = filepath.Abs(realFolder); err != nil {
			return "", unwritable(path, err)
		}
		path = filepath.Join(realFolder, name)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", unwritable(path, err)
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", unwritable(path, err)
		}
		if !filepath.IsAbs(link) {
			// Not filepath.Join: it would drop "x/.." where x is a link itself.
			link = realFolder + string(filepath.Separator) + link
		}
		path = link
	}
	return "", unreadable(path, errTooManyLinks)
}

// replaceFile puts text in the place of target in one step. Readers and a power
// cut see the old file or the new one. On an error the old one is still there,
// or, where only the last step failed, the new one is but may not survive a
// power cut.
func replaceFile(target string, text []byte, old fs.FileInfo) error {
	temporary, err := writeTemporary(target, text, old)
	if err != nil {
		return err
	}
	if err := rename(temporary, target); err != nil {
		_ = os.Remove(temporary)
		return unwritable(target, err)
	}
	if err := syncFolder(filepath.Dir(target)); err != nil {
		return unwritable(target, err)
	}
	return nil
}

// writeTemporary writes text to a new file in target's folder and brings it to
// the disk. The file's mode is 0600, or stricter where the old file's was; its
// owner is the old file's.
func writeTemporary(target string, text []byte, old fs.FileInfo) (path string, err error) {
	prefix, suffix := temporaryName(target)
	f, err := os.CreateTemp(filepath.Dir(target), prefix+"*"+suffix)
	if err != nil {
		return "", unwritable(target, err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = unwritable(target, closeErr)
		}
		if err != nil {
			_ = os.Remove(f.Name())
			path = ""
		}
	}()
	if _, err := f.Write(text); err != nil {
		return "", unwritable(target, err)
	}
	if err := keepOwnerAndMode(f, old); err != nil {
		return "", unwritable(target, err)
	}
	if err := f.Sync(); err != nil {
		return "", unwritable(target, err)
	}
	return f.Name(), nil
}

// temporaryName gives what goes before and after the digits of a temporary file.
func temporaryName(target string) (prefix, suffix string) {
	return filepath.Base(target) + ".", ".tmp"
}

// removeLeftovers deletes the temporary files of writers that were killed. The
// caller holds the lock. Failing to is no reason not to go on.
func removeLeftovers(target string) {
	prefix, suffix := temporaryName(target)
	folder := filepath.Dir(target)
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
