package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrTooManyLinks reports a symbolic link that leads to itself.
var ErrTooManyLinks = errors.New("too many symbolic links")

const maxLinks = 40

// ResolveLinks follows symbolic links to the file that path names, which need not exist.
// Folders on the way are resolved too, so that all names of a file give one path. On an
// error it returns the path at which it stopped.
func ResolveLinks(path string) (string, error) {
	for range maxLinks {
		folder, name := filepath.Split(path)
		if folder == "" {
			folder = "."
		}
		// The text of a link is relative to the real folder that holds it.
		realFolder, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return path, err
		}
		if realFolder, err = filepath.Abs(realFolder); err != nil {
			return path, err
		}
		path = filepath.Join(realFolder, name)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return path, err
		}
		link, err := os.Readlink(path)
		if err != nil {
			return path, err
		}
		if !filepath.IsAbs(link) {
			// Not filepath.Join: it would drop "x/.." where x is a link itself.
			link = realFolder + string(filepath.Separator) + link
		}
		path = link
	}
	return path, ErrTooManyLinks
}
