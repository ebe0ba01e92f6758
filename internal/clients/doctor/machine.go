package doctor

import (
	"context"
	"fmt"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
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
	plan, err := c.here(ctx).PlanRepoint(client, entry)
	if err != nil {
		return err
	}
	return c.Machine.Apply(ctx, plan)
}

// Version implements Clients. It reads what the linker left in the file, and starts
// nothing.
func (c MachineClients) Version(command string) (string, bool) {
	version, _, known := install.VersionOf(command)
	return version, known
}
