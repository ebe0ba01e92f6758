package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
)

// othersRead and othersWrite are the bits of a mode that let other users in.
const (
	othersRead  fs.FileMode = 0o077
	othersWrite fs.FileMode = 0o022
)

// checkFolder refuses a folder that another user could have put graphs into, and
// closes one that others can only read. Windows has no modes.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unusable(path, err)
	case runtime.GOOS == "windows":
		return nil
	case files.HasOtherOwner(info):
		return &problem.Error{
			Code:    CodeUnusable,
			Message: fmt.Sprintf("The sandbox's data folder %s belongs to another user.", path),
			Hint:    problem.Say("Start the sandbox as that user, or give it a home folder of your own."),
		}
	case info.Mode().Perm()&othersWrite != 0:
		return &problem.Error{
			Code:    CodeUnusable,
			Message: fmt.Sprintf("Other users can write to the sandbox's data folder %s, so what is in it may not be yours.", path),
			Hint:    problem.Say("Look at what is in it, then give it mode 0700; or give the sandbox another home folder."),
		}
	case info.Mode().Perm()&othersRead != 0:
		if err := os.Chmod(path, info.Mode().Perm()&^othersRead); err != nil {
			return unusable(path, err)
		}
	}
	return nil
}

// keepPrivate makes the file of a database, unless it exists, and takes other
// users' rights to it and to the files that SQLite puts beside it. SQLite would
// make it with the rights of the umask, and gives those beside it the same.
func keepPrivate(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	file, err := files.Create(path)
	switch {
	case err == nil:
		err = file.Close()
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	for _, name := range databaseFiles(path) {
		if info, statErr := os.Lstat(name); statErr == nil && info.Mode().IsRegular() && info.Mode().Perm()&othersRead != 0 {
			err = errors.Join(err, os.Chmod(name, info.Mode().Perm()&^othersRead))
		}
	}
	return err
}

// databaseFiles lists a database and the files that SQLite puts beside it.
func databaseFiles(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal"}
}
