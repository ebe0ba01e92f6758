package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
)

// callCommands is the command that calls a tool.
type callCommands struct{ *app }

// callOptions are the flags of call.
type callOptions struct {
	serveOptions
	graph  string
	json   bool
	field  string
	output string
}

func (a callCommands) callCommand() *cobra.Command {
	o := callOptions{}
	command := &cobra.Command{
		Use:   "call [TOOL] [ARGUMENT…]",
		Short: "Call a tool that agents have, from the shell",
		Long: `Call a tool that agents have, from the shell: with the same limits, guards and record.
Without a tool it lists them; call TOOL --help says what one takes.

An argument is NAME=VALUE, NAME:=JSON for what is no text, NAME=@FILE or NAME=@- for a
long text from a file or from standard input; a name that is given again makes a list.
One argument that is a JSON object, or - for one on standard input, has all of them.
A profile other than roam holds the graph in memory, which is loaded for each call.`,
		Example: callExamples(),
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.list(o)
			}
			return a.call(cmd.Context(), o, args[0], args[1:])
		},
		ValidArgsFunction: a.complete,
	}
	flags := command.Flags()
	flags.StringVar(&o.graph, "graph", "", "call it for the graph with this `nickname`; where one alone is enabled it is that")
	flags.StringVar(&o.profile, "profile", "", "`name` of the tool surface (default "+mcpserve.DefaultProfile+")")
	flags.BoolVar(&o.readOnly, "read-only", false, "call no tool that changes anything")
	flags.StringArrayVar(&o.filesFrom, "files-from", nil, "let the tool upload files from this `folder` and all below it; may be repeated")
	flags.BoolVar(&o.editGuidelines, "edit-guidelines", false, "let the tool change the page [[roam/agent guidelines]]")
	flags.BoolVar(&o.editCode, "edit-code", false, "let the tool change what Roam runs as code: [[roam/js]], [[roam/css]], [[roam/render]]")
	flags.StringVar(&o.agent, "agent", history.ClientShell, "`name` of the one who writes, in the history")
	flags.BoolVar(&o.json, "json", false, "print the whole result on one line")
	flags.StringVar(&o.field, "field", "", "print one field of the reply, a text as it is, by its `name`")
	flags.StringVar(&o.output, "output", "", "write the image or file of the reply to a `file`; - is standard output")
	command.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if tool := command.Flags().Arg(0); tool != "" && a.toolHelp(cmd, o, tool) == nil {
			return
		}
		a.printHelp(cmd, args)
	})
	return command
}

// callExamples returns calls of tools that have other names in other profiles.
func callExamples() string {
	profile, err := mcpserve.FindProfile(mcpserve.DefaultProfile)
	if err != nil {
		panic(err) // it is there
	}
	call := func(does problem.Task, args ...string) string {
		return problem.World{}.Command(problem.Run("call", append([]string{profile.ToolName(does)}, args...)...))
	}
	return strings.Join([]string{
		call(problem.Search, "query=reading list"), call(problem.CreateBlocks, "dailyNotePage=today", "markdown=@notes.md"), call(problem.ReadPage, "title=Plan Q4"),
	}, "\n")
}

// calling is a server in this process, and a client of it.
type calling struct {
	session *mcp.ClientSession
	close   func()
}

// open starts the server of one graph and connects to it. Roam is not asked.
func (a callCommands) open(ctx context.Context, o callOptions) (*calling, error) {
	w, err := a.world()
	if err != nil {
		return nil, err
	}
	log, err := a.logger()
	if err != nil {
		return nil, err
	}
	o.toolsets, o.toolCommand = []string{"all"}, w.hints().Command(problem.Run("call"))+" "
	if o.graph != "" {
		o.graphs = []string{o.graph}
	}
	server, closeServer, err := serveCommands(a).open(ctx, w, o.serveOptions, log)
	if err != nil {
		return nil, err
	}
	session, err := a.connect(ctx, server)
	if err != nil {
		closeServer()
		return nil, err
	}
	return &calling{session, func() {
		_ = session.Close() // what the server has to say it has said
		closeServer()
	}}, nil
}

// connect connects a client to a server in this process. What the server asks a person is asked on
// the terminal.
func (a callCommands) connect(ctx context.Context, server *mcpserve.Server) (*mcp.ClientSession, error) {
	options := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		if r.Params.Message != "" && isTerminal(a.in) {
			a.tell("%s\n", r.Params.Message)
		}
	}}
	if isTerminal(a.in) {
		options.ElicitationHandler = a.ask
	}
	toServer, toClient := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, toServer); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: history.ClientShell, Version: version()}, options).Connect(ctx, toClient, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	return session, nil
}

func (a callCommands) call(ctx context.Context, o callOptions, name string, args []string) error {
	if err := o.checkOutput(isTerminal(a.out)); err != nil {
		return err
	}
	arguments, err := a.arguments(ctx, args)
	if err != nil {
		return usageError(err)
	}
	if graph, ok := arguments["graph"].(string); ok && o.graph == "" {
		o.graph = graph
		delete(arguments, "graph")
	}
	if err := a.checkTool(ctx, name, o); err != nil {
		return err
	}
	c, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	defer c.close()
	text, err := json.Marshal(arguments)
	if err != nil {
		return usageError(err)
	}
	params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(text)}
	params.SetProgressToken(name)
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return a.refused(ctx, err)
	}
	return a.print(result, o)
}

// refused returns the error of a call that the server did not take, or of a tool of a profile
// whose errors are the protocol's own.
func (a callCommands) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := err.Error()
	if _, said, found := strings.Cut(text, "calling \"tools/call\": "); found {
		text = said
	}
	var coded *jsonrpc.Error
	var data struct{ Code, Hint string }
	if !errors.As(err, &coded) || json.Unmarshal(coded.Data, &data) != nil || data.Code == "" {
		return usageError(errors.New(text))
	}
	message := strings.TrimPrefix(coded.Message, fmt.Sprintf("MCP error %d: ", coded.Code))
	return &problem.Error{Code: problem.Code(data.Code), Message: data.Code + ": " + message, Hint: problem.Say("%s", data.Hint)}
}

// checkTool refuses a tool that there is none of, and one on a graph where several are enabled and
// none is named.
func (a callCommands) checkTool(ctx context.Context, name string, o callOptions) error {
	_, _, config, err := a.load(ctx)
	if err != nil {
		return err
	}
	profile, err := mcpserve.FindProfile(o.profile)
	if err != nil {
		return err
	}
	tool, err := findTool(profile, name)
	if err != nil || !tool.OnGraph || o.graph != "" {
		return err
	}
	var enabled []string
	for _, entry := range config.Enabled() {
		enabled = append(enabled, entry.Nickname)
	}
	if len(enabled) > 1 {
		return &problem.Error{
			Code: codeUsage, Message: fmt.Sprintf("Which graph is meant? %s are enabled.", strings.Join(enabled, ", ")),
			Hint: problem.Say("Name one with --graph."),
		}
	}
	return nil
}

// findTool returns the tool of a profile with a name.
func findTool(profile surface.Profile, name string) (surface.Tool, error) {
	var names []string
	for _, tool := range profile.Tools {
		if tool.Name == name {
			return tool, nil
		}
		names = append(names, tool.Name)
	}
	said := fmt.Sprintf("The profile %s has no tool %q.", profile.Name, name)
	if meant := textsafe.Closest(name, names); meant != "" {
		said += fmt.Sprintf(" Did you mean %s?", meant)
	}
	return surface.Tool{}, &problem.Error{Code: codeUsage, Message: said, Hint: problem.Say("%s lists them.", problem.Run("call"))}
}
