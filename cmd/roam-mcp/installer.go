package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/transport"
	"roam-mcp/tui"
)

// The names that entries of roam-mcp have in clients' files, before that of a profile.
const (
	entryName        = "roam"
	sandboxEntryName = "roam-sandbox"
)

// entryName is the name of this world's entries, before that of a profile.
func (w dirs) entryName() string {
	if w.sandbox {
		return sandboxEntryName
	}
	return entryName
}

// thisMachine returns the machine on which clients are looked for, with the path by which
// they are to start this program, and what a person should know of that path.
func thisMachine() (machine clients.Machine, note string, err error) {
	machine, err = clients.ThisMachine()
	machine.Program, note = clients.OwnProgram(os.Args[0])
	return machine, note, err
}

var _ tui.Clients = (*install.Installer)(nil)

// installer returns what gives clients their entries in this world.
func (w dirs) installer() (*install.Installer, error) {
	machine, note, err := thisMachine()
	if err != nil {
		return nil, err
	}
	in := &install.Installer{
		Machine: machine, Note: note, Environ: os.Environ(), Now: time.Now, OpenLink: linkOpener(),
		Server:         clients.Server{Name: w.entryName(), Command: machine.Program, Args: append([]string{"serve"}, w.flags()...)},
		DefaultProfile: mcpserve.DefaultProfile, Proofs: install.ProofLog{Path: w.proofLog()}, World: w.clientWorld,
		Graphs: func(ctx context.Context) ([]install.Graph, error) {
			config, err := w.store().Load(ctx)
			if err != nil {
				return nil, err
			}
			var graphs []install.Graph
			for _, entry := range config.Enabled() {
				graphs = append(graphs, install.Graph{Nickname: entry.Nickname})
			}
			return graphs, nil
		},
	}
	activity := w.activity(slog.New(slog.DiscardHandler))
	in.Called = func(names ...string) time.Time {
		call, _ := activity.LastCall(names...)
		return call.At
	}
	for _, profile := range mcpserve.Profiles() {
		in.Probes = append(in.Probes, profile.Proving())
	}
	return in, nil
}

// clientWorld returns what the entries of clients are compared with: where this world's
// configuration is, its graphs, and the servers that run.
func (w dirs) clientWorld(ctx context.Context) clients.World {
	compared := clients.World{Sandbox: w.sandbox, Config: w.config, HTTP: "http://" + insideAddress + transport.HTTPPath}
	if config, err := w.store().Load(ctx); err == nil {
		compared.NoGraph, compared.Reaches = len(config.Enabled()) == 0, config.Reaches
	}
	// Servers that can't be listed count as none, so that nothing is called served.
	servers, _ := runningServers(ctx, w.activity(slog.New(slog.DiscardHandler)))
	for _, server := range servers {
		if server.Address != "" {
			compared.Serving = append(compared.Serving, server.Address)
		}
	}
	return compared
}
