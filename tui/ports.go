package tui

import (
	"context"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/handoff"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/activity"
)

// Ports are everything that the program does outside its own screen.
type Ports struct {
	// Store keeps the configuration.
	Store Store
	// Rescue writes a granted token that could not be saved to a file of its own, and
	// returns its path.
	Rescue func(configstore.Entry) (path string, err error)
	// Official reads the graphs of the official tools. Nil means that nothing can be
	// imported.
	Official func() ([]configstore.Entry, []configstore.Problem, error)
	// Roam lists graphs and checks tokens.
	Roam Roam
	// Exchange starts a token exchange, which ends with the context at the latest.
	Exchange func(context.Context, exchange.Request) Exchange
	// OpenRoam opens Roam, or a graph in it. Nil means that this machine can't.
	OpenRoam func(context.Context, localapi.Graph) error
	// Prove makes a real call through the embedded MCP server.
	Prove func(ctx context.Context, nickname string) (Proof, error)
	// Guidelines reads the guidelines of a configured graph, as markdown, or "". took
	// is how long Roam took to answer.
	Guidelines func(ctx context.Context, nickname string) (text string, took time.Duration, err error)
	// Serve starts the embedded MCP server over HTTP, which ends with the context at
	// the latest. Nil means that this program can't.
	Serve func(context.Context) (Service, error)
	// Snippets are the configurations to give to MCP clients.
	Snippets []handoff.Snippet
	// Desk is the sandbox's approval desk. Nil unless this program hosts it.
	Desk Desk
	// Files lists the files that the program uses. It may be nil.
	Files func() []File
	// Copy puts text into the system's clipboard. Nil leaves the terminal to do it.
	Copy func(ctx context.Context, text string) error
	// Report writes a crash report to a file and returns its path. It may be nil.
	Report func(report []byte) (path string, err error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Store is the part of a configstore.Store that the program uses.
type Store interface {
	Path() string
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
	// SeenAPIVersion is the version that came with the last list of graphs, or "".
	SeenAPIVersion() string
	localapi.Lister
	TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo
}

var _ Roam = (*localapi.Client)(nil)

// Exchange is a token exchange under way. exchange.Session documents its methods.
type Exchange interface {
	Updates() <-chan exchange.Machine
	Send(exchange.Event)
	Close() exchange.Machine
}

var _ Exchange = (*exchange.Session)(nil)

// Proof is the result of a real call through the embedded MCP server.
type Proof struct {
	Tools int           // number of tools offered
	Call  string        // the tool that was called
	Took  time.Duration // from the start of the server to the answer
	// Detail is a further sentence, or "".
	Detail string
}

// File is a file or folder that the program uses.
type File struct {
	Name  string // in a few words
	Path  string // absolute
	Note  string // who writes it and what for, in a sentence
	There bool   // whether it exists
}

// Desk is the sandbox's approval desk, which stands in for Roam's dialog.
type Desk interface {
	// Watch sends the open requests, now and after every change, until ctx ends. Only
	// the newest state waits to be received.
	Watch(context.Context) <-chan []AccessRequest
	// Answer decides a request. It fails if the request has gone away.
	Answer(id string, decision Decision) error
}

// AccessRequest is a request that a person has to answer in the sandbox.
type AccessRequest struct {
	ID          string
	Graph       localapi.Graph
	Description string // who asks, in the asker's words
	AccessLevel localapi.AccessLevel
}

// Decision answers an AccessRequest.
type Decision uint8

const (
	Allow         Decision = iota + 1 // the level that was asked for
	AllowReadOnly                     // in its place
	Deny                              // this request
	Never                             // this request and all that follow
)

// Call is a tool call that has started or ended.
type Call = activity.Event

// Service is the embedded MCP server while it serves over HTTP.
type Service interface {
	// URL is the address of the server.
	URL() string
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
