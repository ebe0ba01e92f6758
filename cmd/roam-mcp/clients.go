package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
)

// clientCommands are the commands about MCP clients.
type clientCommands struct{ *app }

func (a clientCommands) clientsCommand() *cobra.Command {
	var asJSON, project bool
	command := &cobra.Command{
		Use:   "clients",
		Short: "List the MCP clients of this computer and whether they have roam-mcp",
		Long: `List the MCP clients of this computer: whether they have roam-mcp, whether that was
proven, when they last called, and their file. They are found by their folders and
programs; none is started.`,
		Example: `roam-mcp clients
roam-mcp clients --json
# Those of the project in this folder
roam-mcp clients --project`,
		SuggestFor: []string{"agents", "apps"},
		Args:       arguments(0, 0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.clients(cmd.Context(), project, asJSON) },
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.Flags().BoolVar(&project, "project", false, "the files of the project in this folder instead of yours")
	return command
}

// installer resolves the world and returns its installer, which has the files of the project in
// the working folder where asked for.
func (a clientCommands) installer(project bool) (dirs, *install.Installer, error) {
	w, err := a.world()
	if err != nil {
		return dirs{}, nil, err
	}
	installer, err := w.installer()
	if err != nil {
		return dirs{}, nil, err
	}
	if project {
		installer.Options.Project = true
		if installer.Machine.Folder, err = os.Getwd(); err != nil {
			return dirs{}, nil, fmt.Errorf("find the folder of the project: %w", err)
		}
	}
	return w, installer, nil
}

func (a clientCommands) clients(ctx context.Context, project, asJSON bool) error {
	_, installer, err := a.installer(project)
	if err != nil {
		return err
	}
	found := installer.Look(ctx)
	if asJSON {
		return a.answerJSON(map[string]any{"clients": install.List(found)})
	}
	return a.printClients(installer, found)
}

// printClients prints a table of the clients that are there, and counts the others.
func (a clientCommands) printClients(installer *install.Installer, found []install.Status) error {
	absent := 0
	var bare []string
	var unreadable []install.Status
	table := a.table()
	rows := 0
	for _, status := range found {
		switch status.State {
		case clients.Absent:
			absent++
			continue
		case clients.Present, clients.BinaryGone, clients.Elsewhere:
			bare = append(bare, status.Client.ID)
		case clients.Unreadable, clients.Refused:
			unreadable = append(unreadable, status)
		case clients.Configured, clients.OtherServer, clients.SwitchedOff, clients.NotServed, clients.NoGraph:
		}
		if rows++; rows == 1 {
			fmt.Fprintln(table, "CLIENT\tID\tSTATE\tGIVES\tFILE")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", status.Client.Name, status.Client.ID, describeClient(status, installer.Now()), status.Gives, installer.Short(status.File))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if rows == 0 {
		a.tell("No MCP client that is known was found on this computer.\n")
	}
	if absent > 0 {
		a.next(problem.Say("%d more are known, and were not found here. %s names them.", absent, problem.Run("install").With("--help")))
	}
	for _, status := range unreadable {
		known := explain(cmp.Or(status.Err, status.Refused))
		a.tell("%s: %s\n", status.Client.Name, a.explained(known.Message, known.Hint))
	}
	if len(bare) > 0 {
		a.next(problem.Say("Next, give them roam-mcp: %s.", problem.Run("install", bare...)))
	}
	return nil
}

// describeClient says what is known of a client, in a few words.
func describeClient(status install.Status, now time.Time) string {
	said := status.State.String()
	if status.State != clients.Configured {
		return said
	}
	ago := func(t time.Time) string { return humanize.RelTime(t, now, "ago", "from now") }
	if !status.Called.IsZero() {
		return said + ", last call " + ago(status.Called)
	}
	if !status.Proven.IsZero() {
		return said + ", proven " + ago(status.Proven)
	}
	return said + ", not proven"
}

// completeClients completes the IDs of clients.
func completeClients(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	given := map[string]bool{}
	for _, name := range args {
		if client, ok := clients.Find(name); ok {
			given[client.ID] = true
		}
	}
	var names []cobra.Completion
	for _, client := range clients.All() {
		if !given[client.ID] {
			names = append(names, cobra.CompletionWithDesc(client.ID, client.Name))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// clientsHere returns the clients of this computer that have an entry of this program, or that have
// none.
func clientsHere(ctx context.Context, installer *install.Installer, with bool) (here []clients.Client) {
	for _, status := range installer.Look(ctx) {
		if status.State != clients.Absent && len(status.Ours()) > 0 == with {
			here = append(here, status.Client)
		}
	}
	return here
}

func idsOf(all []clients.Client) []string {
	ids := make([]string, len(all))
	for i, client := range all {
		ids[i] = client.ID
	}
	return ids
}

// nameClients tells which clients a command could be given: those that are here, with an entry of
// this program or without.
func (a clientCommands) nameClients(ctx context.Context, command string, project, with bool) error {
	_, installer, err := a.installer(project)
	if err != nil {
		return err
	}
	ids := idsOf(clientsHere(ctx, installer, with))
	if len(ids) == 0 {
		return &problem.Error{Code: codeUsage, Message: "A client has to be named, and none was found that it could be.", Hint: problem.Say("%s lists them.", problem.Run("clients"))}
	}
	return &problem.Error{Code: codeUsage, Message: "A client has to be named. Here it could be " + strings.Join(ids, ", ") + ".", Hint: problem.Say("%s does it for all of them.", problem.Run(command, ids...))}
}

// completeEntries completes the IDs of the clients that have an entry of this program.
func (a clientCommands) completeEntries(command *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, installer, err := a.installer(false)
	if err != nil {
		return completeClients(command, args, begun)
	}
	var names []cobra.Completion
	for _, client := range clientsHere(command.Context(), installer, true) {
		if !slices.Contains(args, client.ID) {
			names = append(names, cobra.CompletionWithDesc(client.ID, client.Name))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// clientList lists the clients that commands take.
func clientList() []helpList {
	list := helpList{title: "Clients"}
	for _, client := range clients.All() {
		name := client.Name
		if len(client.Aliases) > 0 {
			name += " (also " + strings.Join(client.Aliases, ", ") + ")"
		}
		list.rows = append(list.rows, helpRow{client.ID, name})
	}
	return []helpList{list}
}

// onEach does something with each of several clients, and tells which were not done.
func (a clientCommands) onEach(ctx context.Context, all []clients.Client, do func(clients.Client) error) error {
	text := func(err *problem.Error) string { return a.explained(err.Message, err.Hint) }
	return install.Each(ctx, all, do, text, func(client clients.Client, what string) { a.tell("%s: %s\n", client.Name, what) })
}
