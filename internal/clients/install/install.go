// Package install gives the MCP clients of this machine entries of roam-mcp, takes them out
// again, and proves that clients can start what stands there.
//
// A proof starts the server exactly as the client would, from what stands in its file, and
// shows step by step that it serves: it starts, it answers initialize, it lists tools, and a
// harmless call on each graph comes back. One graph that answers is enough; what keeps
// another one from it is told of that graph. It is promised that the process is ended however
// the proof ends, that all that is read of it is bounded, and that no step says anything that
// looks like a token. Graphs and tools are handed to the package: it knows neither by name.
//
// It also puts this program where clients find it, and takes it off a computer again. Nothing is
// removed that this program has not written: a file that it does not know in one of its folders,
// and one that was changed since, stay and are named.
package install

import (
	"context"
	"errors"
	"slices"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// Installer is what commands and the setup program do with the MCP clients of this machine.
type Installer struct {
	Machine clients.Machine
	Options clients.Options
	// Server is how clients start this program in this world, without what is chosen for
	// each.
	Server         clients.Server
	DefaultProfile string   // the profile of an entry that names none
	EntryName      string   // what entries are called instead; empty: by server and choice
	Note           string   // what a person should know of the program's path; empty: nothing
	Environ        []string // of this process
	Probes         []string // tools that a proof calls
	// World returns what entries are compared with.
	World func(context.Context) clients.World
	// Graphs returns the graphs that are connected and enabled.
	Graphs func(context.Context) ([]Graph, error)
	// Called returns when a client last called, by the names that it gives itself.
	Called func(names ...string) time.Time
	// OpenLink opens a link, by which some clients are configured; nil: nothing does.
	OpenLink func(ctx context.Context, link string) error
	Proofs   ProofLog
	Now      func() time.Time
}

// Status is the state of a client, with what is remembered of it.
type Status struct {
	clients.Status
	Called time.Time // the last call that it made itself; zero: none is known
	Proven time.Time // when what stands in its file was last proven; zero: it is not
}

// here returns the machine with what the entries of its clients are compared with now.
func (in *Installer) here(ctx context.Context) clients.Machine {
	machine := in.Machine
	machine.World = in.World(ctx)
	return machine
}

// Look returns the Status of every known client, most used first. It runs none of them.
func (in *Installer) Look(ctx context.Context) []Status {
	proofs := in.Proofs.Read()
	var all []Status
	for _, status := range in.here(ctx).LookAll() {
		found := Status{Status: status}
		if len(status.Entries) > 0 && len(status.Client.Infos) > 0 {
			found.Called = in.Called(status.Client.Infos...)
		}
		if entry, ok := in.entry(status, ""); ok && status.State == clients.Configured {
			found.Proven = proofs.Of(status.Client.ID, entry)
		}
		all = append(all, found)
	}
	return all
}

// entry returns the entry of that name; for an empty one that of this world's usual
// name, or else the first one that is of this world.
func (in *Installer) entry(status clients.Status, name string) (clients.Entry, bool) {
	wanted := func(found clients.Entry) bool { return found.Here && found.Name == in.Server.Name }
	if name != "" {
		wanted = func(found clients.Entry) bool { return found.Name == name }
	}
	i := slices.IndexFunc(status.Entries, wanted)
	if i < 0 && name == "" {
		i = slices.IndexFunc(status.Entries, func(found clients.Entry) bool { return found.Here })
	}
	if i < 0 {
		return clients.Entry{}, false
	}
	return status.Entries[i], true
}

// find returns the client with that ID, alias or name.
func find(id string) (clients.Client, error) {
	client, ok := clients.Find(id)
	if !ok {
		return client, unknownClient(id)
	}
	return client, nil
}

// Find returns the clients with those IDs, aliases or names, each once. The error names the
// first that is not known.
func Find(names []string) ([]clients.Client, error) {
	var all []clients.Client
	for _, name := range names {
		client, err := find(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(other clients.Client) bool { return other.ID == client.ID }) {
			all = append(all, client)
		}
	}
	return all, nil
}

// Choose returns a server with a choice, in which the default profile is none.
func Choose(server clients.Server, choice clients.Choice, defaultProfile string) clients.Server {
	if choice.Profile == defaultProfile {
		choice.Profile = ""
	}
	return server.With(choice)
}

// Named returns the server of a choice, under the name of its entry.
func (in *Installer) Named(choice clients.Choice) clients.Server {
	server := Choose(in.Server, choice, in.DefaultProfile)
	if in.EntryName != "" {
		server.Name = in.EntryName
	}
	return server
}

// Short returns a path with ~ for the home folder.
func (in *Installer) Short(path string) string { return textsafe.ShortPath(in.Machine.Home, path) }

// Plan returns what gives a client what was chosen for it. The error is a *problem.Error;
// where the client's file can't be read, the plan still has the text to paste. Where nothing opens links, a plan with one
// is ByText.
func (in *Installer) Plan(ctx context.Context, id string, choice clients.Choice) (clients.Plan, error) {
	client, err := find(id)
	if err != nil {
		return clients.Plan{}, err
	}
	plan, err := in.here(ctx).PlanInstall(client, in.Named(choice), in.Options)
	if plan.Way == clients.ByLink && in.OpenLink == nil {
		plan.Way = clients.ByText
	}
	if plan.Note == "" {
		plan.Note = in.Note
	}
	return plan, err
}

// PlanRemoval returns what takes an entry out of a client's configuration; an empty one
// stands for all of roam-mcp.
func (in *Installer) PlanRemoval(ctx context.Context, id, entry string) (clients.Plan, error) {
	client, err := find(id)
	if err != nil {
		return clients.Plan{}, err
	}
	return in.here(ctx).PlanRemove(client, entry, in.Options)
}

// PlanRename returns what has the entries that name a graph name it by its new nickname.
// The error is of those that can't be changed; the others are planned.
func (in *Installer) PlanRename(ctx context.Context, from, to string) (plans []clients.Plan, err error) {
	machine := in.here(ctx)
	for _, naming := range machine.Naming(from) {
		plan, planErr := machine.PlanRename(naming, from, to)
		if err = errors.Join(err, planErr); planErr == nil {
			plans = append(plans, plan)
		}
	}
	return plans, err
}

// Without says which entries name a graph, a sentence each.
func (in *Installer) Without(ctx context.Context, nickname string) (said []string) {
	for _, naming := range in.here(ctx).Naming(nickname) {
		said = append(said, naming.GoesWithout())
	}
	return said
}

// Apply carries a plan out. ByLink it opens the link; whether the person agrees then is
// not known.
func (in *Installer) Apply(ctx context.Context, plan clients.Plan) error {
	if plan.Way == clients.ByLink && in.OpenLink != nil {
		return in.openLink(ctx, plan)
	}
	return in.Machine.Apply(ctx, plan)
}

// openLink opens the link of a plan.
func (in *Installer) openLink(ctx context.Context, plan clients.Plan) error {
	limited, cancel := context.WithTimeout(ctx, openingPatience)
	defer cancel()
	err := in.OpenLink(limited, plan.Link)
	if err == nil || ctx.Err() == nil && limited.Err() != nil {
		return ctx.Err() // what opens links may run for as long as the client does
	}
	return &problem.Error{
		Code: CodeNotOpened, Message: "The link to " + plan.Client.Name + " could not be opened: " + err.Error() + ".",
		Hint: problem.Say("Is %s installed? The link to open by hand, and what to paste instead: %v.", plan.Client.Name, problem.Run("install", plan.Client.ID).With("--print")), Err: err,
	}
}

// openingPatience is how long what opens links may take to fail.
const openingPatience = 5 * time.Second
