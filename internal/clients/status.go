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
func (s State) String() string { return s.words()[0] }

// Word returns a state as scripts compare it.
func (s State) Word() string { return s.words()[1] }

// words returns what people and what scripts read.
func (s State) words() [2]string {
	return [...][2]string{
		{"unknown state", "unknown"},
		Absent:      {"not on this machine", "absent"},
		Present:     {"here, not configured", "present"},
		Configured:  {"configured", "configured"},
		OtherServer: {"another server has the name", "other server"},
		Elsewhere:   {"has entries of another world only", "of another world"},
		BinaryGone:  {"points at a program that is gone", "program gone"},
		SwitchedOff: {"configured, switched off in the client", "switched off"},
		NotServed:   {"connects to a server that does not run", "server not running"},
		NoGraph:     {"configured, and no graph to give", "no graph"},
		Unreadable:  {"its file can't be read", "unreadable"},
		Refused:     {"the client can't read its own file", "refused by the client"},
	}[s]
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
