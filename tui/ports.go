package tui

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/doctor"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/tui/kit"
)

// Ports are everything that the program does outside its own screen.
type Ports struct {
	// Graphs are what is managed here.
	Graphs *manage.Manager
	// OpenRoam opens Roam, or a graph in it. Nil means that this machine can't.
	OpenRoam func(context.Context, localapi.Graph) error
	// Prove starts this program as a client would, for one graph alone, and calls it.
	// Steps are reported as they begin and end.
	Prove func(ctx context.Context, nickname string, report func(install.ProofStep)) (install.Proof, error)
	// Guidelines reads the guidelines of a configured graph, as markdown, or "". took
	// is how long Roam took to answer.
	Guidelines func(ctx context.Context, nickname string) (text string, took time.Duration, err error)
	// Serve starts the embedded MCP server over HTTP, which ends with the context at
	// the latest. The code of its error is CodeAddressInUse where the usual port is taken.
	// Nil means that this program can't.
	Serve func(ctx context.Context, request ServeRequest) (Service, error)
	// Activity are the calls of all servers of this user. Nil: those of the embedded one
	// alone are shown.
	Activity Activity
	// Doctor returns the checks of everything between Roam and the clients, and what ends
	// them. Nil: there are none.
	Doctor func(context.Context) (checks []doctor.Check, done func())
	// EditConfig returns the person's editor with the configuration, at a line; 0: at no
	// line of its own. Nil: this machine has none.
	EditConfig func(line int) (*exec.Cmd, error)
	// Clients are the MCP clients on this computer. Nil: none can be configured here.
	Clients Clients
	// Place puts this program where it stays, and returns the clients that start it there.
	// Nil: it stays where it is.
	Place func(context.Context) (Clients, error)
	// Profiles are what clients can be given, the usual one first. There is at least one.
	Profiles []Profile
	// Desk is the sandbox's approval desk. Nil unless this program hosts it.
	Desk Desk
	// History reads what agents have written. Nil: there is no history here.
	History History
	// Files lists the files that the program uses. It may be nil.
	Files func() []File
	// Copy puts text into the system's clipboard. Nil leaves the terminal to do it.
	Copy func(ctx context.Context, text string) error
	// KeepSort keeps for the next run by which column the list of graphs is sorted, as
	// Options.SortedBy takes it; "": as in the configuration. Nil: nothing keeps it.
	KeepSort func(column string)
	// Report writes a crash report to a file and returns its path. It may be nil.
	Report func(report []byte) (path string, err error)
}

// Clients finds the MCP clients on this computer, has them start roam-mcp, and proves that
// they can.
type Clients interface {
	// Look returns how every client that is known stands, most used first. It runs none.
	Look(context.Context) []install.Status
	// Plan returns what gives a client what was chosen for it.
	Plan(ctx context.Context, id string, choice clients.Choice) (clients.Plan, error)
	// PlanRemoval returns what takes an entry out of a client's configuration; an empty
	// one stands for all of roam-mcp.
	PlanRemoval(ctx context.Context, id, entry string) (clients.Plan, error)
	// PlanRename returns what has the entries that name a graph name it by its new
	// nickname. The error is of those that can't be changed; the others are planned.
	PlanRename(ctx context.Context, from, to string) ([]clients.Plan, error)
	// Without says which entries name a graph, which is removed or disabled, a sentence
	// each.
	Without(ctx context.Context, nickname string) []string
	// Apply carries a plan out.
	Apply(ctx context.Context, plan clients.Plan) error
	// Prove starts what stands in the client's file under that name as the client would,
	// and calls it on each graph; an empty name stands for the entry that a client would
	// use first. Steps are reported as they begin and end. One graph that answers is
	// enough; the others are Result.Silent. What is not this program alone is started only
	// where agreed is set: the step that fails then says what it is, and its mend is
	// install.MendAgree.
	Prove(ctx context.Context, id, entry string, agreed bool, report func(install.ProofStep)) (install.Proof, error)
}

// Profile is a set of tools that a client can be given.
type Profile struct {
	Name     string
	About    string // what it is in a few words, without a capital
	Toolsets []Toolset
}

// Toolset is a part of a profile that a client can be given or not.
type Toolset struct {
	Name  string
	About string // what it is in a few words, without a capital
	On    bool   // given where nothing else is chosen
}

// Sentence says what the profile is.
func (p Profile) Sentence() string { return p.Name + ": " + p.About }

// File is a file or folder that the program uses.
type File struct {
	Name  string // in a few words
	Path  string // absolute
	Note  string // who writes it and what for, in a sentence
	There bool   // whether it exists
	// Secret says that it holds tokens, or texts of notes.
	Secret bool
}

// Desk is the sandbox's approval desk, the counterpart of Roam's dialog.
type Desk interface {
	// Watch sends the open requests, now and after every change, until ctx ends. Only
	// the newest state waits to be received.
	Watch(context.Context) <-chan []AccessRequest
	// Answer decides a request. It fails if the request has gone away.
	Answer(id string, decision Decision) error
	// Unblock has a graph asked about again that Never was chosen for.
	Unblock(graph localapi.Graph) error
}

// AccessRequest is a request that a person has to answer in the sandbox.
type AccessRequest struct {
	ID          string
	Graph       localapi.Graph
	Description string // who asks, in the asker's words
	AccessLevel localapi.AccessLevel
}

// Sentence says what somebody asks for.
func (r AccessRequest) Sentence(g kit.Glyphs) string {
	return fmt.Sprintf("“%s” asks for %s access to %s (%s).",
		g.Cut(kit.Sanitize(r.Description), 60), r.AccessLevel.Words(), kit.Sanitize(r.Graph.Name), r.Graph.Type)
}

// History is the journal of what agents have written (docs/HISTORY.md).
type History interface {
	// Calls returns the recorded calls that a filter chooses, newest first. What was
	// left open by a server that has ended is settled before, where Roam can be asked.
	Calls(context.Context, history.Filter) (history.Page, error)
	// Sessions returns the sessions that a filter chooses.
	Sessions(context.Context, history.Filter) ([]history.Session, error)
	// Diff returns what a call has changed, and what became of it since, where Roam
	// can be asked.
	Diff(ctx context.Context, call int64) (review.Diff, error)
	// Watch sends after every change of the journal, by whatever process, until ctx
	// ends.
	Watch(context.Context) <-chan struct{}
	// Notices returns what a person should know about the journal.
	Notices(context.Context) ([]history.Notice, error)
	// Name returns how people call a graph.
	Name(history.Graph) string
	// PlanUndo says what an Undo would do, for each graph. There is none where nothing is
	// to be taken back.
	PlanUndo(context.Context, Undo) ([]UndoPlan, error)
}

// Undo selects the calls to take back.
type Undo struct {
	Calls string // the number of a call such as 412, or of a session such as s41
	Redo  bool   // the undo of it
}

// UndoPlan lists the changes of one graph that an undo takes back.
type UndoPlan struct {
	Name     string // of the graph, as people call it
	Calls    []history.Call
	Changes  int
	Possible bool // something of it can be done
	// Text says what it would do and what stays, in lines.
	Text func(kit.Glyphs, time.Time) string
	// Run does it, as far as the graph still is as it was planned with, and tells how many
	// changes are taken back, and how long it waits for Roam, which takes no more writes. The
	// step under way is finished where the context ends; the same plan goes on.
	Run func(ctx context.Context, tell func(done, all int, waits time.Duration)) (Undone, error)
}

// Undone is what the run of an UndoPlan has done.
type Undone struct {
	Changes int // that are taken back
	// Text says what was done and what stays, in lines.
	Text func(kit.Glyphs) string
}

// Decision answers an AccessRequest.
type Decision uint8

const (
	Allow         Decision = iota + 1 // the level that was asked for
	AllowReadOnly                     // in its place
	Deny                              // this request
	Never                             // this request and all that follow
)

// CodeAddressInUse is the code of an error that says who listens on the usual port.
const CodeAddressInUse problem.Code = "ADDRESS_IN_USE"

// ServeRequest describes what to serve over HTTP.
type ServeRequest struct {
	Profile string // "": the usual one
	Graph   string // nickname of the graph that is served alone; "": every enabled one
	AnyPort bool   // at any free port, since the usual one is taken
}

// Activity is the log of the calls of all servers (package shared).
type Activity interface {
	// Servers returns the servers that live, and some that have ended.
	Servers(context.Context) ([]activity.Server, error)
	// Calls returns the newest calls, limit at the most, in the order in which they
	// started.
	Calls(ctx context.Context, limit int) ([]activity.LoggedCall, error)
	// Watch sends after every change until the context ends.
	Watch(context.Context) <-chan struct{}
}

// Call is a tool call that has started or ended.
type Call = activity.Event

// Service is the embedded MCP server while it serves over HTTP.
type Service interface {
	// URL is the address of the server.
	URL() string
	// KeepsAddress reports whether the next server has the same address, while its port is
	// free.
	KeepsAddress() bool
	// ServerID is the server's in the log of all servers.
	ServerID() string
	// TokenPath is the file with the bearer token of its clients.
	TokenPath() string
	// Calls sends the start and the end of every tool call. It is closed when the
	// server has ended.
	Calls() <-chan Call
	// Lost returns how many starts and ends Calls has dropped, since they were not
	// received in time.
	Lost() uint64
	// Clients returns the connected clients.
	Clients() []activity.Client
	// Counters returns the counts since the start.
	Counters() activity.Counters
	// PauseWrites refuses every write until it is called with false. It does not
	// block.
	PauseWrites(paused bool)
	// Stop ends the server and waits for its end. Calls under way have some seconds.
	Stop()
	// Err returns why the server ended, or nil after Stop.
	Err() error
}
