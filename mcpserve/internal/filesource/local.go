package filesource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"roam-mcp/problem"
)

// ReadLocal reads a regular file of this machine. path is absolute, or begins
// with "~/" for the home folder. Links are followed to a regular file, never
// into a device or pipe.
func ReadLocal(path string, given Given) (File, error) {
	if err := given.check(); err != nil {
		return File{}, err
	}
	full, err := absolute(path)
	if err != nil {
		return File{}, err
	}
	content, err := readRegular(full, MaxBytes)
	if err != nil {
		return File{}, err
	}
	name := filepath.Base(full)
	return given.file(content, name, byName(name), sniffed(content), guessed(content)), nil
}

func absolute(path string) (string, error) {
	path = strings.TrimSpace(path)
	if rest, underHome := strings.CutPrefix(path, "~/"); underHome {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", &problem.Error{Code: CodeInvalid, Message: "There is no home folder for ~.", Hint: problem.Say("Give the whole path."), Err: err}
		}
		path = filepath.Join(home, rest)
	}
	// A Windows path such as \\server\share would log in to that server.
	if !filepath.IsAbs(path) || strings.HasPrefix(filepath.VolumeName(path), `\\`) || strings.ContainsRune(path, 0) {
		return "", &problem.Error{Code: CodeInvalid, Message: "filePath must be the whole path of a file on this machine.", Hint: problem.Say("Begin it at the root, or with ~/.")}
	}
	return filepath.Clean(path), nil
}

// readRegular looks before it opens, since opening a device can have effects,
// and again at what it has opened, since the name may lead elsewhere by then.
func readRegular(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular()
	}
	file, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, unreadable(err)
	}
	defer file.Close()
	return readOpened(file, max)
}

func readOpened(file *os.File, max int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular()
	}
	if info.Size() > max {
		return nil, tooLarge(max)
	}
	content, err := io.ReadAll(io.LimitReader(file, max+1))
	switch {
	case err != nil:
		return nil, unreadable(err)
	case int64(len(content)) > max: // it grew, or told no size
		return nil, tooLarge(max)
	}
	return content, nil
}

func notRegular() *problem.Error {
	return &problem.Error{Code: CodeNotAllowed, Message: "The path is no regular file, but a folder, a device or the like."}
}

func unreadable(err error) *problem.Error {
	why := "it could not be read"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		why = "roam-mcp has no right to read it"
	}
	return &problem.Error{Code: CodeUnavailable, Message: fmt.Sprintf("The file can't be uploaded: %s.", why), Hint: problem.Say("Check the path, which is one on the machine where roam-mcp runs."), Err: err}
}
