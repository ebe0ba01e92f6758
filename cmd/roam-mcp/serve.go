package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"roam-mcp/exchange"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/transport"
)

// serveCommands is the command that serves.
type serveCommands struct{ *app }

// serveOptions are the flags of serve.
type serveOptions struct {
	graphs   []string
	readOnly bool
	toolsets []string
	profile  string
	maxReply int
	openRoam bool
	mirrors  byteSize // that graphs in memory may take; 0: the default
	memory   byteSize // for what comes from outside; 0: the default

	apiVersion string

	noJournal bool
	agent     string // who writes, in the journal; "": as the client says

	editGuidelines  bool
	editCode        bool
	overwriteUnread bool
	filesFrom       []string

	http         string
	allowRemote  bool
	allowHosts   []string
	allowOrigins []string
	logArguments bool

	// toolCommand begins the names of tools in what a person reads; "": agents read it.
	toolCommand string
}

func (a serveCommands) serveCommand() *cobra.Command {
	options := serveOptions{}
	command := &cobra.Command{
		Use:   "serve",
		Short: "Serve the connected graphs over MCP on standard input and output, or over HTTP",
		Long: `Serve the connected graphs over MCP on standard input and output. MCP clients
start this command themselves; it needs neither Roam nor a graph to be there yet.

With --http it serves any number of clients at an address, until it is
interrupted. They send a token, which the first start makes; where it is stored
is said at every start.`,
		Example: `roam-mcp serve
# One graph, and no tool that changes anything
roam-mcp serve --graph Work --read-only
# The tools of another profile
roam-mcp serve --profile notes --graph Work
# Any number of clients, over HTTP
roam-mcp serve --http 127.0.0.1:3939`,
		SuggestFor: []string{"mcp", "run", "server", "start"},
		Args:       arguments(0, 0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), options) },
	}
	a.tellLists(command, profileAndToolsetLists)
	flags := command.Flags()
	flags.StringSliceVar(&options.graphs, "graph", nil, "serve only the graph with this `nickname`; may be repeated")
	flags.BoolVar(&options.readOnly, "read-only", false, "offer no tool that changes anything")
	flags.StringArrayVar(&options.filesFrom, "files-from", nil, "let agents upload files from this `folder` and all below it, but for what is hidden or holds keys; may be repeated")
	flags.BoolVar(&options.editGuidelines, "edit-guidelines", false, "let agents change the page [[roam/agent guidelines]], your rules for them")
	flags.BoolVar(&options.editCode, "edit-code", false, "let agents change what Roam runs as code: [[roam/js]], [[roam/css]], [[roam/render]]")
	flags.BoolVar(&options.overwriteUnread, "overwrite-unread", false, "for flows and scripts that never read a note before they replace its text: what was never shown counts as shown")
	flags.BoolVar(&options.noJournal, "no-journal", false, "record nothing of what agents write, for machines where nothing can be kept; other servers may change a note at the same time then")
	flags.StringVar(&options.agent, "agent", "", "`name` of the agent in the history (default: what the client calls itself)")
	flags.StringSliceVar(&options.toolsets, "toolsets", nil, "`names` of the toolsets to offer, with commas between, or all (see above)")
	flags.StringVar(&options.profile, "profile", "", "`name` of the tool surface (default "+mcpserve.DefaultProfile+"; see above)")
	flags.IntVar(&options.maxReply, "max-reply", 0, "longest reply in `tokens` (default 18000)")
	flags.Var(&options.mirrors, "mirror-limit", "memory for the graphs that a profile other than roam holds, a `size` such as 2GiB (default 640MiB)")
	flags.Var(&options.memory, "memory", "memory for what is read at the same time, replies and messages, a `size` such as 1GiB (default 512MiB, at least 64MiB)")
	flags.StringVar(&options.apiVersion, "api-version", "", "use a Roam with this `version` of the Local API, such as 0.0.9, or any, at your own risk (default "+localapi.APIVersion+")")
	flags.StringVar(&options.http, "http", "", "serve over streamable HTTP at this `address` instead, such as 127.0.0.1:3939; port 0 takes any free one")
	flags.BoolVar(&options.allowRemote, "allow-remote", false, "let --http listen where other machines can reach it; the connection is not encrypted")
	flags.StringSliceVar(&options.allowHosts, "allow-host", nil, "further `name` by which clients may call --http, such as a container's; may be repeated")
	flags.StringArrayVar(&options.allowOrigins, "allow-origin", nil, "let web pages of this `origin` call --http, such as http://localhost:5173; they need the token too; may be repeated")
	flags.BoolVar(&options.logArguments, "log-arguments", false, "log what the agents sent too, without tokens and tickets")
	flags.BoolVar(&options.openRoam, "open-roam", false, "open Roam Desktop where a call finds it closed")
	return command
}

// check refuses flags that mean nothing without another.
func (o serveOptions) check(log *slog.Logger) error {
	switch {
	case o.apiVersion != "" && localapi.CheckVersion(o.apiVersion) != nil:
		return usageError(fmt.Errorf("--api-version: %w", localapi.CheckVersion(o.apiVersion)))
	case o.maxReply != 0 && o.maxReply < mcpserve.SmallestReply:
		return usageError(fmt.Errorf("--max-reply takes %d tokens or more", mcpserve.SmallestReply))
	case o.memory != 0 && o.memory < netutil.LeastMemory:
		return usageError(errors.New("--memory takes 64MiB or more"))
	case checkAgent(o.agent) != nil:
		return usageError(checkAgent(o.agent))
	case o.http == "" && (o.allowRemote || len(o.allowHosts)+len(o.allowOrigins) > 0):
		return usageError(errors.New("--allow-remote, --allow-host and --allow-origin go with --http"))
	case o.logArguments && !log.Enabled(context.Background(), slog.LevelInfo):
		return usageError(errors.New("--log-arguments needs a log that has the calls: give it with --log-file, or --log-level info"))
	}
	return nil
}

func (a serveCommands) serve(ctx context.Context, o serveOptions) error {
	w, err := a.world()
	if err != nil {
		return err
	}
	log, err := a.logger()
	if err != nil {
		return err
	}
	server, closeServer, err := a.open(ctx, w, o, log)
	if err != nil {
		return err
	}
	defer closeServer()
	if log.Enabled(ctx, slog.LevelInfo) {
		defer server.Activity().LogCalls(log, o.logArguments)()
	}
	if o.http != "" {
		return a.serveHTTP(ctx, w, server, o, log)
	}
	a.printStdioNotice(ctx, w, o)
	defer a.publish(w, o, "", server, log)()
	return server.ServeStdio(ctx, a.in, a.out)
}

// open makes the server of a world, which asks Roam for nothing yet, and returns what closes it.
func (a serveCommands) open(ctx context.Context, w dirs, o serveOptions, log *slog.Logger) (_ *mcpserve.Server, closeServer func(), err error) {
	if err := o.check(log); err != nil {
		return nil, nil, err
	}
	w.replies, w.messages = mcpserve.MemoryFor{
		Profile: o.profile, HTTP: o.http != "", Journal: !o.noJournal, MirrorLimit: int64(o.mirrors), Outside: int64(o.memory), Sandbox: w.sandbox,
	}.Set()
	opener, err := o.opener(w)
	if err != nil {
		return nil, nil, err
	}
	roam, closeRoam := a.servedRoam(w, log)
	var journal *history.Journal
	if !o.noJournal {
		journal = w.journal(ctx, o.kind(), log)
	} else if !o.readOnly {
		a.tell("Nothing is recorded (--no-journal), so no other server waits while this one changes a note.\n")
	}
	server, err := mcpserve.New(ctx, mcpserve.Options{
		Store: w.store(), Journal: journal, Agent: o.agent, Roam: roam, Graphs: o.graphs, ReadOnly: o.readOnly, APIVersion: o.apiVersion, EditGuidelines: o.editGuidelines, EditCode: o.editCode, OverwriteUnread: o.overwriteUnread, FilesFrom: o.filesFrom, OwnFiles: w.ownFiles(a.logFile), Toolsets: o.toolsets,
		Profile: o.profile, MaxReply: o.maxReply, MirrorLimit: int64(o.mirrors), Memory: w.messages, Version: version(), Log: log,
		OpenRoam: opener, RescueFolder: rescueFolder(), World: w.hints(), ToolCommand: o.toolCommand,
	})
	if err != nil {
		closeRoam()
		return nil, nil, err
	}
	tidy := func() {}
	if journal != nil {
		tidy = activity.TidyWhenIdle(server.Activity(), w.tidies(o.kind(), log))
	}
	closeServer = func() {
		tidy()
		server.Close()
		closeRoam()
	}
	if o.mirrors != 0 && !server.HoldsGraphs() {
		closeServer()
		return nil, nil, usageError(errors.New("--mirror-limit goes with a --profile that holds graphs in memory"))
	}
	return server, closeServer, nil
}

// publish shows the server and its calls to this user's other programs, until stop is called.
func (a serveCommands) publish(w dirs, o serveOptions, address string, server *mcpserve.Server, log *slog.Logger) (stop func()) {
	if o.noJournal {
		return func() {}
	}
	_, stop = w.activity(log).Follow(announced(activity.Server{
		Kind: string(o.kind()), Profile: o.profile, Address: address, Graphs: o.graphs, ReadOnly: o.readOnly,
	}), server.Activity())
	return stop
}

func (a serveCommands) serveHTTP(ctx context.Context, w dirs, server *mcpserve.Server, o serveOptions, log *slog.Logger) error {
	token, err := transport.LoadOrCreateToken(ctx, w.httpToken())
	if err != nil {
		return err
	}
	endpoint, err := server.ListenHTTP(ctx, transport.HTTPOptions{
		Address: o.http, Token: token, AllowRemote: o.allowRemote, Hosts: o.allowHosts, Origins: o.allowOrigins,
	})
	if err != nil {
		return err
	}
	a.printEndpoint(ctx, w, endpoint, o)
	defer a.printCalls(server.Activity(), log)()
	defer a.publish(w, o, endpoint.URL(), server, log)()
	return endpoint.Serve(ctx)
}

// kind is what the server is in the journal.
func (o serveOptions) kind() history.Kind {
	switch {
	case o.http != "":
		return history.KindHTTP
	case o.toolCommand != "":
		return history.KindCLI
	}
	return history.KindStdio
}

// opener opens Roam for the server; nil where it must stay closed. In the
// sandbox's world a deep link would lead out, to the real Roam.
func (o serveOptions) opener(w dirs) (func(context.Context, localapi.Graph) error, error) {
	if !o.openRoam || w.sandbox {
		return nil, nil
	}
	open := openRoam()
	if open == nil {
		return nil, failed("Roam can't be opened from here: this machine has nothing that opens links.", problem.Say("Leave out --open-roam, and start %s yourself.", problem.Roam))
	}
	return open, nil
}

// servedRoam is the Roam that serve calls. In the sandbox's world it is started
// at the first call that finds none, so that serving begins at once and several
// servers share one sandbox.
func (a serveCommands) servedRoam(w dirs, log *slog.Logger) (mcpserve.API, func()) {
	client := w.client()
	if !w.sandbox {
		return client, client.CloseIdleConnections
	}
	roam := sandbox.NewOnDemand(client, sandbox.Options{Home: w.home, Policy: desk.Ask, Log: log})
	return roam, roam.Close
}

var _ exchange.Roam = (*sandbox.OnDemand)(nil)
