package tui

import (
	"context"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/handoff"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve"
)

// Ports are all that the program can do outside its own screen.
type Ports struct {
	// Store keeps the configuration.
	Store Store
	// Rescue writes a granted token that could not be saved to a file of its
	// own and gives that file's path.
	Rescue func(configstore.Entry) (path string, err error)
	// Official reads the graphs of the official tools. Nil: no import.
	Official func() ([]configstore.Entry, []configstore.Problem, error)
	// Roam lists graphs and checks tokens.
	Roam Roam
	// Exchange starts a token exchange, which ends with the context.
	Exchange func(context.Context, exchange.Request) Exchange
	// OpenRoam opens Roam, or a graph in it. Nil: this machine can't.
	OpenRoam func(context.Context, localapi.Graph) error
	// Prove makes a real call through the embedded MCP server.
	Prove func(ctx context.Context, nickname string) (Proof, error)
	// Guidelines reads what a configured graph tells agents, as markdown; empty
	// where it has none. It also says how long Roam took to answer.
	Guidelines func(ctx context.Context, nickname string) (text string, took time.Duration, err error)
	// Serve starts the embedded MCP server over HTTP, which ends with the
	// context at the latest. Nil: this program can't.
	Serve func(context.Context) (Service, error)
	// Snippets are what MCP clients are told.
	Snippets []handoff.Snippet
	// Desk is the sandbox's approval desk. Nil unless this program hosts one.
	Desk Desk
	// Files tells of every file that the program uses. Nil: none is named.
	Files func() []File
	// Copy puts a text into the system's clipboard. Nil: the terminal alone is
	// asked to.
	Copy func(ctx context.Context, text string) error
	// Report writes what the program tells of a fault of its own to a file, and
	// gives that file's path. Nil: the fault is told without one.
	Report func(report []byte) (path string, err error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Store is the part of a configstore.Store that the program uses.
type Store interface {
	Path() string
	Command(args ...string) string
	Load(context.Context) (configstore.Config, error)
	CheckWritable(context.Context) error
	Save(context.Context, configstore.Entry) error
	Rename(ctx context.Context, nickname, newNickname string) error
	SetDisabled(ctx context.Context, nickname string, disabled bool) error
	Remove(ctx context.Context, nickname string) (configstore.Removed, error)
	PutBack(context.Context, configstore.Removed) error
	SetTokenStatus(context.Context, localapi.Graph, localapi.Token, localapi.TokenStatus, localapi.AccessLevel) error
	Import(context.Context, []configstore.Entry) (configstore.ImportReport, error)
	FixMode(context.Context) error
	Watch(ctx context.Context, interval time.Duration) <-chan configstore.Event
}

var _ Store = (*configstore.Store)(nil)

// Roam is the part of a localapi.Client that the program uses.
type Roam interface {
	Address() string
	// SeenAPIVersion belongs to the last list of graphs; empty for none.
	SeenAPIVersion() string
	localapi.Lister
	TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo
}

var _ Roam = (*localapi.Client)(nil)

// Exchange is a token exchange that runs; exchange.Session says what its methods
// promise.
type Exchange interface {
	Updates() <-chan exchange.Machine
	Send(exchange.Event)
	Close() exchange.Machine
}

var _ Exchange = (*exchange.Session)(nil)

// Proof is what a real call through the embedded MCP server has shown.
type Proof struct {
	Tools int           // number of tools offered
	Call  string        // the tool that was called
	Took  time.Duration // from start to the answer of the call
	// Detail says more where there is more to say; may be empty.
	Detail string
}

// File is a file or folder that the program uses.
type File struct {
	Name  string // what it is, in a few words
	Path  string // absolute
	Note  string // who writes it and what for, a sentence
	There bool   // it exists now
}

// Desk is the sandbox's approval desk: what stands in for Roam's own dialog.
type Desk interface {
	// Watch gives the open requests now and after every change, the newest
	// state only, until ctx ends.
	Watch(context.Context) <-chan []AccessRequest
	// Answer decides a request. One that has gone away is an error.
	Answer(id string, decision Decision) error
}

// AccessRequest is a request that waits for a person's answer in the sandbox.
type AccessRequest struct {
	ID          string
	Graph       localapi.Graph
	Description string // who asks, as the asker tells it
	AccessLevel localapi.AccessLevel
}

// Decision answers an AccessRequest.
type Decision uint8

const (
	Allow         Decision = iota + 1 // the level that was asked for
	AllowReadOnly                     // less than that
	Deny                              // this time
	Never                             // now and from now on
)

// Call is a tool call that has started or ended.
type Call = mcpserve.Activity

// Service is the embedded MCP server while it serves over HTTP.
type Service interface {
	// URL is where clients find it.
	URL() string
	// TokenPath is the file with the token that they send.
	TokenPath() string
	// Calls are the tool calls, as they start and as they end. The channel is
	// closed when the server has ended.
	Calls() <-chan Call
	// Lost counts the starts and ends of calls that Calls has left out, since
	// they were not taken fast enough.
	Lost() uint64
	// Clients are those that are connected now.
	Clients() []mcpserve.Client
	// Counters count the calls since the start.
	Counters() mcpserve.Counters
	// PauseWrites has every write refused, until it is told false. It waits for
	// nothing.
	PauseWrites(paused bool)
	// Stop ends it and waits for the end: calls that run are given some seconds.
	Stop()
	// Err is why it ended; nil after Stop.
	Err() error
}
