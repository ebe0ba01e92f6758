package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
)

// selfCommands are the commands about this program.
type selfCommands struct{ *app }

func (a selfCommands) selfCommand() *cobra.Command {
	asJSON := false
	command := &cobra.Command{
		Use:   "self",
		Short: "Tell which program this is, and where it and its files are",
		Long: `Tell which program this is: its version, where it is, whether the shell finds it,
which other copies clients start, and which servers run that are of another version.`,
		Example: "roam-mcp self\nroam-mcp self install\nroam-mcp self remove --dry-run",
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.self(cmd.Context(), asJSON) },
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.AddCommand(a.filesCommand(), a.installCommand(), a.removeCommand())
	return command
}

func (a selfCommands) filesCommand() *cobra.Command {
	asJSON := false
	command := &cobra.Command{
		Use:     "files",
		Short:   "List every file that it reads or writes, with its size",
		Example: "roam-mcp self files\nroam-mcp --sandbox self files",
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.files(cmd.Context(), asJSON) },
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// aboutSelf is what is known of this program.
type aboutSelf struct {
	Version  string       `json:"version"`
	Commit   string       `json:"commit,omitempty"`
	Date     string       `json:"date,omitempty"` // of the commit
	Modified bool         `json:"modified,omitempty"`
	Go       string       `json:"go"`
	Path     string       `json:"path"`
	InPath   bool         `json:"inPath"`             // the shell finds it by its name
	PathHas  string       `json:"pathHas,omitempty"`  // which other one the shell finds
	Copies   []otherCopy  `json:"copies,omitempty"`   // that clients start
	Servers  []otherServe `json:"servers,omitempty"`  // that run, of another version
	Fleeting bool         `json:"fleeting,omitempty"` // it is in a folder that is emptied
}

// otherCopy is another copy of this program that clients start.
type otherCopy struct {
	Path    string   `json:"path"`
	Clients []string `json:"clients"` // IDs
}

// otherServe is a server of another version that runs.
type otherServe struct {
	PID     int      `json:"pid"`
	Version string   `json:"version"`
	Clients []string `json:"clients,omitempty"` // by the names that they give themselves
}

func (a selfCommands) self(ctx context.Context, asJSON bool) error {
	w, installer, err := clientCommands(a).installer(false)
	if err != nil {
		return err
	}
	log, err := a.logger()
	if err != nil {
		return err
	}
	about := builtFrom()
	about.Path, _ = clients.OwnProgram(os.Args[0])
	about.Fleeting = !clients.IsLasting(about.Path)
	if found, err := exec.LookPath("roam-mcp"); err == nil {
		if about.InPath = clients.SameFile(found, about.Path); !about.InPath {
			about.PathHas = found
		}
	}
	for _, other := range installer.Copies(ctx) {
		about.Copies = append(about.Copies, otherCopy{other.Path, other.IDs()})
	}
	if about.Servers, err = otherServers(ctx, w, log); err != nil {
		return err
	}
	if asJSON {
		return a.answerJSON(about)
	}
	return a.printSelf(about)
}

// otherServers returns the servers of other versions that run.
func otherServers(ctx context.Context, w dirs, log *slog.Logger) (others []otherServe, err error) {
	running, err := runningServers(ctx, w.activity(log))
	for _, server := range running {
		if server.Version != version() {
			others = append(others, otherServe{server.PID, server.Version, server.Clients})
		}
	}
	return others, err
}

// selfTodo says in a sentence what is to be done about this program: clients start another copy, or
// a server of another version runs. "" where that is nothing.
func selfTodo(ctx context.Context, w dirs, installer *install.Installer) string {
	for _, other := range installer.Copies(ctx) {
		return w.hints().Say(problem.Say("%s: start another copy, %s. %s has them start this version.", strings.Join(other.Names(), ", "), installer.Short(other.Path), problem.Run("self install").Anywhere()))
	}
	others, _ := otherServers(ctx, w, slog.New(slog.DiscardHandler)) // Doctor says where they can't be listed
	for _, server := range others {
		return fmt.Sprintf("Restart %s: its server runs version %s; this is %s.", cmp.Or(strings.Join(server.Clients, ", "), "what has started process "+strconv.Itoa(server.PID)), server.Version, version())
	}
	return ""
}

// builtFrom returns what the build says of itself.
func builtFrom() aboutSelf {
	built := install.ParseRelease(release)
	about := aboutSelf{Version: version(), Go: runtime.Version(), Commit: built.Commit, Date: built.Date}
	info, ok := debug.ReadBuildInfo()
	if !ok || release != "" {
		return about
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			about.Commit = setting.Value
		case "vcs.time":
			about.Date = setting.Value
		case "vcs.modified":
			about.Modified = setting.Value == "true"
		}
	}
	return about
}

// String returns the version and what it was built from.
func (s aboutSelf) String() string {
	built := s.Go
	if s.Commit != "" {
		built = fmt.Sprintf("commit %.12s of %s, %s", s.Commit, dayOf(s.Date), s.Go)
	}
	return fmt.Sprintf("roam-mcp %s (%s)", s.Version, built)
}

func (a selfCommands) printSelf(about aboutSelf) error {
	found := "not on PATH"
	switch {
	case about.InPath:
		found = "on PATH"
	case about.PathHas != "":
		found = "not on PATH, where " + about.PathHas + " is"
	}
	if err := a.answer("%s\n%s, %s\n", about, about.Path, found); err != nil {
		return err
	}
	if about.Fleeting {
		a.next(problem.Say("It will not stay where it is. Put it into its place before a client is to start it: %s", problem.Run("self install").Anywhere()))
	}
	for _, other := range about.Copies {
		a.next(problem.Say("%s: start another copy, %s.", strings.Join(other.Clients, ", "), other.Path).Then("To have them start this version: %s", problem.Run("self install").Anywhere()))
	}
	for _, server := range about.Servers {
		a.tell("A server of version %s runs (process %d, %s). Its client starts this one when it is started again.\n",
			server.Version, server.PID, cmp.Or(strings.Join(server.Clients, ", "), "no client yet"))
	}
	return nil
}

// dayOf returns the day of a time as builds write it.
func dayOf(text string) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.Format(time.DateOnly)
	}
	return text
}

// ownFile is a file or folder of this program.
type ownFile struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	For    string `json:"for"`
	There  bool   `json:"there"`
	Bytes  uint64 `json:"bytes"`
	Secret bool   `json:"secret"` // it holds tokens, or texts of notes
}

func (a selfCommands) files(ctx context.Context, asJSON bool) error {
	w, installer, err := clientCommands(a).installer(false)
	if err != nil {
		return err
	}
	var all []ownFile
	for _, each := range w.everything(ctx, installer, a.logFile) {
		file := ownFile{Name: each.Name, Path: each.Path, For: each.Note, There: exists(each.Path), Secret: each.Secret}
		if file.There {
			file.Bytes = sizeOf(each.Path)
		}
		all = append(all, file)
	}
	if asJSON {
		return a.answerJSON(map[string]any{"files": all})
	}
	table := a.table()
	fmt.Fprintln(table, "FILE\tSIZE\tSECRET\tPATH")
	for _, file := range all {
		size, secret := "-", ""
		if file.There {
			size = humanize.Bytes(file.Bytes)
		}
		if file.Secret {
			secret = "secret"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", file.Name, size, secret, file.Path)
	}
	return table.Flush()
}
