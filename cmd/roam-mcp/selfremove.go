package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox"
)

// removeOptions are the flags of self remove.
type removeOptions struct {
	dryRun, yes bool
	keep        []string
	home        string
}

func (a selfCommands) removeCommand() *cobra.Command {
	options := removeOptions{}
	command := &cobra.Command{
		Use:   "remove",
		Short: "Take this program and all that it has written off this computer",
		Long: `Remove this program from this computer: its client entries, the skills that are
unchanged, its data, the configuration with its tokens, the completions and the program
itself. It shows what goes and asks first. It asks separately about what agents wrote, the
sandbox's graphs and tokens that could not be saved.

What others wrote or changed stays, and is named. So is what is in use while servers run:
then only the entries and the skills go, and the same command goes on once the clients are
closed. With --sandbox the world of the sandbox goes, and nothing else.

It knows no configuration and no sandbox of your own choice but those of --config and
--home, no entries in the files of projects, and no exports.`,
		Example: `roam-mcp self remove --dry-run
roam-mcp self remove --keep history
roam-mcp --sandbox self remove --yes`,
		SuggestFor: []string{"uninstall", "delete"},
		Args:       arguments(0, 0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.remove(cmd.Context(), options) },
	}
	flags := command.Flags()
	flags.BoolVar(&options.dryRun, "dry-run", false, "print what would go, and change nothing")
	flags.BoolVar(&options.yes, "yes", false, "do not ask")
	flags.StringSliceVar(&options.keep, "keep", nil, "the `parts` that are to stay: history, sandbox, or both with a comma between")
	flags.StringVar(&options.home, "home", "", "also the graphs of the sandbox that had this home `folder`")
	return command
}

// parts returns the parts that are to stay.
func (o removeOptions) parts() (parts []install.Part, err error) {
	for _, word := range o.keep {
		switch word {
		case "history":
			parts = append(parts, install.History)
		case "sandbox":
			parts = append(parts, install.Sandbox)
		default:
			return nil, usageError(fmt.Errorf("--keep takes history and sandbox, not %q", word))
		}
	}
	return parts, nil
}

func (a selfCommands) remove(ctx context.Context, o removeOptions) error {
	keep, err := o.parts()
	if err != nil {
		return err
	}
	w, installer, err := clientCommands(a).installer(false)
	if err != nil {
		return err
	}
	tokens, err := w.validTokens(ctx)
	if err != nil {
		return err
	}
	serving, err := w.serving(ctx)
	if err != nil {
		return err
	}
	scope, err := a.scope(ctx, w, installer, o)
	if err != nil {
		return err
	}
	scope.Keep, scope.Serving = keep, len(serving) > 0
	removal, takings := install.Plan(scope), installer.Takings(ctx, !w.sandbox)
	var entries []string
	for _, t := range takings {
		entries = append(entries, fmt.Sprintf("the entry %s of %s: %s", problem.List(t.Names), t.Client.Name, installer.Short(t.File)))
	}
	text := removal.Text(entries, installer.Short)
	if o.dryRun {
		return a.answer("%s", text)
	}
	a.tell("%s", text)
	if err := a.agreeToRemove(ctx, &removal, o.yes); err != nil {
		return err
	}
	for _, taking := range takings {
		if err := installer.TakeOut(ctx, taking); err != nil {
			known := *problem.FromError(err)
			known.Message = fmt.Sprintf("%s still has %s, so the program and all else stays. %s", taking.Client.Name, problem.List(taking.Names), known.Message)
			return &known
		}
	}
	if err := removal.Do(); err != nil {
		return err
	}
	if len(removal.Busy) > 0 {
		return removal.InUse(serving, o.again())
	}
	return a.tellTokens(w, tokens)
}

// scope is what is removed in a world.
func (a selfCommands) scope(ctx context.Context, w dirs, installer *install.Installer, o removeOptions) (install.Scope, error) {
	s := install.Scope{Files: w.everything(ctx, installer, a.logFile), Folders: ownFolders(), Running: installer.Machine.Running}
	if w.sandbox {
		s.Files = slices.DeleteFunc(s.Files, func(f install.File) bool { return f.Part != install.Sandbox })
		s.Folders, s.Running = nil, ""
	} else {
		for _, usual := range w.configurations()[1:] {
			for _, suffix := range []string{"", ".lock"} {
				s.Files = append(s.Files, install.File{Name: "Usual configuration" + suffix, Path: usual + suffix, Part: install.Settings, Served: true})
			}
		}
	}
	home, err := expandHome(o.home)
	if err != nil || o.home == "" {
		return s, err
	}
	if home, err = filepath.Abs(home); err != nil {
		return s, err
	}
	data := filepath.Join(home, sandbox.DataFolder)
	lock := filepath.Join(data, "lock")
	s.Files = append(s.Files, install.File{Name: "Graphs of the sandbox", Path: data, Secret: true, Part: install.Sandbox, Holds: dataHolds(), Lock: lock})
	if home != w.home { // there it may be that of Roam Desktop
		s.Files = append(s.Files, install.File{Name: "Port file of the sandbox", Path: filepath.Join(home, localapi.PortFileName), Part: install.Sandbox, Lock: lock})
	}
	return s, nil
}

// configurations returns the path of this world's configuration, and that of the usual one where that is another.
func (w dirs) configurations() []string {
	return slices.Compact([]string{w.config, filepath.Join(w.home, configName)})
}

// serving names who has servers that run: of this world and, in the usual one, of the sandbox's too.
func (w dirs) serving(ctx context.Context) (who []string, err error) {
	worlds := []dirs{w}
	if !w.sandbox {
		worlds = append(worlds, dirs{home: sandboxHome(), config: filepath.Join(sandboxHome(), configName), sandbox: true})
	}
	for _, world := range worlds {
		running, err := runningServers(ctx, world.activity(slog.New(slog.DiscardHandler)))
		if err != nil {
			return nil, err
		}
		for _, server := range running {
			owners := server.Clients
			if len(owners) == 0 || server.Address != "" {
				owners = []string{fmt.Sprintf("the server in process %d", server.PID)}
			}
			who = append(who, owners...)
		}
	}
	slices.Sort(who)
	return slices.Compact(who), nil
}

// validTokens names the graphs whose tokens are in the files of this world. The error is that of files
// which a newer version of this program has written: nothing is done with those.
func (w dirs) validTokens(ctx context.Context) (graphs []string, err error) {
	var entries []configstore.Entry
	for _, path := range w.configurations() {
		config, err := configstore.New(path).Load(ctx)
		if problem.CodeOf(err) == configstore.CodeConfigTooNew {
			return nil, err
		}
		entries = append(entries, config.Entries...)
	}
	journal := w.journal(ctx, history.KindCLI, slog.New(slog.DiscardHandler))
	defer func() { _ = journal.Close(context.WithoutCancel(ctx)) }() // it was only read
	if _, err := journal.Size(ctx); problem.CodeOf(err) == history.CodeTooNew {
		return nil, err
	}
	rescued, _ := filepath.Glob(filepath.Join(rescueFolder(), "*.json")) // the pattern is well formed
	for _, path := range rescued {
		saved, _, _ := configstore.ReadOfficial(path) // none of a file that is no such
		entries = append(entries, saved...)
	}
	for _, entry := range entries {
		if name := fmt.Sprintf("%s (%s)", entry.Name, entry.Type); !entry.Token.IsZero() && !slices.Contains(graphs, name) {
			graphs = append(graphs, name)
		}
	}
	return graphs, nil
}

// agreeToRemove asks whether all that is to go, and apart for what can't be had again.
func (a selfCommands) agreeToRemove(ctx context.Context, r *install.Removal, yes bool) error {
	if yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usageError(errors.New("self remove asks before it takes anything away, and there is no terminal to ask in; give --yes"))
	}
	a.tell("Take that off this computer? [y/N] ")
	agreed, err := saidYes(ctx, a.in)
	if err == nil && !agreed {
		err = failed("Nothing was removed.", problem.Hint{})
	}
	if err != nil {
		return err
	}
	for _, each := range []struct {
		part install.Part
		what string
	}{
		{install.Rescued, "The granted tokens that could not be saved, which are nowhere else"},
		{install.History, "What agents wrote, with which it can be undone"},
		{install.Sandbox, "The graphs of the sandbox"},
	} {
		bytes, there := r.Has(each.part)
		if !there {
			continue
		}
		a.tell("%s (%s): remove that, too? [y/N] ", each.what, humanize.Bytes(uint64(bytes)))
		agreed, err := saidYes(ctx, a.in)
		if err != nil {
			return err
		}
		if !agreed {
			r.KeepPart(each.part)
		}
	}
	return nil
}

// again returns the command that goes on with a removal.
func (o removeOptions) again() problem.Command {
	command := problem.Run("self remove")
	if len(o.keep) > 0 {
		command = command.With("--keep", strings.Join(o.keep, ","))
	}
	if o.home != "" {
		command = command.With("--home", o.home)
	}
	return command
}

// tellTokens ends a removal: with the tokens that Roam still takes.
func (a selfCommands) tellTokens(w dirs, graphs []string) error {
	switch {
	case w.sandbox:
		return a.answer("The sandbox's world is gone.\n")
	case len(graphs) == 0:
		return a.answer("roam-mcp is gone.\n")
	}
	return a.answer("roam-mcp is gone. These tokens stay valid until you revoke them in Roam, for each graph in Settings > Graph > Local API Tokens:\n  %s\n", strings.Join(graphs, "\n  "))
}
