package install

import (
	"context"

	"roam-mcp/internal/clients"
)

// Copies returns the copies of this program that clients start, but for the one that they are to start.
func (in *Installer) Copies(ctx context.Context) []clients.Copy {
	return clients.Copies(in.here(ctx).LookAll(), in.Machine.Program)
}

// Repoint has the entries that start a copy start the program that they are to start, with all else
// as it is. It tells of each plan that was carried out, and ends with the first that can't be.
func (in *Installer) Repoint(ctx context.Context, c clients.Copy, done func(clients.Plan)) error {
	for _, each := range c.Starts {
		plan, err := in.here(ctx).PlanRepoint(each.Client, each.Entry)
		if err == nil {
			err = in.Apply(ctx, plan)
		}
		if err != nil {
			return err
		}
		done(plan)
	}
	return nil
}

// Taking describes a removal of entries from a client.
type Taking struct {
	Client clients.Client
	File   string
	Entry  string // name; empty: every entry of this program
	Names  []string
}

// Takings returns what has to be taken out of clients for no entry of this program to be left: of this
// world alone, or of every one.
func (in *Installer) Takings(ctx context.Context, everyWorld bool) (all []Taking) {
	for _, status := range in.Look(ctx) {
		taking := Taking{Client: status.Client, File: status.File}
		for _, entry := range status.Ours() {
			switch {
			case everyWorld:
				taking.Names = append(taking.Names, entry.Name)
			case entry.Here:
				all = append(all, Taking{status.Client, status.File, entry.Name, []string{entry.Name}})
			}
		}
		if len(taking.Names) > 0 {
			all = append(all, taking)
		}
	}
	return all
}

// TakeOut carries a Taking out.
func (in *Installer) TakeOut(ctx context.Context, t Taking) error {
	plan, err := in.PlanRemoval(ctx, t.Client.ID, t.Entry)
	if err != nil {
		return err
	}
	return in.Apply(ctx, plan)
}
