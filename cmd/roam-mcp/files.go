package main

import (
	"os"
	"path/filepath"

	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// ownFiles are the paths of files, which agents never upload.
func (w world) ownFiles(logFile string) (paths []string) {
	for _, each := range w.files(logFile) {
		paths = append(paths, each.Path)
	}
	return paths
}

// files are all that the program reads or writes in this world, for the setup
// program to show. A new file of any kind is entered here.
func (w world) files(logFile string) []tui.File {
	roam, port := "Roam Desktop", filepath.Join(w.home, localapi.PortFileName)
	if w.sandbox {
		roam = "The sandbox"
	}
	files := []tui.File{
		{Name: "Configuration", Path: w.config, Note: "The connected graphs with their tokens and nicknames, readable by you alone."},
		{Name: "Lock", Path: w.config + ".lock", Note: "Keeps two writers of the configuration apart. It holds nothing."},
		{Name: "Port file", Path: port, Note: roam + " writes into it on which port it listens."},
		{Name: "Official tools", Path: filepath.Join(w.home, officialName), Note: "The configuration of the official tools. It is read for the import, and never changed."},
		{Name: "Sandbox", Path: sandboxHome(), Note: "The world of --sandbox: its own port file, configuration and graphs."},
		{Name: "HTTP token", Path: w.httpToken(), Note: "What clients send to serve --http. Its first start makes it, readable by you alone."},
		{Name: "Rescued tokens", Path: rescueFolder(), Note: "A granted token that could not be saved, readable by you alone. " + w.hints().Command(problem.Run("import", "FILE")) + " takes it over."},
		{Name: "Reports of faults", Path: reportFolder(), Note: "What the setup program wrote about a fault of its own, without tokens."},
	}
	if path, err := expandHome(logFile); logFile != "" && err == nil {
		files = append(files, tui.File{Name: "Log", Path: path, Note: "What --log-file asked for; moved aside at 10 MiB."})
	}
	for i := range files {
		if path, err := filepath.Abs(files[i].Path); err == nil {
			files[i].Path = path
		}
		_, err := os.Stat(files[i].Path)
		files[i].There = err == nil
	}
	return files
}
