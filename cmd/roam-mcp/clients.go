package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

// listedClient is a client as --json prints it. Of entries that are not roam-mcp's there
// is the name alone, since their arguments may hold secrets.
type listedClient struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	State     string        `json:"state"` // as stateWord has it
	File      string        `json:"file,omitempty"`
	Gives     string        `json:"gives,omitempty"` // in words, of all entries
	Entries   []listedEntry `json:"entries"`
	Official  []string      `json:"officialServers,omitempty"` // names of the entries of Roam's official server
	Proven    *time.Time    `json:"proven,omitempty"`
	LastCall  *time.Time    `json:"lastCall,omitempty"`
	Error     string        `json:"error,omitempty"`
	ErrorCode problem.Code  `json:"errorCode,omitempty"`
}

type listedEntry struct {
	Name     string   `json:"name"`
	Ours     bool     `json:"ours"` // it starts roam-mcp
	Command  string   `json:"command,omitempty"`
	Args     []string `json:"args,omitempty"`
	URL      string   `json:"url,omitempty"`
	Also     []string `json:"also,omitempty"` // what it has beside what roam-mcp writes
	Gone     bool     `json:"programGone,omitempty"`
	Disabled bool     `json:"disabled,omitempty"`
}

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
func (a clientCommands) installer(project bool) (world, *install.Installer, error) {
	w, err := a.world()
	if err != nil {
		return world{}, nil, err
	}
	installer, err := w.installer()
	if err != nil {
		return world{}, nil, err
	}
	if project {
		installer.Options.Project = true
		if installer.Machine.Folder, err = os.Getwd(); err != nil {
			return world{}, nil, fmt.Errorf("find the folder of the project: %w", err)
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
		all := []listedClient{}
		for _, status := range found {
			all = append(all, listClient(status))
		}
		data, err := json.MarshalIndent(map[string]any{"clients": all}, "", "  ")
		if err != nil {
			return err
		}
		return a.answer("%s\n", visibleJSON(data))
	}
	return a.printClients(installer, found)
}

func listClient(status install.Status) listedClient {
	listed := listedClient{
		ID: status.Client.ID, Name: status.Client.Name, State: stateWord(status.State), File: status.File,
		Gives: status.Gives, Entries: []listedEntry{}, Official: status.Beside,
	}
	for _, entry := range status.Entries {
		one := listedEntry{Name: entry.Name, Ours: entry.Ours, Disabled: entry.Disabled}
		if entry.Ours {
			one.Command, one.Args, one.URL, one.Gone = entry.Command, entry.Args, entry.URL, entry.Gone
			for _, extra := range entry.Extras {
				one.Also = append(one.Also, extra.String())
			}
		}
		listed.Entries = append(listed.Entries, one)
	}
	if !status.Proven.IsZero() {
		listed.Proven = &status.Proven
	}
	if !status.Called.IsZero() {
		listed.LastCall = &status.Called
	}
	if status.Err != nil {
		known := explain(status.Err)
		listed.Error, listed.ErrorCode = known.Message, known.Code
	}
	return listed
}

// stateWord returns a state as scripts compare it.
func stateWord(state clients.State) string {
	switch state {
	case clients.Absent:
		return "absent"
	case clients.Present:
		return "present"
	case clients.Configured:
		return "configured"
	case clients.OtherServer:
		return "other server"
	case clients.BinaryGone:
		return "program gone"
	case clients.Elsewhere:
		return "of another world"
	case clients.SwitchedOff:
		return "switched off"
	case clients.NotServed:
		return "server not running"
	case clients.NoGraph:
		return "no graph"
	case clients.Unreadable:
		return "unreadable"
	case clients.Refused:
		return "refused by the client"
	}
	return "unknown"
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

// onEach does something with each of several clients. A failure of one does not keep the
// others from it: where there are several, each is told, and the error at the end says how
// many were not done, and how many are written without having been proven. What is the same
// for several is said once, and what mends the first proof that failed at the end.
func (a clientCommands) onEach(ctx context.Context, all []clients.Client, do func(clients.Client) error) error {
	var failures []error
	var written []*unproven
	said := map[string]bool{}
	for _, client := range all {
		err := do(client)
		if err == nil {
			continue
		}
		var u *unproven
		isWritten := errors.As(err, &u)
		if len(all) == 1 || ctx.Err() != nil {
			if isWritten && ctx.Err() == nil {
				return sayUnproven(u)
			}
			return err
		}
		known := explain(err)
		text := a.explained(known.Message, known.Hint)
		if isWritten {
			written = append(written, u)
			if a.hints.Say(known.Hint) == a.hints.Say(explain(written[0]).Hint) {
				text = known.Message
			}
		}
		if said[text] {
			text = "the same."
		}
		said[text] = true
		a.tell("%s: %s\n", client.Name, text)
		failures = append(failures, err)
	}
	if len(failures) == 0 {
		return nil
	}
	first := explain(failures[0])
	told := &problem.Error{Code: first.Code, Err: errors.Join(failures...)}
	if undone := len(failures) - len(written); undone > 0 {
		told.Message = fmt.Sprintf("Not done for %d of %d clients, as was said above.", undone, len(all))
	}
	if len(written) > 0 {
		told.Message = strings.TrimSpace(told.Message + " " + writtenNotProven(written, len(all)))
		told.Hint = explain(written[0]).Hint.Then("The same command then proves them again.")
	}
	return told
}
