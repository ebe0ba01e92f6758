package clients

import "slices"

// State is what is known of a client without running it.
type State uint8

// The states of a client on this machine.
const (
	Absent      State = iota + 1 // neither its folder nor its program is there
	Present                      // there, with no entry of roam-mcp
	Configured                   // an entry of roam-mcp whose program is there
	OtherServer                  // under a name of ours stands another program
	BinaryGone                   // every entry of roam-mcp starts a program that is not there
	Unreadable                   // its file can't be read as what it should be
)

// String returns the state in words: "not on this machine".
func (s State) String() string {
	switch s {
	case Absent:
		return "not on this machine"
	case Present:
		return "here, not configured"
	case Configured:
		return "configured"
	case OtherServer:
		return "another server has the name"
	case BinaryGone:
		return "points at a program that is gone"
	case Unreadable:
		return "its file can't be read"
	}
	return "unknown state"
}

// Status is what Look finds of a client.
type Status struct {
	Client  Client
	State   State
	File    string   // the file that is edited or would be; empty: the client has none that can be
	Exists  bool     // File is there
	Entries []Found  // the entries of roam-mcp in File, and those of other programs under its names
	Beside  []string // names of the entries of Roam's official server
	Err     error    // why the state is Unreadable: a *problem.Error
	Refused error    // why the client itself can't read File, although Look can: a *problem.Error
}

// Ours returns the entries that start roam-mcp.
func (s Status) Ours() []Found {
	return slices.DeleteFunc(slices.Clone(s.Entries), func(f Found) bool { return !f.Ours })
}

// Found is an entry in a client's file.
type Found struct {
	Name     string
	Command  string // empty for a server that is reached over HTTP
	Args     []string
	Env      map[string]string // what the entry sets; may hold secrets of other servers
	Dir      string            // working folder that the entry sets; empty: none
	Ours     bool              // it starts roam-mcp
	Gone     bool              // its program is not there
	Disabled bool              // switched off in the client

	passed []string // names of further variables that the client passes on
}

// LookAll looks at every client of the table, in its order.
func (m Machine) LookAll() []Status {
	all := All()
	states := make([]Status, len(all))
	for i, client := range all {
		states[i] = m.Look(client)
	}
	return states
}
