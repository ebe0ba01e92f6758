package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/tui"
)

func (a graphCommands) enableCommand() *cobra.Command {
	return &cobra.Command{
		Use: "enable NICKNAME", Short: "Let agents use a graph again", Args: arguments(1, 1),
		Example: "roam-mcp enable Work",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.setDisabled(cmd, args[0], false) },
	}
}

func (a graphCommands) disableCommand() *cobra.Command {
	return &cobra.Command{
		Use: "disable NICKNAME", Short: "Keep a graph, but let no agent use it", Args: arguments(1, 1),
		Example: "roam-mcp disable Work",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.setDisabled(cmd, args[0], true) },
	}
}

func (a graphCommands) setDisabled(cmd *cobra.Command, nickname string, disabled bool) error {
	w, graphs, config, err := a.load(cmd.Context())
	if err != nil {
		return err
	}
	if err := graphs.SetDisabled(cmd.Context(), nickname, disabled); err != nil {
		return manage.Meant(err, nickname, config)
	}
	if disabled {
		if err := a.answer("%s is disabled. Running servers refuse it from now on.\n", nickname); err != nil {
			return err
		}
		a.tellWithout(cmd.Context(), w, nickname)
		a.next(problem.Say("To let agents use it again: %s.", problem.Run("enable", nickname)))
		return nil
	}
	return a.answer("%s is enabled. Running servers serve it from now on.\n", nickname)
}

func (a graphCommands) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rename NICKNAME NEW", Short: "Give a graph another nickname", Args: arguments(2, 2),
		Long: `Give a graph another nickname. The entries of MCP clients that name it are changed
with it: in a terminal it shows what changes in their files and asks first.`,
		Example:    `roam-mcp rename Work "Work notes"`,
		SuggestFor: []string{"mv"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.rename(cmd.Context(), args[0], args[1])
		},
	}
}

// rename renames a graph, and has the entries of clients that name it follow.
func (a graphCommands) rename(ctx context.Context, from, to string) error {
	w, graphs, config, err := a.load(ctx)
	if err != nil {
		return err
	}
	if entry, ok := config.Find(from); ok {
		from = entry.Nickname
	}
	if err := graphs.Rename(ctx, from, to); err != nil {
		return manage.Meant(err, from, config)
	}
	to = strings.TrimSpace(to)
	if err := a.answer("%s is now called %s.\n", from, to); err != nil {
		return err
	}
	installer, err := w.installer()
	if err != nil {
		return nil // without a home there are no clients
	}
	plans, err := installer.PlanRename(ctx, from, to)
	for _, plan := range plans {
		if plan.Way == clients.ByText {
			a.tell("%s", tui.PastedText(plan))
			continue
		}
		if !isTerminal(a.in) {
			a.tell("%s", tui.PlannedText(installer, a.hints.Shell, plan))
		}
		applied := clientCommands(a).confirm(ctx, installer, plan, false)
		if applied == nil {
			applied = installer.Apply(ctx, plan)
		}
		if applied == nil {
			applied = a.answer("%s: its entry %s names it so, too.\n", plan.Client.Name, plan.Server.Name)
		}
		err = errors.Join(err, applied)
	}
	return err
}

// tellWithout says which clients name a graph that agents can't reach any more.
func (a graphCommands) tellWithout(ctx context.Context, w dirs, nickname string) {
	installer, err := w.installer()
	if err != nil {
		return
	}
	for _, sentence := range installer.Without(ctx, nickname) {
		a.tell("%s\n", sentence)
	}
}

func (a graphCommands) removeCommand() *cobra.Command {
	var yes bool
	command := &cobra.Command{
		Use: "remove NICKNAME", Short: "Forget a graph and its token", Args: arguments(1, 1),
		Long: `Forget a graph and its token, after asking. The token stays valid in Roam until you
revoke it there: Settings > Graph > Local API Tokens.`,
		Example:    "roam-mcp remove Work",
		SuggestFor: []string{"delete", "disconnect", "forget", "rm"},
		RunE:       func(cmd *cobra.Command, args []string) error { return a.remove(cmd, args[0], yes) },
	}
	command.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return command
}

func (a graphCommands) remove(cmd *cobra.Command, nickname string, yes bool) error {
	w, graphs, config, err := a.load(cmd.Context())
	if err != nil {
		return err
	}
	entry, found := config.FindAny(nickname)
	if found && !yes {
		if !isTerminal(a.in) {
			return usageError(errors.New("remove asks before it forgets a token, and there is no terminal to ask in; give --yes"))
		}
		a.tell("Remove %s (%s) and forget its token? [y/N] ", entry.Nickname, entry.Name)
		yes, err := saidYes(cmd.Context(), a.in)
		if err != nil {
			return err
		}
		if !yes {
			return failed("Nothing was removed.", problem.Hint{})
		}
	}
	if found {
		nickname = entry.Nickname
	}
	if _, err := graphs.Remove(cmd.Context(), nickname); err != nil {
		return manage.Meant(err, nickname, config)
	}
	defer a.tellWithout(cmd.Context(), w, nickname)
	if found && entry.Token.IsZero() {
		return a.answer("%s is removed. It had no token.\n", nickname)
	}
	return a.answer("%s is removed.\nIts token stays valid in Roam until you revoke it there: Settings > Graph > Local API Tokens.\n", nickname)
}

// saidYes reads one line; anything but a clear yes is a no, the end of the input
// too.
func saidYes(ctx context.Context, in io.Reader) (bool, error) {
	line, err := typed(ctx, in, readLine)
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", err
}

func (a graphCommands) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import [FILE]",
		Short: "Take over the graphs of the official tools",
		Long: `Take over the graphs that Roam's official tools have connected, from
~/.roam-tools.json or from FILE. That file is read and never changed. A token
that roam-mcp could not save and put into a file of its own is taken over the
same way, and that file is removed then. A graph whose token Roam calls revoked is
left out; while Roam is away nothing is checked.`,
		Example: `roam-mcp import
roam-mcp import ~/old-machine/.roam-tools.json`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.world()
			if err != nil {
				return err
			}
			path := filepath.Join(w.home, officialName)
			if len(args) == 1 {
				if path, err = expandHome(args[0]); err != nil {
					return err
				}
			}
			return a.importFrom(cmd, w, path)
		},
	}
}

// removeRescued removes a file whose token was taken over, if it is one of those in which
// this program keeps tokens that it could not save.
func removeRescued(path string) error {
	path, err := filepath.Abs(path)
	if err != nil || filepath.Dir(path) != rescueFolder() || !configstore.IsRescue(filepath.Base(path)) {
		return nil
	}
	return os.Remove(path)
}

func (a graphCommands) importFrom(cmd *cobra.Command, w dirs, path string) error {
	result, problems, err := w.graphs().ImportFile(cmd.Context(), path)
	a.tellProblems(problems)
	if err != nil {
		return err
	}
	for _, added := range result.Added {
		note := ""
		if added.FormerNickname != "" {
			note = " (the nickname " + added.FormerNickname + " could not be kept)"
		}
		if err := a.answer("Imported %s as %s%s.\n", added.Entry.Name, added.Entry.Nickname, note); err != nil {
			return err
		}
	}
	for _, renewed := range result.Renewed {
		if err := a.answer("%s, connected as %s, has the token of %s now.\n", renewed.Name, renewed.Nickname, path); err != nil {
			return err
		}
	}
	for _, present := range result.Present {
		if err := a.answer("%s is connected already, as %s.\n", present.Name, present.Nickname); err != nil {
			return err
		}
	}
	for _, skipped := range result.Skipped {
		a.tell("%s was not imported. %s\n", skipped.Entry.Name, skipped.Reason)
	}
	if len(result.Skipped)+len(problems) == 0 {
		if err := removeRescued(path); err != nil {
			return err
		}
	}
	if len(result.Added)+len(result.Renewed)+len(result.Present)+len(result.Skipped) == 0 {
		return a.answer("%s holds no graphs.\n", path)
	}
	if len(result.Added) > 0 {
		a.next(toClients())
	}
	return nil
}
