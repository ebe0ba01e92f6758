package activity

import (
	"log/slog"
	"sync"
	"time"

	"roam-mcp/internal/problem"
)

// The kinds of a Server.
const (
	KindStdio = "stdio" // started by a client
	KindHTTP  = "http"  // roam-mcp serve --http
	KindSetup = "setup" // the setup program, over HTTP
)

// Server is a program that serves, or has served, graphs to MCP clients.
type Server struct {
	ID       string // of its file; orders servers by when they started
	PID      int
	Program  string // path of the executable
	Version  string
	Kind     string   // KindStdio, KindHTTP or KindSetup
	Profile  string   // name; never ""
	Address  string   // URL; "" for KindStdio
	Graphs   []string // nicknames or names of the graphs that it serves alone; empty: every enabled one
	ReadOnly bool

	Started time.Time
	Ended   time.Time // zero while it lives, and of one that was killed
	Alive   bool      // holds its lock
	// Clients are those it has heard of, the one heard last at the end.
	Clients []ServerClient
	// Lost is the number of starts and ends of calls that are not in its file, since
	// they came faster than they could be written.
	Lost uint64
}

// ServerClient is an MCP client of a server, by the name that it gives itself.
type ServerClient struct {
	Name, Version string
	Last          time.Time // of its last call, or of its introduction
	Calls         int       // that have ended
}

// LoggedCall is a call of a tool.
type LoggedCall struct {
	Server string // ID
	Number uint64 // in its server, from 1
	At     time.Time
	Ended  bool   // false: it is running, or its server was killed
	Client string // as it names itself; "" where it does not
	Graph  string // nickname; "" where the call works on none
	Tool   string
	Page   string // title, or what the caller gave in its place; "" where it names none, or where titles are not kept
	Writes bool   // the tool changes something

	// Of a call that has ended:
	Took    time.Duration
	Outcome problem.Code // activity.OutcomeOK, or the code of its error
	// Sentence says in plain words what the code of its error means; "" for a call that
	// succeeded. It holds nothing of the call itself.
	Sentence string
	Bytes    int // of the reply's text

	Change int64 // number of the call in the journal; 0: nothing of it is recorded there
}

// Log keeps the calls of all servers of a user where any of their programs can read them: who
// called which tool on which graph, when, for how long and with what outcome. It is safe for
// concurrent use.
//
// Each server has a file of lines in one folder, and holds a lock as long as it lives. No call
// waits for the disk, files stay small and old ones go, and a killed server leaves what it had
// written. No text, no argument and no sentence of an error is on disk: of a call's texts,
// only the title of its page is, where the event says that it may be kept.
type Log struct {
	folder string
	log    *slog.Logger

	mu    sync.Mutex
	files map[string]file // as last read, by ID
}

// OpenLog returns the log in a folder, which need not exist. Nothing is made before a
// server is followed. What can't be written is told to log; nil: nobody.
func OpenLog(folder string, log *slog.Logger) *Log {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Log{folder: folder, log: log, files: map[string]file{}}
}
