package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/adrg/xdg"

	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/files"
	"roam-mcp/internal/journal/history"
)

// folders are where a system has the files of its user.
type folders struct {
	goos        string // as runtime.GOOS
	home        string
	data, state string // of the XDG Base Directory specification
}

// systemFolders returns those of this system and user.
func systemFolders() folders {
	home, _ := os.UserHomeDir() // world has told where there is none
	return folders{goos: runtime.GOOS, home: home, data: xdg.DataHome, state: xdg.StateHome}
}

// own returns the folder of the program below one of data and state. On Windows it is in
// the home folder, since both are below AppData there: what a client of the Microsoft
// Store starts has all that it writes below AppData in a folder of that client's own, so
// that no other program would find it.
func (f folders) own(xdgFolder string) string {
	if f.goos == "windows" {
		return filepath.Join(f.home, ".roam-mcp")
	}
	return filepath.Join(xdgFolder, "roam-mcp")
}

// found returns the path of a file of own. One that an older build has made below
// AppData stays where it is.
func (f folders) found(xdgFolder, name string, exists func(path string) bool) string {
	path := filepath.Join(f.own(xdgFolder), name)
	if former := filepath.Join(xdgFolder, "roam-mcp", name); !exists(path) && exists(former) {
		return former
	}
	return path
}

func (f folders) sandboxHome(exists func(string) bool) string {
	return f.found(f.data, "sandbox", exists)
}
func (f folders) httpToken(exists func(string) bool) string {
	return f.found(f.state, "http-token", exists)
}
func (f folders) rescued() string  { return filepath.Join(f.own(f.state), "rescued") }
func (f folders) reports() string  { return filepath.Join(f.own(f.state), "reports") }
func (f folders) proofs() string   { return filepath.Join(f.own(f.state), "proofs.json") }
func (f folders) placed() string   { return filepath.Join(f.own(f.state), "placed.json") }
func (f folders) sorting() string  { return filepath.Join(f.own(f.state), "sorting") }
func (f folders) activity() string { return filepath.Join(f.own(f.state), "activity") }
func (f folders) history() string  { return history.Folder(f.goos, f.home, f.state) }

// sandboxHistory returns the folder of the journal of a sandbox with that home.
func (f folders) sandboxHistory(home string) string {
	if f.goos == "windows" && home == filepath.Join(f.data, "roam-mcp", "sandbox") {
		home = filepath.Join(f.own(f.data), "sandbox")
	}
	return filepath.Join(home, "history")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func sandboxHome() string { return systemFolders().sandboxHome(exists) }

// rescueFolder is where a granted token goes that could not be saved.
func rescueFolder() string { return systemFolders().rescued() }

// reportFolder is where the setup program tells of a fault of its own.
func reportFolder() string { return systemFolders().reports() }

// placed is the file that remembers what was put into folders of others.
func placed() install.Placed { return install.Placed(systemFolders().placed()) }

// ownFolders are those that hold nothing but files of this program.
func ownFolders() []string {
	f := systemFolders()
	return slices.Compact([]string{f.own(f.state), f.own(f.data)})
}

// httpToken is where the token of the HTTP endpoint is stored.
func (w dirs) httpToken() string {
	if w.sandbox {
		return filepath.Join(w.home, "http-token")
	}
	return systemFolders().httpToken(exists)
}

// proofLog is the file that remembers which clients were proven.
func (w dirs) proofLog() string {
	if w.sandbox {
		return filepath.Join(w.home, "proofs.json")
	}
	return systemFolders().proofs()
}

// sorting is the file that remembers how the list of graphs is sorted.
func (w dirs) sorting() files.Line {
	if w.sandbox {
		return files.Line(filepath.Join(w.home, "sorting"))
	}
	return files.Line(systemFolders().sorting())
}

// activityFolder is where servers tell each other's programs what they do.
func (w dirs) activityFolder() string {
	if w.sandbox {
		return filepath.Join(filepath.Dir(w.historyFolder()), "activity")
	}
	return systemFolders().activity()
}

// historyFolder is where the journal of writes is.
func (w dirs) historyFolder() string {
	if w.sandbox {
		return systemFolders().sandboxHistory(w.home)
	}
	return systemFolders().history()
}
