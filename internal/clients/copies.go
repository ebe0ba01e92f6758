package clients

import "slices"

// Copy is another copy of this program that clients start.
type Copy struct {
	Path   string
	Starts []Started // never empty
}

// Started is an entry that starts a Copy.
type Started struct {
	Client Client
	Entry  Entry
}

// Copies returns the copies that entries of roam-mcp start, but for one program.
func Copies(all []Status, own string) (copies []Copy) {
	for _, status := range all {
		for _, entry := range status.Ours() {
			if entry.Command == "" || SameFile(entry.Command, own) {
				continue
			}
			i := slices.IndexFunc(copies, func(c Copy) bool { return c.Path == entry.Command })
			if i < 0 {
				i, copies = len(copies), append(copies, Copy{Path: entry.Command})
			}
			copies[i].Starts = append(copies[i].Starts, Started{status.Client, entry})
		}
	}
	return copies
}

// names returns something of each client that starts the copy, once.
func (c Copy) names(of func(Client) string) (names []string) {
	for _, each := range c.Starts {
		if name := of(each.Client); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// IDs returns the IDs of the clients that start the copy.
func (c Copy) IDs() []string { return c.names(func(client Client) string { return client.ID }) }

// Names returns their names.
func (c Copy) Names() []string { return c.names(func(client Client) string { return client.Name }) }
