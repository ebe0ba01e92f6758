package ops

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// Folders are those of this machine that files may be read from, with all below
// them but what is hidden, holds keys, or is forbidden. A nil *Folders permits
// none.
type Folders struct {
	permitted []folder
	forbidden []string
}

// folder is a permitted one.
type folder struct {
	named string // as it was named, whole
	real  string // without links
}

// OpenFolders returns the folders that are named, each of which must exist, less
// the forbidden files and folders, which need not. Paths begin at the root, or
// with "~/" for the home folder.
func OpenFolders(named, forbidden []string) (*Folders, error) {
	folders := &Folders{forbidden: append(slices.Clip(forbidden), "/proc", "/sys", "/dev")}
	for _, name := range named {
		path, err := absolute(name)
		if err != nil {
			return nil, &problem.Error{Code: CodeInvalid, Message: fmt.Sprintf("%s is not the whole path of a folder.", textsafe.Quote(name)), Hint: problem.Say("Begin it at the root, or with ~/."), Err: err}
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			var info fs.FileInfo
			if info, err = os.Stat(real); err == nil && !info.IsDir() {
				err = errors.New("it is no folder")
			}
		}
		if err != nil {
			return nil, &problem.Error{Code: CodeInvalid, Message: fmt.Sprintf("The folder %s can't be used: %v.", textsafe.Quote(name), err), Err: err}
		}
		folders.permitted = append(folders.permitted, folder{path, real})
	}
	return folders, nil
}

// Read reads a regular file below one of the folders. path is absolute, or begins
// with "~/" for the home folder. Links are followed within the folder.
func (f *Folders) Read(path string, given Given) (GivenFile, error) {
	if err := given.check(); err != nil {
		return GivenFile{}, err
	}
	full, err := absolute(path)
	if err != nil {
		return GivenFile{}, err
	}
	in, inside, err := f.find(full)
	if err != nil {
		return GivenFile{}, err
	}
	content, err := f.read(in, inside, MaxBytes)
	if err != nil {
		return GivenFile{}, err
	}
	name := filepath.Base(full)
	return given.file(content, name, byName(name), sniffed(content), guessed(content)), nil
}

// find returns the folder that a path is below, and the path within it. Nothing is
// looked at on the disk for a path that is below none.
func (f *Folders) find(full string) (in folder, inside string, err error) {
	if f == nil || len(f.permitted) == 0 {
		return folder{}, "", &problem.Error{
			Code: CodeNotAllowed, Message: "This server reads no files of this machine.",
			Hint: problem.Say("Send the file as base64, or ask the user to start the server with --files-from and the folder."),
		}
	}
	var names []string
	for _, each := range f.permitted {
		for _, base := range []string{each.named, each.real} {
			if inside, err := filepath.Rel(base, full); err == nil && filepath.IsLocal(inside) {
				return each, inside, nil
			}
		}
		names = append(names, textsafe.Quote(each.named))
	}
	return folder{}, "", &problem.Error{
		Code: CodeNotAllowed, Message: "The file is in no folder that this server reads files from.",
		Hint: problem.Say("It reads them from %s. Ask the user to put the file there.", strings.Join(names, ", ")),
	}
}

// read looks before it opens, since opening a device can have effects, and again at
// what it has opened, since the name may lead elsewhere by then.
func (f *Folders) read(in folder, inside string, max int64) ([]byte, error) {
	if isPrivate(in.real, inside) {
		return nil, notForAgents()
	}
	real, err := filepath.EvalSymlinks(filepath.Join(in.real, inside))
	if err != nil {
		return nil, unreadable(err)
	}
	within, err := filepath.Rel(in.real, real)
	if err != nil || !filepath.IsLocal(within) || isPrivate(in.real, within) || f.forbids(real) {
		return nil, notForAgents()
	}
	root, err := os.OpenRoot(in.real)
	if err != nil {
		return nil, unreadable(err)
	}
	defer root.Close()
	info, err := root.Stat(within)
	if err != nil {
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular()
	}
	file, err := root.OpenFile(within, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, unreadable(err)
	}
	defer file.Close()
	return readOpened(file, max)
}

// forbids reports whether a path is one of the forbidden ones or below it, under
// whatever name: as a hard link, in another case, or mounted elsewhere.
func (f *Folders) forbids(real string) bool {
	var forbidden []fs.FileInfo
	for _, path := range f.forbidden {
		if info, err := os.Stat(path); err == nil {
			forbidden = append(forbidden, info)
		}
	}
	for {
		if info, err := os.Stat(real); err == nil && slices.ContainsFunc(forbidden, func(each fs.FileInfo) bool { return os.SameFile(info, each) }) {
			return true
		}
		parent := filepath.Dir(real)
		if parent == real {
			return false
		}
		real = parent
	}
}

// isPrivate reports whether a file is hidden within its folder, or anywhere in a
// folder that programs keep keys and passwords in.
func isPrivate(folder, inside string) bool {
	for name := range strings.SplitSeq(inside, string(filepath.Separator)) {
		if strings.HasPrefix(name, ".") || strings.EqualFold(name, "AppData") {
			return true
		}
	}
	// Between separators, so that whole names are compared.
	path := strings.ToLower("/" + filepath.ToSlash(filepath.Join(folder, inside)) + "/")
	return slices.ContainsFunc([]string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud", ".password-store",
		".config/gcloud", ".config/gh", ".config/op", ".local/share/keyrings", "library/keychains",
	}, func(keys string) bool { return strings.Contains(path, "/"+keys+"/") })
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

func notForAgents() *problem.Error {
	return &problem.Error{
		Code: CodeNotAllowed, Message: "The file is hidden, is among those that hold keys or settings, or is a link out of its folder, so it is not read.",
		Hint: problem.Say("Ask the user to copy what they mean to a folder that this server reads files from."),
	}
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
