package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

// installOptions are the flags of install and uninstall.
type installOptions struct {
	choice   clients.Choice
	project  bool
	editFile bool
	print    bool
	dryRun   bool
	yes      bool
	noProof  bool
	entry    string
}

func (a clientCommands) installCommand() *cobra.Command {
	options := installOptions{}
	command := &cobra.Command{
		Use:   "install CLIENT…",
		Short: "Give MCP clients an entry of roam-mcp, and prove that it works",
		Long: `Give MCP clients an entry of roam-mcp: by the client's own command if it has one,
else in its file. Nothing but the entry changes there, and a backup is kept beside the
file. In a terminal it shows the changes and asks first. Goose, Continue, Grok Build and
Mistral Vibe keep YAML or TOML files: for these it prints the text to paste, and where.

Then the command is started as it stands in the client's file, as the client would
start it, and a harmless call is made on each graph. A client is proven where one graph
answers; what keeps others from it is said at the end, and is no failure.

No token is written: the entry has the path of this program and what is chosen here.`,
		Example: `roam-mcp install claude-code
roam-mcp install cursor zed --read-only
# What would change, and what to paste by hand
roam-mcp install cursor --dry-run
roam-mcp install cursor --print
# One graph with the tools of another profile, in an entry of its own
roam-mcp install claude-desktop --profile notes --graph Work
# For the project in this folder alone
roam-mcp install vscode --project`,
		SuggestFor: []string{"setup", "configure", "connect-client", "register"},
		Args:       arguments(0, mostClients),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.nameClients(cmd.Context(), "install", options.project, false)
			}
			return a.install(cmd.Context(), args, options)
		},
	}
	a.tellLists(command, func() []helpList { return append(clientList(), profileAndToolsetLists()...) })
	flags := command.Flags()
	flags.StringVar(&options.choice.Profile, "profile", "", "`name` of the tool surface (default "+mcpserve.DefaultProfile+"; see above)")
	flags.StringSliceVar(&options.choice.Graphs, "graph", nil, "serve only the graph with this `nickname`; may be repeated")
	flags.BoolVar(&options.choice.ReadOnly, "read-only", false, "offer no tool that changes anything")
	flags.StringSliceVar(&options.choice.Toolsets, "toolsets", nil, "`names` of the toolsets to offer, with commas between, or all (see above)")
	flags.StringVar(&options.choice.APIVersion, "api-version", "", "for a Roam with this `version` of the Local API, such as 0.0.9, or any, at your own risk")
	flags.StringVar(&options.entry, "entry", "", "`name` of the entry in the client's file (default "+entryName+", with a profile "+entryName+"-PROFILE)")
	flags.BoolVar(&options.project, "project", false, "write the file of the project in this folder instead of yours")
	flags.BoolVar(&options.editFile, "edit-file", false, "edit the file also where the client has a command of its own for it")
	flags.BoolVar(&options.print, "print", false, "print what to paste, and change nothing")
	flags.BoolVar(&options.dryRun, "dry-run", false, "print what would change, and change nothing")
	flags.BoolVar(&options.yes, "yes", false, "do not ask")
	flags.BoolVar(&options.noProof, "no-proof", false, "do not start the server to prove that it works")
	return command
}

func (a clientCommands) uninstallCommand() *cobra.Command {
	options, all := installOptions{}, false
	command := &cobra.Command{
		Use:   "uninstall [CLIENT…]",
		Short: "Take the entries of roam-mcp out of MCP clients",
		Long: `Take the entries of roam-mcp out of MCP clients. A file in which nothing else has
changed since is as it was before, byte for byte. In a terminal it shows what
changes and asks first. Connected graphs stay connected.`,
		Example: `roam-mcp uninstall claude-code
# Every entry of roam-mcp
roam-mcp uninstall --all
# The entry of one profile
roam-mcp uninstall claude-desktop --profile notes
roam-mcp uninstall cursor --dry-run`,
		SuggestFor: []string{"unconfigure", "unregister"},
		Args:       arguments(0, mostClients),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return usageError(errors.New("--all takes all clients, so none can be named"))
			case all:
				return a.uninstallAll(cmd.Context(), options)
			case len(args) == 0:
				return a.nameClients(cmd.Context(), "uninstall", options.project, true)
			}
			return a.uninstall(cmd.Context(), args, options)
		},
		ValidArgsFunction: a.completeEntries,
	}
	a.tellLists(command, clientList)
	flags := command.Flags()
	flags.BoolVar(&all, "all", false, "from every client that has one")
	flags.StringVar(&options.choice.Profile, "profile", "", "only the entry of the profile with this `name`")
	flags.StringVar(&options.entry, "entry", "", "only the entry of this `name`")
	flags.BoolVar(&options.project, "project", false, "from the file of the project in this folder instead of yours")
	flags.BoolVar(&options.editFile, "edit-file", false, "edit the file also where the client has a command of its own for it")
	flags.BoolVar(&options.dryRun, "dry-run", false, "print what would change, and change nothing")
	flags.BoolVar(&options.yes, "yes", false, "do not ask")
	return command
}

// mostClients are as many as one command takes.
const mostClients = 100

// clientsNamed returns the world, its installer as the flags have it, and the clients of those
// names.
func (a clientCommands) clientsNamed(names []string, o installOptions) (dirs, *install.Installer, []clients.Client, error) {
	w, installer, err := a.installer(o.project)
	if err != nil {
		return dirs{}, nil, nil, err
	}
	installer.Options.File, installer.EntryName = o.editFile, o.entry
	all, err := install.Find(names)
	return w, installer, all, err
}

func (a clientCommands) install(ctx context.Context, names []string, o installOptions) error {
	w, installer, all, err := a.clientsNamed(names, o)
	if err != nil {
		return err
	}
	if o.print && o.dryRun {
		return usageError(errors.New("--print and --dry-run can't be given together"))
	}
	if err := w.checkChoice(ctx, o.choice); err != nil {
		return err
	}
	if o.choice.APIVersion != "" && localapi.CheckVersion(o.choice.APIVersion) != nil {
		return usageError(fmt.Errorf("--api-version: %w", localapi.CheckVersion(o.choice.APIVersion)))
	}
	if !o.print && !o.dryRun && !o.yes {
		if err := (selfCommands(a)).placeFirst(ctx, installer); err != nil {
			return err
		}
	}
	if installer.Note != "" {
		a.tell("%s\n", installer.Note)
	}
	var proven []install.Proof
	err = a.onEach(ctx, all, func(client clients.Client) error {
		plan, err := installer.Plan(ctx, client.ID, o.choice)
		switch {
		case o.print && plan.Text != "":
			return a.answer("%s", tui.PastedText(plan))
		case err != nil:
			if plan.Text != "" {
				a.tell("%s", tui.PastedText(plan))
			}
			return err
		case o.dryRun:
			return a.answer("%s", tui.PlannedText(installer, a.hints.Shell, plan))
		}
		result, err := a.installOne(ctx, installer, client, plan, o)
		if err == nil {
			proven = append(proven, result)
		}
		return err
	})
	for _, sentence := range (tui.Wording{World: a.hints}).Silent(proven...) {
		a.tell("%s\n", kit.Unwrapped(sentence))
	}
	return err
}

// installOne carries out a plan, after asking, and proves it. The result is empty where
// nothing is to be proven.
func (a clientCommands) installOne(ctx context.Context, installer *install.Installer, client clients.Client, plan clients.Plan, o installOptions) (result install.Proof, err error) {
	switch plan.Way {
	case clients.ByText:
		return result, a.answer("%s", tui.PastedText(plan))
	case clients.ByLink:
		return result, a.openLink(ctx, installer, plan, o.yes)
	case clients.ByCommand, clients.ByFile:
	}
	if plan, err = a.askToKeep(ctx, installer, plan, o); err != nil {
		return result, err
	}
	if plan.Unchanged {
		err = a.answer("%s has it already.\n", client.Name)
		if plan.Note != "" {
			a.tell("%s\n", plan.Note)
		}
	} else {
		err = a.writeEntry(ctx, installer, plan, o.yes)
	}
	if err != nil {
		return result, err
	}
	if !o.noProof {
		result, err = a.prove(ctx, installer, plan, o.yes)
	}
	if client.AfterWrite != "" && !plan.Unchanged {
		a.tell("%s\n", client.AfterWrite)
	}
	if err != nil {
		return result, install.Unproven(result, err)
	}
	if client.Ask != "" {
		a.tell("Next: %s\n", client.Ask)
	}
	return result, nil
}

// writeEntry carries out a plan, after asking.
func (a clientCommands) writeEntry(ctx context.Context, installer *install.Installer, plan clients.Plan, yes bool) error {
	if err := a.keepOther(installer, plan, yes); err != nil {
		return err
	}
	if err := a.confirm(ctx, installer, plan, yes); err != nil {
		return err
	}
	if err := installer.Apply(ctx, plan); err != nil {
		return err
	}
	return a.answer("%s\n", tui.DoneText(installer, plan))
}

// askToKeep asks, where an entry in a project's file has more than roam-mcp writes, whether
// that is to stay: others write such a file. Without a terminal, and with --yes, it goes.
func (a clientCommands) askToKeep(ctx context.Context, installer *install.Installer, plan clients.Plan, o installOptions) (clients.Plan, error) {
	if !plan.Drops || o.yes || !isTerminal(a.in) {
		return plan, nil
	}
	a.tell("The entry %s in %s also has:\n", plan.Server.Name, installer.Short(plan.File))
	for _, extra := range plan.Extras {
		a.tell("  %s %s\n", extra.Key, extra.Value)
	}
	a.tell("Keep that? [y/N] ")
	keep, err := saidYes(ctx, a.in)
	if err != nil || !keep {
		return plan, err
	}
	installer.Options.Keep = true
	defer func() { installer.Options.Keep = false }()
	return installer.Plan(ctx, plan.Client.ID, o.choice)
}

// prove proves the entry of a plan. What is not this program alone is shown, and started
// only after a yes.
func (a clientCommands) prove(ctx context.Context, installer *install.Installer, plan clients.Plan, yes bool) (install.Proof, error) {
	agreed := false
	l, err := installer.Launch(ctx, plan.Client.ID, plan.Server.Name)
	if err == nil && l.Doubt != "" && !l.Never && !yes && isTerminal(a.in) {
		a.tell("%s\nStart it to prove that it works? [y/N] ", l.Doubt)
		if agreed, err = saidYes(ctx, a.in); err != nil {
			return install.Proof{}, err
		}
	}
	return installer.Prove(ctx, plan.Client.ID, plan.Server.Name, agreed, a.tellStep())
}

// openLink opens the link of a plan, after asking. What the person answers in the client is
// not known, so nothing is proven.
func (a clientCommands) openLink(ctx context.Context, installer *install.Installer, plan clients.Plan, yes bool) error {
	if err := a.confirm(ctx, installer, plan, yes); err != nil {
		return err
	}
	if err := installer.Apply(ctx, plan); err != nil {
		a.tell("%s", tui.PastedText(plan))
		return err
	}
	if err := a.answer("The link is open. Agree in %s.\n", plan.Client.Name); err != nil {
		return err
	}
	if plan.Client.Ask != "" {
		a.tell("Next: %s\n", plan.Client.Ask)
	}
	return nil
}

// uninstallAll takes the entries out of every client that has one.
func (a clientCommands) uninstallAll(ctx context.Context, o installOptions) error {
	_, installer, err := a.installer(o.project)
	if err != nil {
		return err
	}
	ids := idsOf(clientsHere(ctx, installer, true))
	if len(ids) == 0 {
		return a.answer("No client has an entry of roam-mcp.\n")
	}
	return a.uninstall(ctx, ids, o)
}

func (a clientCommands) uninstall(ctx context.Context, names []string, o installOptions) error {
	_, installer, all, err := a.clientsNamed(names, o)
	if err != nil {
		return err
	}
	if _, err := mcpserve.FindProfile(o.choice.Profile); err != nil {
		return err
	}
	entry := ""
	if o.entry != "" || o.choice.Profile != "" || installer.Server.Name != entryName {
		// In the sandbox's world the entries of the real one stay.
		entry = installer.Named(o.choice).Name
	}
	return a.onEach(ctx, all, func(client clients.Client) error {
		plan, err := installer.PlanRemoval(ctx, client.ID, entry)
		switch {
		case err != nil:
			return err
		case plan.Unchanged:
			return a.answer("%s has no entry of roam-mcp.\n", client.Name)
		case o.dryRun:
			return a.answer("%s", tui.PlannedText(installer, a.hints.Shell, plan))
		case plan.Way == clients.ByLink || plan.Way == clients.ByText:
			return a.answer("%s", tui.PastedText(plan))
		}
		if err := a.confirm(ctx, installer, plan, o.yes); err != nil {
			return err
		}
		if err := installer.Apply(ctx, plan); err != nil {
			return err
		}
		if err := a.answer("%s\n", tui.DoneText(installer, plan)); err != nil {
			return err
		}
		if client.AfterWrite != "" {
			a.tell("%s\n", client.AfterWrite)
		}
		return nil
	})
}

// keepOther refuses to replace an entry of that name which starts another program, unless
// a person is shown it and asked, or has said yes.
func (a clientCommands) keepOther(installer *install.Installer, plan clients.Plan, yes bool) error {
	if yes || isTerminal(a.in) {
		return nil
	}
	for _, entry := range installer.Machine.Look(plan.Client).Entries {
		if entry.Name == plan.Server.Name && !entry.Ours {
			return failed(fmt.Sprintf("%s has another server under the name %s, which is left as it is.", plan.Client.Name, entry.Name),
				problem.Say("%s replaces it.", problem.Run("install", plan.Client.ID).With("--yes")))
		}
	}
	return nil
}

// confirm shows in a terminal what a plan changes, and asks.
func (a clientCommands) confirm(ctx context.Context, installer *install.Installer, plan clients.Plan, yes bool) error {
	if yes || !isTerminal(a.in) {
		return nil
	}
	question := "Do that?"
	switch {
	case plan.Removes:
		question = "Take it out?"
	case plan.Way == clients.ByLink:
		question = "Open the link?"
	}
	a.tell("%s%s [y/N] ", tui.PlannedText(installer, a.hints.Shell, plan), question)
	agreed, err := saidYes(ctx, a.in)
	if err == nil && !agreed {
		err = failed("Nothing was changed for "+plan.Client.Name+".", problem.Hint{})
	}
	return err
}

// tellStep returns what prints each step of a proof when it has ended.
func (a clientCommands) tellStep() func(install.ProofStep) {
	glyphs := kit.GlyphsFor(os.Environ())
	return func(step install.ProofStep) {
		if step.Running {
			return
		}
		sign := glyphs.Marked
		if step.Failed {
			sign = glyphs.Failed
		}
		words := []string{" ", sign, step.Name()}
		if step.Found != "" {
			words = append(words, "("+step.Found+")")
		}
		if took := step.Took.Round(time.Millisecond); took > 0 {
			words = append(words, took.String())
		}
		_ = a.answer("%s\n", strings.Join(words, " ")) // what follows meets the same reader
	}
}
