package main

import (
	"context"
	"runtime/debug"

	"github.com/spf13/cobra"

	"roam-mcp/mcpserve"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	graphs   []string
	readOnly bool
	toolsets []string
	profile  string
	maxReply int
}

func (a *app) serveCommand() *cobra.Command {
	options := serveOptions{}
	command := &cobra.Command{
		Use:   "serve",
		Short: "Serve the connected graphs over MCP on standard input and output",
		Long: `Serve the connected graphs over MCP on standard input and output. MCP clients
start this command themselves; it needs neither Roam nor a graph to be there yet.`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), options) },
	}
	flags := command.Flags()
	flags.StringSliceVar(&options.graphs, "graph", nil, "serve only the graph with this `nickname`; may be repeated")
	flags.BoolVar(&options.readOnly, "read-only", false, "offer no tool that changes anything")
	flags.StringSliceVar(&options.toolsets, "toolsets", nil, "`names` of the toolsets to offer")
	flags.StringVar(&options.profile, "profile", "", "`name` of the tool surface")
	flags.IntVar(&options.maxReply, "max-reply", 0, "largest reply in `bytes` (default 65536)")
	return command
}

func (a *app) serve(ctx context.Context, o serveOptions) error {
	w, err := a.world()
	if err != nil {
		return err
	}
	log, err := a.logger()
	if err != nil {
		return err
	}
	// A server is idle most of the time; fewer collections cost little memory
	// and make calls quicker (MCP.md, section 4).
	debug.SetGCPercent(400)
	roam, closeRoam := a.servedRoam(w, log)
	defer closeRoam()
	server, err := mcpserve.New(ctx, mcpserve.Options{
		Store: w.store(), Roam: roam, Graphs: o.graphs, ReadOnly: o.readOnly, Toolsets: o.toolsets,
		Profile: o.profile, MaxReply: o.maxReply, Version: version(), Log: log,
	})
	if err != nil {
		return err
	}
	return server.ServeStdio(ctx, a.in, a.out)
}
