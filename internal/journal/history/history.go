// Package history is the journal: what agents write to graphs, with what was there
// before and what was there after, in one SQLite file that all servers of a user share
// (JOURNAL.md, The file).
//
// It promises that a change whose Intend has returned is on disk before anything is
// sent, that numbers of calls order the calls of all processes, that only the user can
// read the file, and that nothing is opened or made before the first call that asks for
// it. It knows neither MCP nor HTTP nor Roam's actions: facts, arguments and requests
// are bytes to it. No text of a note is in its logs, errors and names of files.
package history

import (
	"log/slog"
	"path/filepath"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/problem"
)

// Codes of this package's errors and notices (JOURNAL.md, When it can't be written).
const (
	CodeUnavailable problem.Code = "HISTORY_UNAVAILABLE" // the journal can't be written or read
	CodeTooNew      problem.Code = "HISTORY_TOO_NEW"     // a later version of the program wrote the file

	// Of notices only.
	CodeDamaged  problem.Code = "HISTORY_DAMAGED"     // a damaged file was moved aside
	CodeDeleted  problem.Code = "HISTORY_DELETED"     // the file was deleted while it was open
	CodeRestored problem.Code = "HISTORY_RESTORED"    // the file is older than numbers that were given
	CodeNoWAL    problem.Code = "HISTORY_WITHOUT_WAL" // the file system has no shared memory
	CodeModes    problem.Code = "HISTORY_MODES"       // other users could read the file

	CodeForgotten problem.Code = "HISTORY_FORGOTTEN"  // much was too old or too large, and was removed
	CodeTakenOver problem.Code = "HISTORY_TAKEN_OVER" // a server ended while it had a page to itself

	CodeTextsUnsaid problem.Code = "HISTORY_TEXTS_UNSAID" // Roam does not say whether a graph is encrypted, nor the user whether its texts are kept
)

// Graph is a graph by its canonical name and type ("hosted", "offline").
type Graph struct{ Name, Type string }

// Kind is what a process does that writes to the journal.
type Kind string

// The kinds of servers.
const (
	KindStdio Kind = "stdio"
	KindHTTP  Kind = "http"
	KindSetup Kind = "setup"
	KindCLI   Kind = "cli"
)

// Options of a journal.
type Options struct {
	Folder  string           // of the journal, absolute; made with mode 0700 when first written
	Kind    Kind             // of this process
	Program string           // version of the program
	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: none
	Keep    Retention        // zero values: DefaultRetention
	Wait    time.Duration    // for other processes that open or write it; 0: DefaultWait
}

// DefaultWait is how long a write may be held up by other processes.
const DefaultWait = 2 * time.Second

// Retention is how long and how large texts are kept; see Journal.Tidy.
type Retention struct{ Days, Megabytes int }

// DefaultRetention returns 90 days and 200 MB (JOURNAL.md, Size and time).
func DefaultRetention() Retention { return Retention{Days: 90, Megabytes: 200} }

// Folder returns where the journal lies: in the state folder, and on Windows in the home
// folder, since packaged programs there are given an AppData of their own (JOURNAL.md,
// Where).
func Folder(goos, home, state string) string {
	if goos == "windows" {
		return filepath.Join(home, ".roam-mcp", "history")
	}
	return filepath.Join(state, "roam-mcp", "history")
}

// Who is on the other side of a call.
type Who struct {
	Agent           string // name; never empty ("unknown")
	Client, Version string // as the client says
	Era             string // version of the protocol
	Connection      string // names the connection within this server; empty: the client is stateless
}

// By is how the facts before or after a change were read.
type By string

// The ways of reading facts.
const (
	ByLook By = "look" // before, right before the change was sent
	BySoon By = "soon" // after, at once
	ByLate By = "late" // after, by another process that found them missing
	ByNone By = "none" // they were not read
)

// State is that of a change (JOURNAL.md, States).
type State string

// The states of changes.
const (
	StateOpen    State = "open"     // the intent is on disk; it may have been sent
	StateDone    State = "done"     // Roam said so, or a look saw it
	StateRefused State = "refused"  // Roam refused; nothing happened
	StateNotDone State = "not-done" // the reply was lost, and a look saw that it did not happen
	StateUnknown State = "unknown"  // nobody can tell
)

// CallState is that of a call, as its changes have it (JOURNAL.md, States).
type CallState string

// The states of calls.
const (
	CallOpen    CallState = "open"    // a change is open
	CallDone    CallState = "done"    // all changes are done
	CallFailed  CallState = "failed"  // no change is done
	CallUnknown CallState = "unknown" // of a change nobody can tell
	CallPartly  CallState = "partly"  // some changes are done and some are not
	CallStopped CallState = "stopped" // it was refused before anything was sent
)

// Intent is a change that is about to be sent.
type Intent struct {
	Call     int64 // of an earlier intent of the same tool call; 0: this is the first
	Who      Who
	Graph    Graph
	Tool     string
	Args     []byte // the tool's arguments as JSON, redacted; nil: not kept. Only of a call's first intent
	Action   string
	Request  []byte // JSON list of the arguments as Roam takes them; nil: not kept
	Class    fact.Class
	Before   []byte // facts as JSON; nil: none
	BeforeBy By
	Lacks    []string // what can't be restored, in words
	Touches  []fact.Touch
	Mark     int64 // what Journal.Mark returned before the look; 0: nobody looked
	Undoes   int64 // Change.ID of the change that this one takes back; 0: of none
	// TextsUnsaid: no texts are kept, because Roam does not say whether the graph is
	// encrypted. A notice says so, until an intent of the graph is without it.
	TextsUnsaid bool
	// Insist: texts that were written elsewhere since the look are no reason for another
	// one, although they may mention what this change rewrites.
	Insist bool
}

// Change names a recorded change.
type Change struct {
	Call int64 // number of the call, as people see it
	ID   int64 // number of the change, in the order of the intents of all processes
	Seq  int   // within the call, from 1: change 2 of call 412 is 412.2

	file int // which of the files that this process had open it was recorded in; 0: not known
}

// Outcome is how a change ended.
type Outcome struct {
	State          State
	Code, Evidence string // code of a failure; what shows that it happened, where no reply does
	Touches        []fact.Touch
	Summary        string // of the whole call; empty: as before
}

// Aftermath is what a change left.
type Aftermath struct {
	Facts   []byte // as JSON; nil: none
	By      By
	Touches []fact.Touch
	Lacks   []string          // in addition to those of the intent
	Summary string            // of the whole call; empty: as before
	Pages   map[string]string // titles of touched pages, by uid
}

// Open is a change that waits for being settled; see Journal.Abandoned and
// Journal.Unread.
type Open struct {
	Change
	Graph           Graph
	Tool, Action    string
	Class           fact.Class
	State           State
	Request, Before []byte
	Sent, Done      time.Time
	Touches         []fact.Touch
	// Repeated reports whether another change of the graph sent the same request, or was
	// under way with it, since this one was sent, and was perhaps done. What is seen in the
	// graph may be what the other one did.
	Repeated bool
}

// Notice is something about the journal that a person should know.
type Notice struct {
	Code    problem.Code
	Message string
	Hint    problem.Hint
	Graph   Graph // of CodeTextsUnsaid; the zero value for others
}
