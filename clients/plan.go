package clients

import (
	"context"
	"errors"
)

// Way is how a client gets its entry.
type Way uint8

// The ways, the first of which that a client has is taken.
const (
	ByCommand Way = iota + 1 // the client's own command line is run
	ByFile                   // its file is edited
	ByLink                   // a link is opened, and a person agrees in the client
	ByText                   // a person pastes a text
)

// String returns the way in a word: "command".
func (w Way) String() string {
	switch w {
	case ByCommand:
		return "command"
	case ByFile:
		return "file"
	case ByLink:
		return "link"
	case ByText:
		return "text"
	}
	return "unknown way"
}

// Options choose between the ways.
type Options struct {
	Project bool // the client's file in Machine.Folder instead of the user's
	File    bool // edit the file although the client has a command line for it
}

// Plan is a change of a client's configuration that can be shown before it is made.
type Plan struct {
	Client  Client
	Way     Way
	Removes bool   // an entry is taken out, rather than put in
	Server  Server // what is put in; its Name alone where an entry is taken out
	// File is the file that changes, with Before as its content and After as the one it
	// gets. A command of the client's own makes the change ByCommand: After is nil then.
	// Links are followed when the plan is applied. All are empty ByLink and ByText.
	File          string
	Before, After []byte
	New           bool     // there is no file before
	Gone          bool     // there is no file afterwards, as there was none before roam-mcp's entry
	Backup        string   // path of the backup of Before that Apply leaves; empty: none is made
	Command       []string // of ByCommand, word by word
	Link          string   // of ByLink, and of others that have one
	Text          string   // what a person pastes or runs instead, always filled
	Where         string   // where Text goes: "~/.cursor/mcp.json"; empty: it is a command to run
	Unchanged     bool     // there is nothing to do
	Note          string   // a sentence that a person should read before; empty: none
}

// Diff returns what the plan changes in File in the unified format, empty where that is
// nothing or not known before. The home folder is "~" in it. Values that are not of the
// entry of roam-mcp are masked, so that no secret of another server is shown.
func (p Plan) Diff() string { return "" }

// ErrChanged reports that a file is no longer what it was when a plan was made: plan again.
var ErrChanged = errors.New("the file has changed since it was read")

// ErrByHand reports that Apply can't make a change which a person makes in the client.
var ErrByHand = errors.New("this client is configured by hand")

// BackupSuffix ends the name of the backup beside a client's file. It is made when the
// file gets its first entry of roam-mcp, and removed when the last one is taken out.
const BackupSuffix = ".before-roam-mcp"

// PlanInstall plans to put the server into the client's configuration. The error is a
// *problem.Error; where the file can't be read, the plan is still filled as ByText.
func (m Machine) PlanInstall(c Client, s Server, o Options) (Plan, error) { return Plan{}, nil }

// PlanRemove plans to take out the entry of that name, or every entry of roam-mcp where
// the name is empty. Where nothing else has changed since, the file gets the bytes that it
// had before roam-mcp's entry, or goes if there was none.
func (m Machine) PlanRemove(c Client, name string, o Options) (Plan, error) { return Plan{}, nil }

// Apply carries the plan out. The file is replaced atomically, with its mode and the links
// that lead to it kept, after its backup is on disk, and read again. Its error wraps
// ErrChanged where the file is not what it was when the plan was made, and ErrByHand for
// ByLink and ByText.
func (m Machine) Apply(ctx context.Context, p Plan) error { return nil }
