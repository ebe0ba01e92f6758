package install

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"roam-mcp/internal/files"
)

// Placed is the file that remembers what was written outside of this program's own folders:
// skills, the program and its completions.
type Placed string

// placedFile is a file as Placed has it.
type placedFile struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Part Part   `json:"part"`
	Sum  string `json:"sha256"`
	Made string `json:"made,omitempty"`
}

// mostPlaced bounds the file, in bytes.
const mostPlaced = 1 << 20

// Files returns what is remembered; nothing where the file can't be read.
func (p Placed) Files() (all []File) {
	for _, each := range p.read() {
		note := "It was put there by self install."
		if each.Part == Skills {
			note = "It was put there by skill --install, for agents."
		}
		all = append(all, File{Name: each.Name, Path: each.Path, Note: note, Part: each.Part, Sum: cmp.Or(each.Sum, "unknown"), Made: each.Made, Served: each.Part == Program})
	}
	return all
}

func (p Placed) read() (all []placedFile) {
	if data, err := files.ReadOwn(string(p), mostPlaced); err == nil {
		_ = json.Unmarshal(data, &all)
	}
	return all
}

// Add remembers files that were written just now, in the place of what was known of their paths.
func (p Placed) Add(placed ...File) error {
	all := p.read()
	for _, f := range placed {
		one := placedFile{f.Path, f.Name, f.Part, SumOf(f.Path), f.Made}
		if i := slices.IndexFunc(all, func(other placedFile) bool { return other.Path == f.Path }); i >= 0 {
			if one.Made == "" {
				one.Made = all[i].Made
			}
			all = slices.Delete(all, i, i+1)
		}
		all = append(all, one)
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(string(p)), 0o700)
	}
	if err == nil {
		err = files.ReplaceAtomically(string(p), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remember what was written for self remove: %w", err)
	}
	return nil
}

// SumOf returns the SHA-256 of a file; "" where it can't be read.
func SumOf(path string) string {
	file, err := files.Open(path)
	if err != nil {
		return ""
	}
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	if err = errors.Join(err, file.Close()); err != nil && !errors.Is(err, fs.ErrClosed) {
		return ""
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
