package main

import (
	"context"
	"log/slog"
	"sync"

	"roam-mcp/history"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/transport/streamablehttp"
	"roam-mcp/mcpserve/transport/streamablehttp/bearer"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// insideAddress is where the setup program serves. Where it is taken, any free
// port is.
const (
	insideAddress = "127.0.0.1:3939"
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
func (s *insideServers) serve(ctx context.Context, profile, nickname string) (tui.Service, error) {
	token, err := bearer.LoadOrCreate(ctx, s.world.httpToken())
	if err != nil {
		return nil, err
	}
	var graphs []string
	if nickname != "" {
		graphs = []string{nickname}
	}
	ctx, cancel := context.WithCancel(ctx)
	server, err := mcpserve.New(ctx, mcpserve.Options{
		Store: s.world.store(), Journal: s.world.journal(ctx, history.KindSetup, s.log), Roam: s.client, Version: version(), Log: s.log, RescueFolder: rescueFolder(), World: s.world.hints(),
		Profile: profile, Graphs: graphs,
	})
	if err != nil {
		cancel()
		return nil, err
	}
	endpoint, err := server.ListenHTTP(ctx, streamablehttp.Options{Address: insideAddress, Token: token})
	if problem.CodeOf(err) == streamablehttp.CodeAddressInUse {
		endpoint, err = server.ListenHTTP(ctx, streamablehttp.Options{Address: anyAddress, Token: token})
	}
	if err != nil {
		cancel()
		return nil, err
	}
	inside := &insideServer{
		Monitor: server.Activity(), server: server, url: endpoint.URL(), tokenPath: s.world.httpToken(),
		calls:  server.Activity().Subscribe(activity.SubscribeOptions{Arguments: true}),
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
		defer server.Close()
		defer tidyWhenIdle(server.Activity(), s.world.tidies(history.KindSetup, s.log))()
		inside.err = endpoint.Serve(ctx)
	})
	return inside, nil
}

// insideServer is one of them.
type insideServer struct {
	*activity.Monitor
	server         *mcpserve.Server
	url, tokenPath string
	calls          *activity.Subscription
	cancel         context.CancelFunc
	ended          chan struct{}
	err            error // once ended is closed
}

var _ tui.Service = (*insideServer)(nil)

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
