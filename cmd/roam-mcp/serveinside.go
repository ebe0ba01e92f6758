package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"roam-mcp/history"
	"roam-mcp/internal/listening"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/activity/shared"
	"roam-mcp/mcpserve/recording"
	"roam-mcp/mcpserve/transport/streamablehttp"
	"roam-mcp/mcpserve/transport/streamablehttp/bearer"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// insideAddress is where the setup program serves. Where it is taken and the person wants
// that, any free port is.
const (
	insideAddress = "127.0.0.1:3939"
	insidePort    = 3939
	anyAddress    = "127.0.0.1:0"
)

// insideServers are the servers that the setup program runs. It waits for their
// end before it ends itself, so that calls in flight are answered.
type insideServers struct {
	world  world
	client *localapi.Client
	log    *slog.Logger
	all    sync.WaitGroup
}

// serve is tui.Ports.Serve.
func (s *insideServers) serve(ctx context.Context, request tui.ServeRequest) (tui.Service, error) {
	token, err := bearer.LoadOrCreate(ctx, s.world.httpToken())
	if err != nil {
		return nil, err
	}
	var graphs []string
	if request.Graph != "" {
		graphs = []string{request.Graph}
	}
	ctx, cancel := context.WithCancel(ctx)
	server, err := mcpserve.New(ctx, mcpserve.Options{
		Store: s.world.store(), Journal: s.world.journal(ctx, history.KindSetup, s.log), Roam: s.client, Version: version(), Log: s.log, RescueFolder: rescueFolder(), World: s.world.hints(),
		Profile: request.Profile, Graphs: graphs, Memory: s.world.memory,
	})
	if err != nil {
		cancel()
		return nil, err
	}
	address := insideAddress
	if request.AnyPort {
		address = anyAddress
	}
	endpoint, err := server.ListenHTTP(ctx, streamablehttp.Options{Address: address, Token: token})
	if err != nil {
		cancel()
		return nil, s.explain(ctx, err)
	}
	id, stopShowing := s.world.follow(shared.Server{Kind: shared.KindSetup, Profile: request.Profile, Address: endpoint.URL(), Graphs: graphs}, server, s.log)
	inside := &insideServer{
		Monitor: server.Activity(), server: server, id: id, url: endpoint.URL(), keepsAddress: !request.AnyPort, tokenPath: s.world.httpToken(),
		calls:  server.Activity().Subscribe(activity.SubscribeOptions{Buffer: insideBuffer, Arguments: true, Replies: true}),
		cancel: cancel, ended: make(chan struct{}),
	}
	stopLog := func() {}
	if s.log.Enabled(ctx, slog.LevelInfo) {
		stopLog = server.Activity().LogCalls(s.log, false)
	}
	s.all.Go(func() {
		defer close(inside.ended)
		defer inside.calls.Close()
		defer stopLog()
		defer stopShowing()
		defer server.Close()
		defer recording.TidyWhenIdle(server.Activity(), s.world.tidies(history.KindSetup, s.log))()
		inside.err = endpoint.Serve(ctx)
	})
	return inside, nil
}

// insideBuffer is how many starts and ends of calls may wait for the screen. Each may hold
// what was sent and what came back, some 24 KiB.
const insideBuffer = 256

// explain says who listens on the usual port, where that is why nothing is served.
func (s *insideServers) explain(ctx context.Context, err error) error {
	failed, ok := problem.As(err)
	if !ok || failed.Code != streamablehttp.CodeAddressInUse {
		return err
	}
	taken := *failed
	taken.Message, taken.Hint = "Another program listens on "+insideAddress+" already.", problem.Say("End it, or serve on another port.")
	ctx, cancel := context.WithTimeout(ctx, listeningPatience)
	defer cancel()
	if servers, err := s.world.activity(s.log).Servers(ctx); err == nil {
		for _, other := range servers {
			if other.Alive && strings.Contains(other.Address, insideAddress) {
				taken.Message = fmt.Sprintf("Another roam-mcp (process %d) serves at %s already.", other.PID, other.Address)
				return &taken
			}
		}
	}
	if process, found := listening.On(ctx, insidePort); found {
		taken.Message = fmt.Sprintf("%s listens on %s already.", process, insideAddress)
	}
	return &taken
}

// listeningPatience is how long the system may take to say who listens.
const listeningPatience = 2 * time.Second

// insideServer is one of them.
type insideServer struct {
	*activity.Monitor
	server         *mcpserve.Server
	id             string
	url, tokenPath string
	keepsAddress   bool
	calls          *activity.Subscription
	cancel         context.CancelFunc
	ended          chan struct{}
	err            error // once ended is closed
}

var _ tui.Service = (*insideServer)(nil)

func (s *insideServer) ServerID() string             { return s.id }
func (s *insideServer) KeepsAddress() bool           { return s.keepsAddress }
func (s *insideServer) URL() string                  { return s.url }
func (s *insideServer) TokenPath() string            { return s.tokenPath }
func (s *insideServer) Calls() <-chan activity.Event { return s.calls.Events() }

func (s *insideServer) Clients() []activity.Client { return s.server.Clients() }

func (s *insideServer) Lost() uint64 { return s.calls.Dropped() }

func (s *insideServer) Stop() {
	s.cancel()
	<-s.ended
}

func (s *insideServer) Err() error {
	<-s.ended
	return s.err
}
