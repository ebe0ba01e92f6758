package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"roam-mcp/internal/files"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
)

// mostFile is the most that is read of an upload's file, in bytes. Those that Put
// makes are smaller, since the sandbox takes no larger request.
const mostFile = 64 << 20

// filesExtension is that of the folder beside a graph's database.
const filesExtension = ".files"

// Files keeps the uploads of a graph in a folder beside its database. It is safe for
// concurrent use. The zero value refuses every file.
type Files struct {
	path string
}

// File is an uploaded file.
type File struct {
	MediaType string `json:"mediaType"`
	Name      string `json:"name"` // given with the upload; may be empty
	Content   []byte `json:"-"`
}

// Files returns the files of a graph.
func (f *Folder) Files(graph localapi.Graph) Files {
	return Files{path: filepath.Join(f.path, strings.TrimSuffix(fileOfGraph(graph), extension)+filesExtension)}
}

var errNoFiles = errors.New("files can't be kept here")

// fileID matches the ids of files. None of them is special to a file system.
var fileID = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

func (f Files) file(id string) (string, error) {
	if f.path == "" || !fileID.MatchString(id) {
		return "", errNoFiles
	}
	return filepath.Join(f.path, id), nil
}

// Put stores a file under an id of letters, digits, - and _. When it returns nil the
// file is on disk, as a line of JSON with its metadata, and its content.
func (f Files) Put(id string, file File) error {
	path, err := f.file(id)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return fmt.Errorf("make the folder for files: %w", err)
	}
	head, err := json.Marshal(file)
	if err != nil {
		return err
	}
	return files.ReplaceAtomically(path, bytes.Join([][]byte{head, file.Content}, []byte("\n")))
}

// Get reads a file. If there is none with that id, the error is fs.ErrNotExist.
func (f Files) Get(id string) (File, error) {
	path, err := f.file(id)
	if err != nil {
		return File{}, fs.ErrNotExist
	}
	data, err := files.ReadOwn(path, mostFile)
	if err != nil {
		return File{}, err
	}
	head, content, _ := bytes.Cut(data, []byte("\n"))
	file := File{Content: content}
	if err := json.Unmarshal(head, &file); err != nil {
		return File{}, fmt.Errorf("the file %s is damaged: %w", id, err)
	}
	return file, nil
}

// Delete removes a file. That there is none is no error.
func (f Files) Delete(id string) error {
	path, err := f.file(id)
	if err != nil {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
