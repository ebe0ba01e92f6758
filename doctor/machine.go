package doctor

import (
	"context"
	"debug/buildinfo"
	"fmt"

	"roam-mcp/clients"
)

// MachineClients are the clients of this machine.
type MachineClients struct {
	Machine clients.Machine
	World   func(context.Context) clients.World // what their entries are compared with
}

var _ Clients = MachineClients{}

// here returns the machine with what the entries of its clients are compared with now.
func (c MachineClients) here(ctx context.Context) clients.Machine {
	machine := c.Machine
	machine.World = c.World(ctx)
	return machine
}

// Look implements Clients.
func (c MachineClients) Look(ctx context.Context) []clients.Status { return c.here(ctx).LookAll() }

// Rewrite implements Clients.
func (c MachineClients) Rewrite(ctx context.Context, id string, entry clients.Entry) error {
	client, ok := clients.Find(id)
	if !ok {
		return fmt.Errorf("there is no client %q", id)
	}
	plan, err := c.here(ctx).PlanInstall(client, clients.Server{Name: entry.Name, Command: c.Machine.Program, Args: entry.Args}, clients.Options{})
	if err != nil {
		return err
	}
	return c.Machine.Apply(ctx, plan)
}

// Version implements Clients. It reads what the linker left in the file, and starts
// nothing.
func (c MachineClients) Version(command string) (string, bool) {
	info, err := buildinfo.ReadFile(command)
	if err != nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "", false
	}
	return info.Main.Version, true
}
