package install

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Part is the part of what is written that a file belongs to, for what is asked about it.
type Part uint8

// The parts, in the order in which they are removed.
const (
	Foreign     Part = iota // read here, and written by others
	Entries                 // a client's file, of which entries are taken out
	Skills                  // written into folders of clients
	State                   // what can be made again
	Rescued                 // tokens that could not be saved
	History                 // what agents wrote
	Sandbox                 // the world of --sandbox
	Settings                // the configuration
	Completions             // of shells
	Program                 // the program itself
	Memory                  // what is remembered of the two before
)

// File is a file or folder that this program reads or writes.
type File struct {
	Name   string // in a few words
	Path   string // absolute
	Note   string // who writes it and what for, in a sentence
	Secret bool   // it holds tokens, or texts of notes
	Part   Part
	Served bool     // it is in use while a server runs
	Sum    string   // SHA-256 of what was written, of Skills, Completions and Program
	Made   string   // the folder nearest to the root that was made for it; empty: none
	Holds  []string // of a folder: patterns of path.Match for the files in it, with slashes
	Lock   string   // file whose lock is held while it is in use; empty: none
}

// own returns the files of f that this program has written, and those at its place that it has
// not, all that are there.
func (f File) own() (own, foreign []string) {
	info, err := os.Lstat(f.Path)
	switch {
	case err != nil || f.Part == Foreign:
		return nil, nil
	case len(f.Holds) == 0 && info.Mode().IsRegular() && f.isAsWritten():
		return []string{f.Path}, nil
	case len(f.Holds) == 0 || !info.IsDir():
		return nil, []string{f.Path}
	}
	_ = filepath.WalkDir(f.Path, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // what can't be read stays, with the folder that it is in
		}
		if below, err := filepath.Rel(f.Path, at); err == nil && entry.Type().IsRegular() && f.holds(filepath.ToSlash(below)) {
			own = append(own, at)
		} else {
			foreign = append(foreign, at)
		}
		return nil
	})
	return own, foreign
}

// isAsWritten reports whether a file is what this program has written there, or, of a program,
// another version of it.
func (f File) isAsWritten() bool {
	if f.Sum == "" || f.Sum == SumOf(f.Path) {
		return true
	}
	_, ours, _ := VersionOf(f.Path)
	return f.Part == Program && ours
}

// holds reports whether a file below the folder is one of those that this program writes, or what
// a killed process has left of one.
func (f File) holds(below string) bool {
	return slices.ContainsFunc(f.Holds, func(pattern string) bool {
		whole, _ := path.Match(pattern, below)
		left, _ := path.Match(pattern+".*.tmp", below)
		return whole || left
	})
}

// remove removes the files of f that are this program's own, and the folders that are empty then.
func (f File) remove() error {
	own, _ := f.own()
	for _, each := range own {
		if err := os.Remove(each); err != nil {
			return err
		}
	}
	var folders []string
	if len(f.Holds) > 0 {
		_ = filepath.WalkDir(f.Path, func(at string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				folders = append(folders, at)
			}
			return nil
		})
	}
	for _, folder := range slices.Backward(folders) {
		_ = os.Remove(folder) // one that is not empty stays
	}
	if f.Made != "" {
		removeEmpty(filepath.Dir(f.Path), f.Made)
	}
	return nil
}

// removeEmpty removes a folder and those above it, as long as they are empty, up to one of them.
func removeEmpty(folder, last string) {
	for strings.HasPrefix(folder+string(os.PathSeparator), last+string(os.PathSeparator)) && os.Remove(folder) == nil {
		folder = filepath.Dir(folder)
	}
}

// Missing returns the folder nearest to the root that has to be made for a path to have its
// folder; "" where it is there.
func Missing(path string) (missing string) {
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		if _, err := os.Lstat(folder); err == nil || folder == filepath.Dir(folder) {
			return missing
		}
		missing = folder
	}
}
