// Package sandbox is the embedded Roam: the Local API of Roam Desktop over
// graphs of its own, with the dialog that asks for a token (LOCAL_API.md 1, 2
// and 9).
//
// It promises the wire of Roam, that a write is on disk before it is reported, and
// that only this machine can connect. Unlike Roam it refuses web pages. What the
// API's functions do is in package actions, who decides on a token in desk.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/page"
	"roam-mcp/internal/sandbox/store"
)

const (
	// DataFolder is the folder of the graphs in the home folder of a sandbox.
	DataFolder = ".roam-sandbox"
	tokenFile  = "tokens.json"

	// portsToTry bounds the search for a free port.
	portsToTry = 100
	// closeLimit is how long Close waits for calls in flight.
	closeLimit = 3 * time.Second
)

// Codes of the errors of Start, beside those of packages desk and store.
const (
	CodeRoamRuns     problem.Code = "ROAM_RUNS"     // the home's port file belongs to somebody who answers
	CodeNoPort       problem.Code = "NO_PORT"       // no port can be listened on
	CodeImportFailed problem.Code = "IMPORT_FAILED" // a file that can't be imported
	CodeHomeUnusable problem.Code = "SANDBOX_HOME"  // the home folder can't be made or written
)

// Import is a graph to be made from an export.
type Import struct {
	Path  string         // of a Roam JSON or EDN export, a folder of markdown files, or a zip archive of them
	Graph localapi.Graph // the graph to make
}

// Options of a Server.
type Options struct {
	// Home is the folder of the port file. It is made if it is missing.
	Home string
	// Data is the folder of graphs and tokens; empty: Home/.roam-sandbox.
	Data string
	// Port on 127.0.0.1 and ::1; 0 takes any free one. If it is taken, the next free one is
	// used, as by Roam (LOCAL_API.md 1.2).
	Port int
	// Policy and AnswerLimit are the desk's.
	Policy      desk.Policy
	AnswerLimit time.Duration
	// Import makes graphs from exports. A graph that exists stays as it is.
	Import []Import
	// New makes generated graphs, unless they exist.
	New []NewGraph
	// InMemory adds graphs that are never on disk, for tests with large ones: 200,000
	// blocks take a sixth of the time. They have no full-text index, so that searches
	// read all texts, and nothing in them can be undone.
	InMemory []InMemory
	// Switches are on from the start; Server.Switches changes them later.
	Switches []Setting
	// Around wraps the handler of the API, for tests in which Roam does not do as it
	// should; nil: nothing does.
	Around func(http.Handler) http.Handler
	// Log may be nil.
	Log *slog.Logger
	// SemanticSearch is on in every graph; in most of Roam's it is off.
	SemanticSearch bool
	// Extensions are those that every graph has installed.
	Extensions []actions.Extension
	// Now dates all that is written; nil: time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() (Options, error) {
	if o.Home == "" {
		return o, &problem.Error{Code: CodeHomeUnusable, Message: "The sandbox was given no home folder."}
	}
	home, err := filepath.Abs(o.Home)
	if err == nil {
		err = os.MkdirAll(home, 0o700)
	}
	if err != nil {
		return o, homeUnusable(o.Home, err)
	}
	o.Home = home
	if o.Data == "" {
		o.Data = filepath.Join(home, DataFolder)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

func homeUnusable(home string, err error) *problem.Error {
	return &problem.Error{
		Code:    CodeHomeUnusable,
		Message: fmt.Sprintf("The sandbox's home folder %s can't be used: %v.", home, err),
		Hint:    problem.Say("Check the rights of that folder, or choose another one."),
		Err:     err,
	}
}

// Server is a running sandbox.
type Server struct {
	options  Options
	desk     *desk.Desk
	graphs   *library
	actions  *actions.Registry
	switches *SwitchSet
	key      string // for the sandbox's own routes
	page     *page.Handler
	port     int
	maxBody  int64
	http     *http.Server
	unused   netutil.UnusedConns // of http
	served   chan struct{}       // closed when http has ended
	release  func() error        // closes the graphs and the folder
}

// Start opens the graphs, listens on this machine alone and writes the port file. A data
// folder without graphs gets the two sample graphs, unless the options ask for
// others. ctx limits starting only; the server runs until Close.
func Start(ctx context.Context, options Options) (_ *Server, err error) {
	options, err = options.withDefaults()
	if err != nil {
		return nil, err
	}
	folder, err := store.OpenFolder(options.Data)
	if err != nil {
		return nil, err
	}
	closers := closers{folder.Close}
	defer func() {
		if err != nil {
			err = errors.Join(err, closers.close())
		}
	}()
	if err := checkPortFile(ctx, options.Home); err != nil {
		return nil, err
	}
	approval, err := desk.Open(desk.Options{
		Path: filepath.Join(options.Data, tokenFile), Policy: options.Policy, AnswerLimit: options.AnswerLimit, Now: options.Now,
	})
	if err != nil {
		return nil, err
	}
	graphs, err := openLibrary(ctx, folder, options)
	if err != nil {
		return nil, err
	}
	closers = append(closers, graphs.close)
	key, err := newKey(options.Data)
	if err != nil {
		return nil, err
	}
	listening, err := listen(ctx, options.Port)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: options, desk: approval, graphs: graphs,
		actions:  actions.New(actions.Options{SemanticSearch: options.SemanticSearch, Extensions: options.Extensions}),
		switches: newSwitchSet(options.Switches...), key: key, port: listening.port(), maxBody: maxBody, served: make(chan struct{}), release: closers.close,
	}
	s.page = s.newPage()
	if err := writePortFile(options.Home, s.port); err != nil {
		return nil, errors.Join(err, listening.Close())
	}
	s.serve(ctx, listening)
	return s, nil
}

func (s *Server) serve(ctx context.Context, listening listeners) {
	s.http = &http.Server{
		Handler:           s.handler(),
		ConnState:         s.unused.Note,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	var serving sync.WaitGroup
	for _, each := range listening {
		serving.Go(func() {
			if err := s.http.Serve(each); !errors.Is(err, http.ErrServerClosed) {
				s.options.Log.Error("the sandbox stopped listening", "address", each.Addr().String(), "error", err)
			}
		})
	}
	go func() { serving.Wait(); close(s.served) }()
	s.options.Log.Info("the sandbox listens", "port", s.port, "home", s.options.Home)
}

// closers are run in reverse.
type closers []func() error

func (c closers) close() error {
	var all error
	for i := len(c) - 1; i >= 0; i-- {
		all = errors.Join(all, c[i]())
	}
	return all
}

// listeners are those of one port, on 127.0.0.1 and, where there is IPv6, on ::1:
// browsers try both for a name below localhost, and who had the port on the other
// would be given the key of the page.
type listeners []net.Listener

// listen listens on the port, or on the next one that is free on both addresses.
func listen(ctx context.Context, port int) (listeners, error) {
	for tried := 0; ; tried++ {
		both, err := listenOn(ctx, port)
		if err == nil {
			return both, nil
		}
		if port >= 65535 || tried >= portsToTry || ctx.Err() != nil {
			return nil, &problem.Error{
				Code:    CodeNoPort,
				Message: fmt.Sprintf("No port can be listened on: %v.", err),
				Hint:    problem.Say("Choose another port, or 0 for any that is free."),
				Err:     err,
			}
		}
		if port != 0 {
			port++
		}
	}
}

func listenOn(ctx context.Context, port int) (listeners, error) {
	var config net.ListenConfig
	first, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	both := listeners{first}
	second, err := config.Listen(ctx, "tcp6", net.JoinHostPort("::1", strconv.Itoa(both.port())))
	if err == nil {
		return append(both, second), nil
	}
	if free, freeErr := config.Listen(ctx, "tcp6", "[::1]:0"); freeErr == nil { // there is IPv6, so the port is taken
		return nil, errors.Join(err, free.Close(), both.Close())
	}
	return both, nil
}

func (l listeners) port() int { return l[0].Addr().(*net.TCPAddr).Port }

// Close closes all.
func (l listeners) Close() error {
	var all error
	for _, each := range l {
		all = errors.Join(all, each.Close())
	}
	return all
}

// Port returns the port.
func (s *Server) Port() int { return s.port }

// Desk returns the desk at which token requests are answered.
func (s *Server) Desk() *desk.Desk { return s.desk }

// GraphStatus is a graph of the sandbox.
type GraphStatus struct {
	localapi.Graph
	Open   bool // it has been used, so that Roam would have a window of it
	Pages  int
	Blocks int
}

// Broken lists why graphs of the data folder were left out: their files can't be read.
// Nothing of these was changed.
func (s *Server) Broken() []*problem.Error {
	var list []*problem.Error
	for _, b := range s.graphs.broken {
		list = append(list, b.err)
	}
	return list
}

// Graphs lists the graphs, hosted ones first, by name.
func (s *Server) Graphs() []GraphStatus { return s.graphs.status() }

// Close answers open token requests with CANCELLED, waits for calls in flight for a
// few seconds or until ctx ends, and closes the graphs. The port file stays, as
// with Roam. A second Close does nothing.
func (s *Server) Close(ctx context.Context) error {
	s.desk.Close()
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	s.unused.Close()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close()
	}
	<-s.served
	return s.release()
}
