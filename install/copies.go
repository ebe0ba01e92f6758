package install

import (
	"cmp"
	"context"
	"slices"

	"roam-mcp/clients"
)

// Copy is another copy of this program that clients start.
type Copy struct {
	Path    string   `json:"path"`
	Clients []string `json:"clients"` // IDs

	entries []copied
}

// copied is an entry that starts a copy.
type copied struct {
	client clients.Client
	entry  clients.Entry
}

// Copies returns the programs that the entries of clients start, but for one.
func Copies(found []Status, own string) (copies []Copy) {
	for _, status := range found {
		for _, entry := range status.Ours() {
			if entry.Command == "" || clients.SameFile(entry.Command, own) {
				continue
			}
			i := slices.IndexFunc(copies, func(c Copy) bool { return c.Path == entry.Command })
			if i < 0 {
				i, copies = len(copies), append(copies, Copy{Path: entry.Command})
			}
			copies[i].entries = append(copies[i].entries, copied{status.Client, entry})
			if !slices.Contains(copies[i].Clients, status.Client.ID) {
				copies[i].Clients = append(copies[i].Clients, status.Client.ID)
			}
		}
	}
	slices.SortFunc(copies, func(a, b Copy) int { return cmp.Compare(a.Path, b.Path) })
	return copies
}

// Repoint has the entries that start a copy start this machine's program, with all else as it is. It tells of
// each plan that was carried out, and ends with the first that can't be.
func (in *Installer) Repoint(ctx context.Context, c Copy, done func(clients.Plan)) error {
	for _, each := range c.entries {
		plan, err := in.here(ctx).PlanRepoint(each.client, each.entry)
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

// Taking is what is taken out of a client.
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
