package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
	"roam-mcp/tui"
)

func (a selfCommands) installCommand() *cobra.Command {
	to, yes := "", false
	command := &cobra.Command{
		Use:   "install",
		Short: "Put this program and its completions where they are found",
		Long: `Put this program where clients and the shell find it: into ~/.local/bin, on Windows
%LOCALAPPDATA%\Programs\roam-mcp. Its completions go to where bash, zsh and fish
look for those of a user. Each file is replaced as a whole. A newer
version, another program and a link are replaced only after asking.

Then it asks whether clients that start another copy are to start this one.`,
		Example: `roam-mcp self install
roam-mcp self install --to /opt/bin --yes`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			installer, err := a.place(cmd.Context(), to, yes)
			if err != nil {
				return err
			}
			return a.repoint(cmd.Context(), installer, yes)
		},
	}
	command.Flags().StringVar(&to, "to", "", "the `folder` for the program")
	command.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return command
}

// installFolders are where things are installed for this user.
func installFolders() install.Folders {
	home, _ := os.UserHomeDir() // world has told where there is none
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		data = filepath.Join(home, ".local", "share")
	}
	return install.Folders{GOOS: runtime.GOOS, Home: home, Local: os.Getenv("LOCALAPPDATA"), Data: data}
}

// installationOf is how the program of an installer is put into a folder, or the usual one.
func installationOf(installer *install.Installer, to string) (i install.Installation, err error) {
	folders := installFolders()
	if to, err = expandHome(cmp.Or(to, folders.Programs())); err == nil {
		to, err = filepath.Abs(to)
	}
	if err != nil {
		return i, err
	}
	i = install.Installation{Running: installer.Machine.Running, Version: version(), Target: filepath.Join(to, folders.Name()), Memory: placed()}
	i.Pages, err = folders.Pages(printed)
	return i, err
}

// lasting returns an installer as it is once its program is at a path.
func lasting(installer install.Installer, path string) *install.Installer {
	installer.Note, installer.Server.Command = "", path
	installer.Machine.Program, installer.Machine.Running = path, path // the same bytes
	return &installer
}

// place puts the program into a folder, or the usual one, and returns the installer of the world with
// that copy as the program that clients start.
func (a selfCommands) place(ctx context.Context, to string, yes bool) (*install.Installer, error) {
	_, installer, err := clientCommands(a).installer(false)
	if err != nil {
		return nil, err
	}
	i, err := installationOf(installer, to)
	if err != nil {
		return nil, err
	}
	doubts, err := i.Doubts()
	if err != nil {
		return nil, err
	}
	if err := a.agreeTo(ctx, doubts, yes); err != nil {
		return nil, err
	}
	written, err := i.Do()
	if err != nil {
		return nil, err
	}
	for _, f := range written {
		if err := a.answer("%s: %s\n", f.Name, f.Path); err != nil {
			return nil, err
		}
	}
	a.tellPath(i.Target)
	return lasting(*installer, i.Target), nil
}

// placing returns what puts the program of an installer into its place for the setup program; nil where it
// stays where it is.
func placing(installer *install.Installer) func(context.Context) (tui.Clients, error) {
	if clients.IsLasting(installer.Machine.Program) {
		return nil
	}
	return func(context.Context) (tui.Clients, error) {
		i, err := installationOf(installer, "")
		if err != nil {
			return nil, err
		}
		doubts, err := i.Doubts()
		if err == nil && len(doubts) > 0 {
			err = failed(strings.Join(doubts, " "), problem.Say("%s asks whether to replace it.", problem.Run("self install").Anywhere()))
		}
		if err == nil {
			_, err = i.Do()
		}
		return lasting(*installer, i.Target), err
	}
}

// agreeTo asks whether what is in the way is to be replaced.
func (a selfCommands) agreeTo(ctx context.Context, doubts []string, yes bool) error {
	if len(doubts) == 0 || yes {
		return nil
	}
	const unchanged = "Nothing was changed."
	if !isTerminal(a.in) {
		return failed(strings.Join(doubts, " ")+" "+unchanged, problem.Say("%s replaces it.", problem.Run("self install").With("--yes").Anywhere()))
	}
	a.tell("%s\nReplace it? [y/N] ", strings.Join(doubts, "\n"))
	agreed, err := saidYes(ctx, a.in)
	if err == nil && !agreed {
		err = failed(unchanged, problem.Hint{})
	}
	return err
}

// printed returns what a command prints that makes a page of the program.
func printed(command ...string) (string, error) {
	a := &app{}
	root := a.rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd() // as when it is run
	err := root.ParseFlags(nil)
	var page strings.Builder
	switch name := strings.Join(command, " "); {
	case err != nil:
	case name == "completion bash":
		err = root.GenBashCompletionV2(&page, true)
	case name == "completion zsh":
		err = root.GenZshCompletion(&page)
	case name == "completion fish":
		err = root.GenFishCompletion(&page, true)
	default:
		err = fmt.Errorf("there is no page %q", name)
	}
	return page.String(), err
}

// tellPath says whether the shell finds the program at its place, and the line that has it found.
func (a selfCommands) tellPath(target string) {
	found, err := exec.LookPath("roam-mcp")
	switch {
	case err == nil && clients.SameFile(found, target):
		return
	case err == nil:
		a.tell("The shell finds another copy, %s.\n", found)
	default:
		a.tell("The shell does not find it yet.\n")
	}
	file, line := installFolders().PathLine(filepath.Base(os.Getenv("SHELL")), filepath.Dir(target))
	a.tell("Add to %s:\n  %s\n", file, line)
}

// repoint asks whether the clients that start other copies are to start the program of an installer.
func (a selfCommands) repoint(ctx context.Context, installer *install.Installer, yes bool) error {
	for _, other := range installer.Copies(ctx) {
		a.tell("%s: start another copy, %s.\n", strings.Join(other.IDs(), ", "), other.Path)
		agreed, err := yes, error(nil)
		if !yes && isTerminal(a.in) {
			a.tell("Have them start this one? [y/N] ")
			agreed, err = saidYes(ctx, a.in)
		} else if !yes {
			a.next(problem.Say("To have them start this one: %s", problem.Run("self install").With("--yes").Anywhere()))
		}
		if err != nil {
			return err
		}
		if !agreed {
			continue
		}
		if err := installer.Repoint(ctx, other, func(plan clients.Plan) { _ = a.answer("%s\n", tui.DoneText(installer, plan)) }); err != nil {
			return err
		}
	}
	return nil
}

// placeFirst asks, where the program would not stay where it is, whether it is to be installed before clients
// are to start it.
func (a selfCommands) placeFirst(ctx context.Context, installer *install.Installer) error {
	if clients.IsLasting(installer.Machine.Program) || !isTerminal(a.in) {
		return nil
	}
	a.tell("%s\nPut it into %s now? [y/N] ", installer.Note, installFolders().Programs())
	agreed, err := saidYes(ctx, a.in)
	if err != nil || !agreed {
		return err
	}
	placed, err := a.place(ctx, "", false)
	if err == nil {
		*installer = *lasting(*installer, placed.Machine.Program)
	}
	return err
}
