package main

import (
	"context"
	"log/slog"
	"sync"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/tui"
)

// insideAddress is where the setup program serves. Where it is taken and the person wants
// that, any free port is.
const insideAddress = "127.0.0.1:3939"

// insideServers are the servers that the setup program runs. It waits for their
// end before it ends itself, so that calls in flight are answered.
type insideServers struct {
	world  dirs
	client *localapi.Client
	log    *slog.Logger
	all    sync.WaitGroup
}

var _ tui.Service = (*mcpserve.Background)(nil)

// serve is tui.Ports.Serve.
func (s *insideServers) serve(ctx context.Context, request tui.ServeRequest) (tui.Service, error) {
	var graphs []string
	if request.Graph != "" {
		graphs = []string{request.Graph}
	}
	server, err := mcpserve.ServeInBackground(ctx, mcpserve.BackgroundOptions{
		Server: mcpserve.Options{
			Store: s.world.store(), Journal: s.world.journal(ctx, history.KindSetup, s.log), Roam: s.client, Version: version(), Log: s.log, RescueFolder: rescueFolder(), World: s.world.hints(),
			Profile: request.Profile, Graphs: graphs, Memory: s.world.messages,
		},
		Address: insideAddress, AnyPort: request.AnyPort, TokenPath: s.world.httpToken(),
		Log: s.world.activity(s.log), Announced: announced(activity.Server{Kind: activity.KindSetup, Profile: request.Profile, Graphs: graphs}),
		Tidy: s.world.tidies(history.KindSetup, s.log),
	})
	if err != nil {
		return nil, err
	}
	s.all.Go(func() { _ = server.Err() })
	return server, nil
}
