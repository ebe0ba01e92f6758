package main

import (
	"io/fs"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// ownFiles are the paths of files, which agents never upload.
func (w dirs) ownFiles(logFile string) (paths []string) {
	for _, each := range w.paths(logFile) {
		paths = append(paths, each.Path)
	}
	// On Windows, older builds have rescued tokens to there.
	return append(paths, filepath.Join(systemFolders().state, "roam-mcp"))
}

// files are those that the program reads or writes in this world, for the setup
// program to show.
func (w dirs) files(logFile string) []tui.File {
	files := w.paths(logFile)
	for i := range files {
		files[i].There = exists(files[i].Path)
		if files[i].Path == w.historyFolder() && files[i].There {
			files[i].Note += " It takes " + humanize.Bytes(sizeOf(files[i].Path)) + "."
		}
	}
	return files
}

// sizeOf returns the bytes of the files in a folder, as far as they can be read.
func sizeOf(folder string) (bytes uint64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += uint64(info.Size())
		}
		return nil
	})
	return bytes
}

// paths are the files with their places. A new file of any kind is entered here.
func (w dirs) paths(logFile string) []tui.File {
	roam, port := "Roam Desktop", filepath.Join(w.home, localapi.PortFileName)
	if w.sandbox {
		roam = "The sandbox"
	}
	files := []tui.File{
		{Name: "Configuration", Path: w.config, Note: "The connected graphs with their tokens and nicknames, readable by you alone.", Secret: true},
		{Name: "Lock", Path: w.config + ".lock", Note: "Keeps two writers of the configuration apart. It holds nothing."},
		{Name: "Port file", Path: port, Note: roam + " writes into it on which port it listens."},
		{Name: "Official tools", Path: filepath.Join(w.home, officialName), Note: "The configuration of the official tools. It is read for the import, and never changed."},
		{Name: "Sandbox", Path: sandboxHome(), Note: "The world of --sandbox: its own port file, configuration and graphs.", Secret: true},
		{Name: "HTTP token", Path: w.httpToken(), Note: "What clients send to serve --http. Its first start makes it, readable by you alone.", Secret: true},
		{Name: "Rescued tokens", Path: rescueFolder(), Note: "A granted token that could not be saved, readable by you alone. " + w.hints().Command(problem.Run("import", "FILE")) + " takes it over.", Secret: true},
		{Name: "Proofs", Path: w.proofLog(), Note: "Which clients were proven, and when. It holds no secret."},
		{Name: "Sorting", Path: string(w.sorting()), Note: "By which column the setup program sorts the list of graphs."},
		{Name: "History", Path: w.historyFolder(), Note: "What agents wrote, with the texts that it replaced, readable by you alone. " + w.hints().Command(problem.Run("history purge")) + " takes it away.", Secret: true},
		{Name: "Activity", Path: w.activityFolder(), Note: "Which agent called which tool when, of all servers, without texts, readable by you alone."},
		{Name: "Probes", Path: w.probeFolder(), Note: "What probes make, until it is removed, and what each graph last answered."},
		{Name: "Reports of faults", Path: reportFolder(), Note: "What the setup program wrote about a fault of its own, without tokens."},
	}
	if path, err := expandHome(logFile); logFile != "" && err == nil {
		files = append(files, tui.File{Name: "Log", Path: path, Note: "What --log-file asked for; moved aside at 10 MiB."})
	}
	for i := range files {
		if path, err := filepath.Abs(files[i].Path); err == nil {
			files[i].Path = path
		}
	}
	return files
}
