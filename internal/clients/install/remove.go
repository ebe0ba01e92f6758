package install

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
)

// Removal is what takes this program off a computer, but for its entries in clients.
type Removal struct {
	Goes  []File // in the order in which it goes
	Stays []Stay // what is at the places of this program, and is left there
	Busy  []File // what is in use, and stays until it is not

	folders []string
}

// Stay is something that is not removed, and why.
type Stay struct{ Path, Why string }

// Scope is what a Removal is planned from.
type Scope struct {
	Files   []File
	Folders []string // of this program, which hold the files and nothing else
	Keep    []Part
	Serving bool   // a server runs
	Running string // path of the program that runs, without links; empty: it stays, and nothing is said of it
}

// Plan returns what removes the files of a scope.
func Plan(s Scope) Removal {
	r := Removal{folders: s.Folders}
	all := slices.Clone(s.Files)
	slices.SortStableFunc(all, func(a, b File) int { return cmp.Compare(a.Part, b.Part) })
	placed := false
	for _, f := range all {
		own, foreign := f.own()
		if f.Part == Foreign && isThere(f.Path) {
			r.Stays = append(r.Stays, Stay{f.Path, "others write it"})
		}
		for _, each := range foreign {
			why := "it is not of this program"
			if f.Sum != "" {
				why = "it was changed since it was written"
			}
			r.Stays = append(r.Stays, Stay{each, why})
		}
		isRunning := f.Part == Program && s.Running != "" && sameFile(f.Path, s.Running)
		placed = placed || isRunning
		switch {
		case f.Part <= Entries, len(own) == 0 && (len(foreign) > 0 || !isThere(f.Path)):
		case slices.Contains(s.Keep, f.Part):
			r.Stays = append(r.Stays, Stay{f.Path, "it is kept"})
		case s.Serving && f.Served, f.Lock != "" && files.Held(f.Lock):
			r.Busy = append(r.Busy, f)
		case isRunning && runtime.GOOS == "windows":
			r.Stays = append(r.Stays, Stay{f.Path, "Windows removes no program that runs: delete it afterwards"})
		default:
			r.Goes = append(r.Goes, f)
		}
	}
	r.strangers(all)
	if s.Running != "" && !placed {
		r.Stays = append(r.Stays, Stay{s.Running, "it was not put there by self install: delete it yourself"})
	}
	return r
}

// strangers adds what is in the folders of this program beside the files.
func (r *Removal) strangers(all []File) {
	for _, folder := range r.folders {
		entries, _ := os.ReadDir(folder) // none where it is not there
		for _, entry := range entries {
			at := filepath.Join(folder, entry.Name())
			if !slices.ContainsFunc(all, func(f File) bool {
				return f.Path == at || strings.HasPrefix(f.Path, at+string(os.PathSeparator)) || strings.HasPrefix(at, f.Path+".") && strings.HasSuffix(at, ".tmp")
			}) {
				r.Stays = append(r.Stays, Stay{at, "it is not of this program"})
			}
		}
	}
}

// Has returns the bytes of a part that goes, and whether there is something of it.
func (r *Removal) Has(part Part) (bytes int64, there bool) {
	for _, f := range r.Goes {
		if f.Part != part {
			continue
		}
		own, _ := f.own()
		for _, each := range own {
			if info, err := os.Lstat(each); err == nil {
				bytes += info.Size()
			}
		}
		there = there || len(own) > 0
	}
	return bytes, there
}

// KeepPart has a part stay.
func (r *Removal) KeepPart(part Part) {
	r.Goes = slices.DeleteFunc(r.Goes, func(f File) bool {
		if f.Part == part {
			r.Stays = append(r.Stays, Stay{f.Path, "it is kept"})
		}
		return f.Part == part
	})
}

// Do removes what goes. It goes on where something can't be removed; the error has all of that.
func (r *Removal) Do() error {
	var all error
	for _, f := range r.Goes {
		if err := f.remove(); err != nil {
			all = errors.Join(all, fmt.Errorf("%s can't be removed: %w", f.Name, err))
		}
	}
	for _, f := range r.Goes { // of several in one folder that was made for them, the last one is gone now
		if f.Made != "" {
			removeEmpty(filepath.Dir(f.Path), f.Made)
		}
	}
	for _, folder := range r.folders {
		_ = os.Remove(folder) // one that is not empty stays
	}
	return all
}

// Text says what goes, with entries in clients before all else, and what stays. short shortens a path.
func (r *Removal) Text(entries []string, short func(string) string) string {
	goes, busy, stays := entries, []string(nil), []string(nil)
	for _, f := range r.Goes {
		goes = append(goes, f.Name+": "+short(f.Path))
	}
	for _, f := range r.Busy {
		busy = append(busy, f.Name+": "+short(f.Path))
	}
	for _, s := range r.Stays {
		stays = append(stays, short(s.Path)+": "+s.Why)
	}
	if len(goes) == 0 {
		goes = []string{"nothing"}
	}
	var text strings.Builder
	for _, part := range []struct {
		title string
		lines []string
	}{{"What goes", goes}, {"What is in use, and stays until it is not", busy}, {"What stays", stays}} {
		if len(part.lines) > 0 {
			fmt.Fprintf(&text, "%s:\n  %s\n", part.title, strings.Join(part.lines, "\n  "))
		}
	}
	return text.String() + "Not known are configurations and sandboxes elsewhere, and the files of projects.\n"
}

// InUse returns the error of a removal that servers, or a sandbox, keep from its end; again is the command
// that goes on with it.
func (r *Removal) InUse(serving []string, again problem.Command) error {
	if len(serving) == 0 {
		serving = []string{"the sandbox"}
	}
	var names []string
	for _, f := range r.Busy {
		names = append(names, f.Name)
	}
	return &problem.Error{
		Code: CodeInUse, Message: fmt.Sprintf("Not removed, since it is in use: %s.", strings.Join(names, ", ")),
		Hint: problem.Say("Close %s, then go on: %s", problem.List(serving), again),
	}
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, bad := os.Stat(b)
	return err == nil && bad == nil && os.SameFile(one, other)
}
