package clients

import "slices"

// State describes a client, as far as can be told without running it.
type State uint8

// The states of a client on this machine.
const (
	Absent      State = iota + 1 // neither its folder nor its program is there
	Present                      // there, with no entry of roam-mcp
	Configured                   // an entry of roam-mcp gives graphs of this world
	OtherServer                  // under a name of ours stands another program
	Elsewhere                    // its entries of roam-mcp are of another world, such as the sandbox
	BinaryGone                   // every entry of roam-mcp starts a program that is not there
	SwitchedOff                  // its entry of roam-mcp is switched off in the client
	NotServed                    // its entry connects to an address where no server runs
	NoGraph                      // its entry gives no graph that is connected and enabled
	Unreadable                   // its file can't be read as what it should be
	Refused                      // the client itself can't read its file, although others can
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
	case Elsewhere:
		return "has entries of another world only"
	case SwitchedOff:
		return "configured, switched off in the client"
	case NotServed:
		return "connects to a server that does not run"
	case NoGraph:
		return "configured, and no graph to give"
	case Unreadable:
		return "its file can't be read"
	case Refused:
		return "the client can't read its own file"
	}
	return "unknown state"
}

// Word returns a state as scripts compare it.
func (s State) Word() string {
	switch s {
	case Absent:
		return "absent"
	case Present:
		return "present"
	case Configured:
		return "configured"
	case OtherServer:
		return "other server"
	case BinaryGone:
		return "program gone"
	case Elsewhere:
		return "of another world"
	case SwitchedOff:
		return "switched off"
	case NotServed:
		return "server not running"
	case NoGraph:
		return "no graph"
	case Unreadable:
		return "unreadable"
	case Refused:
		return "refused by the client"
	}
	return "unknown"
}

// Status is what Look finds of a client.
type Status struct {
	Client  Client
	State   State
	File    string   // the file that is edited or would be; empty: the client has none that can be
	Exists  bool     // File is there
	Entries []Entry  // those of roam-mcp in File, and those of other programs under its names
	Beside  []string // names of the entries of Roam's official server
	Err     error    // why the state is Unreadable: a *problem.Error
	Refused error    // why the client itself can't read File, although Look can: a *problem.Error
	Gives   string   // what its entries of roam-mcp give, in a few words; empty where it has none
}

// Ours returns the entries that start roam-mcp.
func (s Status) Ours() []Entry {
	return slices.DeleteFunc(slices.Clone(s.Entries), func(e Entry) bool { return !e.Ours })
}
