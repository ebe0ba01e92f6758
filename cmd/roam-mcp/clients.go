package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"roam-mcp/clients"
	"roam-mcp/install"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
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

// printClients prints a table of the clients that are there, and names the others.
func (a clientCommands) printClients(installer *install.Installer, found []install.Status) error {
	var absent, bare []string
	var unreadable []install.Status
	table := a.table()
	rows := 0
	for _, status := range found {
		switch status.State {
		case clients.Absent:
			absent = append(absent, status.Client.ID)
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
	if len(absent) > 0 {
		lines := kit.Wrap("Not found here: "+strings.Join(absent, ", ")+".", helpWidth(a.out))
		a.tell("%s\n", strings.Join(lines, "\n"))
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
