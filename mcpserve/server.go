// Package mcpserve is the MCP server of roam-mcp: it turns tool calls into
// actions of Roam's Local API, on the graph that the caller means.
//
// It promises that nothing is written to a graph that was not meant, that no
// write is sent twice, that every error says what to do next, and that neither
// a bad line nor a panic ends it. It starts without touching Roam. It knows no
// tool by name, which is for the profiles to say, and not how the configuration
// is stored or how messages travel.
//
// Roam is called for the tools with the token that the configuration has now, within the time that
// the call may take.
package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/netutil"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/manage"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/transport"
)

// SmallestReply is the least that Options.MaxReply can be, in tokens.
const SmallestReply = 1500

// defaultMaxReply leaves room for what the estimate may be wrong by below the
// 25,000 tokens that hosts cut or refuse replies at.
const defaultMaxReply = 18_000

// Options of a Server. Store and Roam are required.
type Options struct {
	Store manage.Store
	// Roam that is an exchange.Roam too, as localapi.Client is, can be asked for
	// tokens; without that, setup_new_graph is not offered and OpenRoam not used.
	Roam API
	// OpenRoam opens Roam, where a call finds it closed; nil: it stays closed.
	OpenRoam func(context.Context, localapi.Graph) error
	// World is where hints for the user are read: with the flags that make commands
	// work on the configuration that is served, and with what its Roam is called. Its tools
	// are the server's own.
	World problem.World
	// RescueFolder takes granted tokens that can't be saved. It need not exist.
	RescueFolder string

	Graphs   []string // nicknames or names: only these graphs are served; empty: all
	ReadOnly bool     // offer only tools that change nothing
	// APIVersion is the version of the Local API that is expected of Roam where a graph's
	// entry does not say: localapi.AnyVersion, or one that localapi.CheckVersion takes;
	// empty: as Roam has it.
	APIVersion string
	// FilesFrom are folders that agents may upload files from, all below them
	// included but what is hidden or holds keys; empty: none. OwnFiles are files and
	// folders of this program, which are never uploaded.
	FilesFrom, OwnFiles []string
	// EditGuidelines lets agents change the page with the graph's guidelines, and EditCode
	// what Roam runs as code.
	EditGuidelines, EditCode bool
	// OverwriteUnread lets clients replace contents that they were never shown: those count
	// as shown.
	OverwriteUnread bool
	Toolsets        []string // empty: those that are on by default; "all": each
	Profile         string   // empty: DefaultProfile

	MirrorLimit int64            // bytes that graphs held in memory may take in all, about; 0: 640 MiB
	Memory      *netutil.Memory  // what long messages of clients take; nil: each transport has its own
	MaxReply    int              // tokens of a reply at most; 0: 18,000; at least SmallestReply
	Version     string           // of this program, told to clients
	Log         *slog.Logger     // nil: nothing is logged
	Now         func() time.Time // nil: time.Now

	// Journal is where what tools change is recorded; nil: nowhere. The server closes it.
	Journal *history.Journal
	// Agent is who writes, in the journal; empty: what the client calls itself.
	Agent string

	// ToolCommand begins the name of a tool in hints, such as "roam-mcp call ", for a person who
	// calls tools by a command; empty: models read them.
	ToolCommand string

	Timeouts *Timeouts // nil: DefaultTimeouts()
	// DrainTimeout is how long calls in flight may go on once the client has
	// closed its end or the server is told to stop. 0: 10 s.
	DrainTimeout time.Duration

	// profiles are those that Profile names one of; nil: allProfiles().
	profiles []registered

	// Customize changes the options of the MCP server underneath before it is
	// made, for programs that add features of their own to MCP(). nil: none.
	Customize func(*mcp.ServerOptions)
}

// Server serves one configuration to any number of connections.
type Server struct {
	options  Options
	ctx      context.Context // of New: ends what runs in the background
	log      *slog.Logger
	now      func() time.Time
	maxReply int

	offering      offering
	runners       map[problem.Task]runner
	serving       *serving
	sealer        ticketCodec
	sessions      *sessions
	unheard       *unheard
	guidelines    *guidelineBook
	standings     *graphHealth
	mirrors       *mirrors
	operations    *ops.Operations
	recorder      *recording.Recorder // nil: nothing is recorded
	folders       *ops.Folders
	activity      *activity.Monitor
	timeouts      Timeouts
	drain         transport.Drain // the end of serving
	exchanger     exchange.Roam   // nil: tokens can't be asked for
	tokenRequests *tokenRequests  // nil as well then
	roam          *Roam
	limit         limiter // of one call of setup_new_graph
	mcp           *mcp.Server

	mu      sync.Mutex
	offered map[string]bool // tools in the list now, and in which form
	several bool
	view    view // the last good configuration, for the instructions

	resources map[string]localapi.Graph // in the list now, by URI
	prompts   map[string]string         // in the list now: name and definition
}

// limiter gives the context of a call that must not take for ever.
type limiter func(context.Context) (context.Context, context.CancelFunc)

// New makes a server and follows the configuration until ctx ends. It never
// touches Roam. A configuration that is missing or can't be understood is
// reported by the tools, except one that is too new; an unknown profile,
// toolset or graph is an error that lists the known ones. Errors that
// a person may read are a *problem.Error.
func New(ctx context.Context, options Options) (*Server, error) {
	if options.Store == nil || options.Roam == nil {
		return nil, errors.New("mcpserve: Store and Roam are required")
	}
	chosen, err := newOffering(options)
	if err != nil {
		return nil, err
	}
	tickets, err := newSealer()
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: options, ctx: ctx, log: options.Log, now: options.Now, maxReply: options.MaxReply,
		offering: chosen, runners: runners(), serving: newServing(options.Graphs), sealer: tickets,
		sessions: newSessions(), unheard: &unheard{}, guidelines: newGuidelineBook(), standings: newStandings(),
		timeouts: DefaultTimeouts(),
		offered:  map[string]bool{},
	}
	s.setDefaults()
	if s.folders, err = ops.OpenFolders(options.FilesFrom, options.OwnFiles); err != nil {
		return nil, err
	}
	s.mirrors = newMirrors(func() keeper {
		return mirror.New(mirror.Options{Limit: options.MirrorLimit, Now: s.now, Log: s.log})
	})
	s.operations = s.newOperations()
	if options.Journal != nil {
		s.recorder = recording.New(recording.Options{Journal: options.Journal, Now: s.now, Log: s.log})
	}
	s.setExchanger()
	s.roam = s.newRoam()
	first, err := s.firstView(ctx)
	if err != nil {
		return nil, err
	}
	s.mcp = s.newMCP()
	s.offer(first)
	go s.follow(ctx)
	return s, nil
}

func (s *Server) newOperations() *ops.Operations {
	protect := ops.Protection{Guidelines: !s.options.EditGuidelines, Code: !s.options.EditCode}
	return ops.New(ops.Options{Now: s.now, Protect: protect, Folders: s.folders, AfterWrite: s.mirrors.wrote, LookTimeout: s.timeouts.Look, Wait: s.timeouts.Between})
}

func (s *Server) setDefaults() {
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.maxReply == 0 {
		s.maxReply = defaultMaxReply
	}
	s.maxReply = max(s.maxReply, SmallestReply)
	if s.options.Timeouts != nil {
		s.timeouts = *s.options.Timeouts
	}
	s.activity = activity.NewMonitor(s.now)
	s.drain = transport.Drain{Calls: s.options.DrainTimeout}
}

// setExchanger finds out what this server can ask of Roam besides actions.
func (s *Server) setExchanger() {
	exchanger, ok := s.options.Roam.(exchange.Roam)
	if !ok {
		return
	}
	s.exchanger = exchanger
	s.offering.setsUp = true
	s.limit = func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, setupPatience)
	}
	keeper := manage.Manager{Store: s.options.Store, Rescue: func(entry configstore.Entry) (string, error) {
		return configstore.WriteRescue(s.options.RescueFolder, entry)
	}}
	s.tokenRequests = &tokenRequests{roam: exchanger, log: s.log, byName: map[string]*tokenRequest{}, keep: keeper.Keep}
}

func (s *Server) newRoam() *Roam {
	options := callerOptions{
		API: s.options.Roam, APIVersion: s.options.APIVersion, Timeouts: s.timeouts.Roam, Lifetime: s.ctx,
		SetTokenStatus: s.options.Store.SetTokenStatus, Now: s.now, Log: s.log,
	}
	if s.exchanger != nil {
		options.Open, options.OpenGraphs = s.options.OpenRoam, s.exchanger.OpenGraphs
	}
	return newCaller(options)
}

// Close ends the requests for tokens that are open in Roam, and returns when
// what was granted is saved, and what the last writes left is recorded or 2 seconds are
// over. The graphs that are held in memory are forgotten. Call it once nothing is served
// any more.
func (s *Server) Close() {
	if s.tokenRequests != nil {
		s.tokenRequests.close()
	}
	s.mirrors.close()
	s.closeJournal()
}

// firstView reads the configuration at start, and checks --graph against it
// where it can be read.
func (s *Server) firstView(ctx context.Context) (view, error) {
	config, err := s.options.Store.Load(ctx)
	if err != nil {
		if Explained(err).Code == configstore.CodeConfigTooNew {
			return view{}, err
		}
		s.log.Warn("the configuration can't be used", "code", Explained(err).Code)
		return view{exists: true}, nil
	}
	if missing := s.serving.unknown(config); config.Exists && len(missing) > 0 {
		var known []string
		for _, e := range config.Entries {
			known = append(known, e.Nickname)
		}
		unknown := notConfigured(view{}, missing[0])
		unknown.Hint = problem.Say("No graph is configured.")
		if len(known) > 0 {
			unknown.Hint = problem.Say("Configured graphs: %s.", strings.Join(known, ", "))
		}
		return view{}, unknown
	}
	for _, found := range config.Problems {
		s.log.Warn("the configuration has a problem", "code", found.Code, "line", found.Line, "problem", textsafe.Redact(textsafe.Line(found.Message, 300)))
	}
	return s.serving.view(config), nil
}

func (s *Server) newMCP() *mcp.Server {
	options := &mcp.ServerOptions{
		Logger: transport.Quiet(s.log),
		// All three are declared even where there are none yet, logging is not.
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{ListChanged: true},
			Resources: &mcp.ResourceCapabilities{ListChanged: true},
			Prompts:   &mcp.PromptCapabilities{ListChanged: true},
		},
		CompletionHandler: s.promptList().complete,
		SetCacheable:      func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	}
	if s.options.Customize != nil {
		s.options.Customize(options)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "roam-mcp", Title: "Roam Research", Version: s.options.Version}, options)
	server.AddReceivingMiddleware(transport.Middleware, s.receive)
	offerSkill(server, s.offering.profile.Name)
	return server
}

// What a Server does besides answering calls.
type (
	guidelineReader struct{ *Server } // keeps the guidelines of graphs
	promptList      struct{ *Server } // offers and fills prompts
	resourceList    struct{ *Server } // offers and reads resources
	ticketCheck     struct{ *Server } // knows who has read the guidelines
)

func (s *Server) guide() guidelineReader     { return guidelineReader{s} }
func (s *Server) promptList() promptList     { return promptList{s} }
func (s *Server) resourceList() resourceList { return resourceList{s} }
func (s *Server) tickets() ticketCheck       { return ticketCheck{s} }

// HoldsGraphs reports whether the server holds whole graphs in memory, with their texts, once
// they are asked about.
func (s *Server) HoldsGraphs() bool { return s.offering.profile.Mirrors }

// MCP is the server underneath, for transports that this package does not make
// and for features of others.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Connect serves one connection over a transport, for tests and for the setup
// program. The session ends when the client leaves, or with its Close.
func (s *Server) Connect(ctx context.Context, transport mcp.Transport) (*mcp.ServerSession, error) {
	session, err := s.mcp.Connect(ctx, transport, nil)
	if err != nil {
		return nil, fmt.Errorf("connect the MCP client: %w", err)
	}
	return session, nil
}

// sessionOf is what is remembered for a call; nil in the stateless era, where
// nothing may be.
func (s *Server) sessionOf(request *mcp.CallToolRequest) *session {
	if request.Session == nil || request.ProtocolVersion() >= statelessVersion {
		return nil
	}
	return s.sessions.of(request.Session, s.mcp)
}

// follow keeps the tool list in step with the configuration. It changes when
// the file does, never because of a call.
func (s *Server) follow(ctx context.Context) {
	for event := range s.options.Store.Watch(ctx, 0) {
		if event.Err != nil {
			s.log.Warn("the configuration can't be used", "code", Explained(event.Err).Code)
			continue
		}
		s.offer(s.serving.view(event.Config))
		_, _ = s.look(ctx) // forgets what is not served any more, also while nobody calls
	}
}

// offer puts the tools, resources and prompts for a state of the configuration
// into their lists. What stays as it is stays untouched, so that clients hear of real changes
// only.
func (s *Server) offer(v view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = v
	several := v.choosing()
	wanted := map[string]bool{}
	for _, t := range s.offering.tools(v) {
		wanted[t.Name] = true
		if s.offered[t.Name] && (several == s.several || !t.OnGraph) {
			continue
		}
		s.mcp.AddTool(s.offering.profile.Definition(t, several), s.handlerOf(t))
	}
	var gone []string
	for name := range s.offered {
		if !wanted[name] {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		s.mcp.RemoveTools(gone...)
	}
	s.offered, s.several = wanted, several
	s.resourceList().offerResources(v)
	s.promptList().offerPrompts(v)
}

func (s *Server) handlerOf(t *surface.Tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.run(ctx, t, request)
	}
}

func (s *Server) isOffered(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offered[name]
}

func (s *Server) currentView() view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// worldOf returns the world that a client reads hints in: the flags of this
// server's commands, and the tools that are offered.
func (s *Server) worldOf(v view) problem.World {
	world := s.options.World
	name := s.offering.toolName(v)
	world.Tool = func(task problem.Task) string {
		if called := name(task); called != "" {
			return s.options.ToolCommand + called
		}
		return ""
	}
	return world
}

// closeJournal ends the recording.
func (s *Server) closeJournal() {
	if s.recorder == nil {
		return
	}
	if err := s.recorder.Close(context.WithoutCancel(s.ctx)); err != nil {
		s.log.Warn("the journal was not closed", "code", problem.CodeOf(err))
	}
}
