package main

import (
	"context"
	"io/fs"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox"
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
// program to show. An installer says what is in the folders of clients.
func (w dirs) files(ctx context.Context, installer *install.Installer, logFile string) []tui.File {
	files := w.paths(logFile)
	for _, f := range w.everything(ctx, installer, logFile)[len(files):] {
		files = append(files, tui.File{Name: f.Name, Path: f.Path, Note: f.Note})
	}
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

// paths are the files with their places, but for those in the folders of clients.
func (w dirs) paths(logFile string) (all []tui.File) {
	for _, f := range w.written(logFile) {
		all = append(all, tui.File{Name: f.Name, Path: f.Path, Note: f.Note, Secret: f.Secret})
	}
	return all
}

// written are the files of this world. A new file of any kind is entered here.
func (w dirs) written(logFile string) []install.File {
	roam, port := "Roam Desktop", filepath.Join(w.home, localapi.PortFileName)
	if w.sandbox {
		roam = "The sandbox"
	}
	purge, take := w.hints().Command(problem.Run("history purge")), w.hints().Command(problem.Run("import", "FILE"))
	all := []install.File{
		{Name: "Configuration", Path: w.config, Note: "The connected graphs with their tokens and nicknames, readable by you alone.", Secret: true, Part: install.Settings, Served: true},
		{Name: "Lock", Path: w.config + ".lock", Note: "Keeps two writers of the configuration apart. It holds nothing.", Part: install.Settings, Served: true},
		{Name: "Port file", Path: port, Note: roam + " writes into it on which port it listens."},
		{Name: "Official tools", Path: filepath.Join(w.home, officialName), Note: "The configuration of the official tools. It is read for the import, and never changed."},
		{Name: "Sandbox", Path: sandboxHome(), Note: "The world of --sandbox: its own port file, configuration and graphs.", Secret: true, Part: install.Sandbox, Holds: sandboxHolds(), Made: filepath.Dir(sandboxHome()), Lock: filepath.Join(sandboxHome(), sandbox.DataFolder, "lock")},
		{Name: "HTTP token", Path: w.httpToken(), Note: "What clients send to serve --http. Its first start makes it, readable by you alone.", Secret: true, Part: install.State, Served: true},
		{Name: "HTTP token's lock", Path: w.httpToken() + ".lock", Note: "Keeps two servers that make the token apart. It holds nothing.", Part: install.State, Served: true},
		{Name: "Rescued tokens", Path: rescueFolder(), Note: "A granted token that could not be saved, readable by you alone. " + take + " takes it over.", Secret: true, Part: install.Rescued, Holds: []string{"roam-mcp-rescued-*.json"}},
		{Name: "Proofs", Path: w.proofLog(), Note: "Which clients were proven, and when. It holds no secret.", Part: install.State},
		{Name: "Sorting", Path: string(w.sorting()), Note: "By which column the setup program sorts the list of graphs.", Part: install.State},
		{Name: "History", Path: w.historyFolder(), Note: "What agents wrote, with the texts that it replaced, readable by you alone. " + purge + " takes it away.", Secret: true, Part: install.History, Served: true, Holds: historyHolds()},
		{Name: "Activity", Path: w.activityFolder(), Note: "Which agent called which tool when, of all servers, without texts, readable by you alone.", Part: install.State, Served: true, Holds: activityHolds()},
		{Name: "Reports of faults", Path: reportFolder(), Note: "What the setup program wrote about a fault of its own, without tokens.", Part: install.State, Holds: []string{"roam-mcp-report-*.txt"}},
		{Name: "Places", Path: string(placed()), Note: "Where self install and skill --install have put files, for self remove.", Part: install.Memory, Served: true},
	}
	if path, err := expandHome(logFile); logFile != "" && err == nil {
		all = append(all, install.File{Name: "Log", Path: path, Note: "What --log-file asked for; moved aside at 10 MiB.", Part: install.State, Served: true})
		all = append(all, olderLogs(path)...)
	}
	for i := range all {
		if path, err := filepath.Abs(all[i].Path); err == nil {
			all[i].Path = path
		}
	}
	return all
}

// olderLogs are the log files that were moved aside, and their lock.
func olderLogs(logFile string) (all []install.File) {
	older, _ := filepath.Glob(logFile + ".[0-9]") // a path with signs of a pattern has none
	for _, path := range append(older, logFile+".lock") {
		if exists(path) {
			all = append(all, install.File{Name: "Log" + filepath.Ext(path), Path: path, Note: "Of the log, which is moved aside at 10 MiB.", Part: install.State, Served: true})
		}
	}
	return all
}

// The files in the folders of this program, as patterns.
func historyHolds() []string {
	return []string{"journal*.db", "journal*.db-*", "filler", "holder", "numbers", "*.lock", "servers/*.lock"}
}
func activityHolds() []string { return []string{"*.jsonl", "*.lock"} }

// dataHolds are the files in the folder of a sandbox's graphs.
func dataHolds() []string {
	return []string{"*.sqlite", "*.sqlite-*", "*.sqlite.new*", "*.files/*", "key", "lock", "tokens.json"}
}

// sandboxHolds are the files in the home folder of the sandbox's world.
func sandboxHolds() []string {
	all := []string{localapi.PortFileName, configName, configName + ".lock", "http-token", "http-token.lock", "proofs.json", "sorting"}
	for folder, holds := range map[string][]string{sandbox.DataFolder: dataHolds(), "history": historyHolds(), "activity": activityHolds()} {
		for _, pattern := range holds {
			all = append(all, folder+"/"+pattern)
		}
	}
	return all
}

// everything are the files of this world, with those that are in folders of others.
func (w dirs) everything(ctx context.Context, installer *install.Installer, logFile string) []install.File {
	all := append(w.written(logFile), placed().Files()...)
	for _, status := range installer.Look(ctx) {
		var names []string
		for _, entry := range status.Ours() {
			names = append(names, entry.Name)
		}
		if len(names) > 0 {
			all = append(all, install.File{Name: status.Client.Name, Path: status.File, Note: "Its own file, in which " + problem.List(names) + " starts this program.", Part: install.Entries})
		}
		if backup := status.File + clients.BackupSuffix; status.File != "" && exists(backup) {
			all = append(all, install.File{Name: status.Client.Name + ", before", Path: backup, Note: "What the file was before its first entry of roam-mcp.", Part: install.Skills})
		}
	}
	return all
}
