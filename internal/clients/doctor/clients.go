package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
)

// IDs of the checks of clients and programs.
const (
	idClients  = "clients"
	idEntry    = "client-entries"
	idPrograms = "programs"
	idServers  = "servers"
)

// Clients are the MCP clients of this machine.
type Clients interface {
	Look(context.Context) []clients.Status
	// Rewrite puts an entry of roam-mcp into the client's file anew, with the present
	// path of this program and the arguments that it had.
	Rewrite(ctx context.Context, client string, entry clients.Entry) error
	// Version returns the version of a program of ours, as its file says; false where it
	// does not. The program is not started.
	Version(command string) (string, bool)
}

// clients looks at the file of each client.
func (p Ports) clients(ctx context.Context, facts *Facts) []Finding {
	if p.Clients == nil {
		return nil
	}
	var found []Finding
	here := 0
	for _, status := range p.Clients.Look(ctx) {
		if status.State == clients.Absent {
			continue
		}
		here++
		facts.Clients = append(facts.Clients, status)
		if f, told := p.client(status, facts); told {
			f.Subject = status.Client.Name
			found = append(found, f)
		}
	}
	if here == 0 {
		return []Finding{{Level: Note, Found: "no MCP client that this program knows is here"}}
	}
	has := func(state clients.State) bool {
		return slices.ContainsFunc(facts.Clients, func(s clients.Status) bool { return s.State == state })
	}
	if !slices.ContainsFunc(facts.Clients, func(s clients.Status) bool { return len(s.Ours()) > 0 }) {
		found = append(found, Finding{Level: Note, Found: fmt.Sprintf("%s here, and none has roam-mcp yet", plural(here, "client")),
			Todo: problem.Say("Configure one: %s", problem.Run("install", facts.Clients[0].Client.ID)), Fix: &Fix{Label: "configure one", Go: Target{Place: Client}}})
	} else if has(clients.Elsewhere) && !has(clients.Configured) && !p.Sandbox {
		i := slices.IndexFunc(facts.Clients, func(s clients.Status) bool { return s.State == clients.Elsewhere })
		found = append(found, Finding{Level: Warning, Found: "no client gives the graphs of this configuration to agents", Why: "Agents reach what was set up for another world only, such as the sandbox.",
			Todo: problem.Say("Give them to one: %s", problem.Run("install", facts.Clients[i].Client.ID)), Fix: &Fix{Label: "configure one", Go: Target{Place: Client}}})
	}
	return found
}

// client says what is so of one client. One that has no entry is not told of.
func (p Ports) client(status clients.Status, facts *Facts) (f Finding, told bool) {
	id, file := status.Client.ID, p.path(status.File)
	switch status.State {
	case clients.Unreadable:
		e := problem.FromError(status.Err)
		return Finding{Level: Warning, Found: e.Message, Why: status.Client.Name + " may not read it either, and roam-mcp can't be put into it.", Todo: e.Hint, Details: detailsOf(e)}, true
	case clients.OtherServer:
		return Finding{Level: Warning, Found: fmt.Sprintf("%s has another server under the name of roam-mcp", file), Why: "It is that one that " + status.Client.Name + " starts.",
			Todo: problem.Say("Rename that entry, then: %s", problem.Run("install", id)), Fix: showFile(id)}, true
	case clients.BinaryGone:
		gone := status.Ours()[0]
		return Finding{Level: Failed, Found: fmt.Sprintf("starts %s, which is gone", p.path(gone.Command)), Why: status.Client.Name + " can't start the server.",
			Todo: problem.Say("Write it anew: %s", p.writeAnew(status.Client, gone, nil)), Fix: p.rewriting(status, gone)}, true
	case clients.Elsewhere:
		return Finding{Level: Note, Found: "gives " + status.Gives, Todo: problem.Say("Give it the graphs of this configuration, too: %s", problem.Run("install", id))}, true
	case clients.SwitchedOff:
		return Finding{Level: Note, Found: "configured in " + file + ", and switched off there", Todo: problem.Say("Switch it on in %s.", status.Client.Name)}, true
	case clients.NotServed:
		entry := status.Ours()[0]
		return Finding{Level: Warning, Found: fmt.Sprintf("connects to %s, where no server runs", entry.URL), Why: status.Client.Name + " reaches no graph until one does.",
			Todo: problem.Say("Start it: %s", problem.Run("serve").With("--http", hostOf(entry.URL))), Fix: showFile(id)}, true
	case clients.NoGraph:
		return p.noGraph(status, facts), true
	case clients.Refused:
		e := problem.FromError(status.Refused)
		return Finding{Level: Failed, Found: e.Message, Why: status.Client.Name + " does not start the server.", Todo: e.Hint}, true
	case clients.Configured:
		for _, entry := range status.Ours() {
			if entry.Gone {
				return Finding{Level: Warning, Found: fmt.Sprintf("its entry %s starts %s, which is gone", entry.Name, p.path(entry.Command)), Why: "That entry can't be started; another one can.",
					Todo: problem.Say("Take it out: %s", takeOut(status, entry)), Fix: p.rewriting(status, entry)}, true
			}
		}
		if slices.ContainsFunc(status.Ours(), func(e clients.Entry) bool { return e.Here && len(e.Missing) > 0 }) {
			return Finding{}, false // that is said of its entries
		}
		return Finding{Level: OK, Found: "configured in " + file + ", gives " + status.Gives}, true
	case clients.Absent, clients.Present:
	}
	return Finding{}, false
}

// noGraph says that the entries of a client give no graph that is connected and enabled.
func (p Ports) noGraph(status clients.Status, facts *Facts) Finding {
	f := Finding{Level: Note, Found: "its entry gives no graph, since none is connected and enabled"} // why is said of the configuration
	for _, entry := range status.Ours() {
		if len(entry.Gives.Graphs) > 0 && entry.Here {
			f = Finding{Level: Failed, Found: fmt.Sprintf("its entry %s gives no graph: %s", entry.Name, status.Gives), Why: "The server that it starts has nothing to serve.",
				Todo: problem.Say("Connect that graph, or take the entry out: %s", takeOut(status, entry)), Fix: showFile(status.Client.ID)}
			if there, ok := facts.Config.Find(entry.Gives.Graphs[0]); ok {
				f.Todo = problem.Say("Let agents reach it: %s", problem.Run("enable", there.Nickname))
			}
		}
	}
	return f
}

// showFile returns the fix that a person makes in a client's file.
func showFile(id string) *Fix { return &Fix{Label: "show its file", Go: Target{Client, id}} }

// rewriting returns the fix of an entry that starts what is gone.
func (p Ports) rewriting(status clients.Status, entry clients.Entry) *Fix {
	if status.Client.IsPasted() {
		return showFile(status.Client.ID)
	}
	return &Fix{Label: "write it anew", Done: fmt.Sprintf("%s starts %s now.", status.Client.Name, p.path(p.Program.Path)), Safe: true,
		Do: func(ctx context.Context) error { return p.Clients.Rewrite(ctx, status.Client.ID, entry) }, Go: Target{Client, status.Client.ID}}
}

// programs compares the programs that clients start with this one.
func (p Ports) programs(_ context.Context, facts *Facts) []Finding {
	if p.Clients == nil {
		return nil
	}
	var found []Finding
	for _, other := range clients.Copies(facts.Clients, p.Program.Path) {
		if !other.Starts[0].Entry.Gone { // that is said of the client
			found = append(found, p.otherCopy(other))
		}
	}
	switch configured := slices.ContainsFunc(facts.Clients, func(s clients.Status) bool { return len(s.Ours()) > 0 }); {
	case len(found) == 0 && configured:
		return []Finding{{Level: OK, Found: "clients start this very program, version " + p.Program.Version}}
	case len(found) == 0:
		return []Finding{{Level: OK, Found: "this is version " + p.Program.Version + ", and no client starts another"}}
	}
	return found
}

// otherCopy says that clients start another copy of this program.
func (p Ports) otherCopy(other clients.Copy) Finding {
	command, who := other.Path, strings.Join(other.Names(), ", ")
	version, known := p.Clients.Version(command)
	const differs = "Agents meet an older or newer program than the one you set up here."
	f := Finding{Level: Warning}
	switch {
	case known && version == p.Program.Version:
		return Finding{Level: Note, Found: fmt.Sprintf("%s start another copy, %s, of the same version", who, p.path(command))}
	case !known:
		f.Found = fmt.Sprintf("%s start another program, %s, whose file does not say its version", who, p.path(command))
		f.Why = "It is not started to ask. " + strings.Replace(differs, "meet", "may meet", 1)
	default:
		f.Found, f.Why = fmt.Sprintf("%s start %s, which is version %s; this is %s", who, p.path(command), version, p.Program.Version), differs
	}
	if !clients.IsLasting(p.Program.Path) {
		f.Todo = problem.Say("Put this one into its place, which asks whether they are to start it: %s", problem.Run("self install").Anywhere())
		return f
	}
	commands := p.anew(other.Starts)
	f.Todo = problem.Say("Update that copy, or have them start this one: %s", commands[0])
	for _, further := range commands[1:] {
		f.Todo = f.Todo.Then("And: %s", further)
	}
	f.Fix = &Fix{Label: "have them start this one", Done: fmt.Sprintf("%s start %s now.", who, p.path(p.Program.Path)), Do: func(ctx context.Context) error {
		for _, each := range other.Starts {
			if err := p.Clients.Rewrite(ctx, each.Client.ID, each.Entry); err != nil {
				return err
			}
		}
		return nil
	}, Go: Target{Place: Client}, Safe: !known || !install.Newer(version, p.Program.Version)}
	return f
}

// anew returns the commands that write entries anew as they are, one for all clients of which it is the
// same. Those of another world need another one, which leaves that to --fix.
func (p Ports) anew(entries []clients.Started) (commands []problem.Command) {
	for _, each := range entries {
		command := p.writeAnew(each.Client, each.Entry, nil)
		if !each.Entry.Here {
			command = problem.Run("doctor").With("--fix")
		}
		i := slices.IndexFunc(commands, func(c problem.Command) bool {
			return c.Name == command.Name && slices.Equal(c.Flags, command.Flags)
		})
		switch {
		case i < 0:
			commands = append(commands, command)
		case len(command.Operands) > 0 && !slices.Contains(commands[i].Operands, command.Operands[0]):
			commands[i].Operands = append(commands[i].Operands, command.Operands[0])
		}
	}
	return commands
}

// servers looks for servers that are in each other's way.
func (p Ports) servers(ctx context.Context, _ *Facts) []Finding {
	if p.Servers == nil {
		return nil
	}
	all, err := p.Servers(ctx)
	if err != nil {
		return []Finding{{Level: Warning, Found: "those that run can't be listed: " + err.Error(), Todo: problem.Say("Check that you may read the state folder.")}}
	}
	var found []Finding
	addresses := map[string]Server{}
	for _, s := range all {
		if s.Version != p.Program.Version {
			found = append(found, Finding{Level: Warning, Found: fmt.Sprintf("%s runs version %s; this is %s", s.words(), s.Version, p.Program.Version), Why: "It goes on with the old program until it ends.",
				Todo: problem.Say("Restart %s.", s.owner())})
		}
		if s.Address == "" {
			continue
		}
		if other, taken := addresses[s.Address]; taken {
			found = append(found, Finding{Level: Failed, Found: fmt.Sprintf("%s and %s both say that they serve at %s", other.words(), s.words(), s.Address), Why: "Clients reach one of the two, and nobody knows which.",
				Todo: problem.Say("End one of them.")})
		}
		addresses[s.Address] = s
	}
	found = append(found, fighting(all)...)
	if len(found) == 0 {
		what := plural(len(all), "server") + " running"
		if len(all) == 0 {
			what = "none runs now"
		}
		return []Finding{{Level: OK, Found: what}}
	}
	return found
}

// fighting returns the pairs of HTTP servers of which one offers what the other refuses,
// on the same graphs.
func fighting(all []Server) (found []Finding) {
	for i, a := range all {
		for _, b := range all[:i] {
			if a.Address == "" || b.Address == "" || a.ReadOnly == b.ReadOnly || a.Profile != b.Profile || !a.sharesGraph(b) {
				continue
			}
			writes, reads := a, b
			if a.ReadOnly {
				writes, reads = b, a
			}
			found = append(found, Finding{Level: Note, Found: fmt.Sprintf("%s lets agents write where %s does not", writes.words(), reads.words()),
				Todo: problem.Say("If you mean agents only to read, end the first.")})
		}
	}
	return found
}

// Server is a server of this user that runs.
type Server struct {
	PID      int
	Version  string
	Address  string // URL; empty over standard streams
	Profile  string
	Graphs   []string // nicknames; empty: every enabled one
	ReadOnly bool
	Clients  []string // names of those that it knows
}

// words names the server.
func (s Server) words() string {
	if s.Address != "" {
		return fmt.Sprintf("the server at %s (process %d)", s.Address, s.PID)
	}
	if len(s.Clients) > 0 {
		return fmt.Sprintf("the server of %s (process %d)", strings.Join(s.Clients, ", "), s.PID)
	}
	return fmt.Sprintf("the server in process %d", s.PID)
}

// owner names who has to be restarted for the server to be.
func (s Server) owner() string {
	if s.Address == "" && len(s.Clients) > 0 {
		return strings.Join(s.Clients, ", ")
	}
	return "it"
}

func (s Server) sharesGraph(other Server) bool {
	return len(s.Graphs) == 0 || len(other.Graphs) == 0 || slices.ContainsFunc(s.Graphs, func(g string) bool { return slices.Contains(other.Graphs, g) })
}
