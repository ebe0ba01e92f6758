package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
)

// sandboxCommands are the commands about the embedded Roam.
type sandboxCommands struct{ *app }

// sandboxOptions are the flags of sandbox.
type sandboxOptions struct {
	port        int
	home        string
	approve     string
	answerLimit time.Duration
	imports     string
	graphName   string
	graphType   string
	newGraphs   []string
	switches    []string
	semantic    bool
}

func (a sandboxCommands) sandboxCommand() *cobra.Command {
	options := sandboxOptions{}
	command := &cobra.Command{
		Use:   "sandbox",
		Short: "Run the embedded Roam",
		Long: `Run the embedded Roam: the Local API over graphs of its own, with the dialog
that asks whether a token may be had. It goes on until it is interrupted.

In the terminal where it asks, "revoke GRAPH" takes back the tokens of a graph,
and "unblock GRAPH" has a graph asked about again for which "never" was chosen.`,
		Example: `roam-mcp sandbox
# Grant every token, for tests
roam-mcp sandbox --approve allow --home /tmp/roam
roam-mcp sandbox --import ~/my-graph.json --new-graph big:20000`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runSandbox(cmd.Context(), options) },
	}
	flags := command.Flags()
	flags.IntVar(&options.port, "port", 0, "`port` on 127.0.0.1; 0 takes any free one")
	flags.StringVar(&options.home, "home", "", "home `folder` of the sandbox's world (default: a folder of its own)")
	flags.StringVar(&options.approve, "approve", string(desk.Ask), "`answer` to token requests: ask, allow, deny, never or timeout")
	flags.DurationVar(&options.answerLimit, "answer-limit", 0, "how long a token request stays open (default 5m, as in Roam)")
	flags.StringVar(&options.imports, "import", "", "`path` to start a graph from: a Roam JSON or EDN export, a folder of markdown files, or a zip archive of them")
	flags.StringVar(&options.graphName, "graph-name", "", "`name` of the imported graph (default: that of the file)")
	flags.StringVar(&options.graphType, "graph-type", "", "`type` of the imported graph: hosted or offline (default hosted)")
	flags.StringArrayVar(&options.newGraphs, "new-graph", nil, "make up a `graph`: NAME, or NAME:offline, NAME:100000 with that many blocks (again for more)")
	flags.StringArrayVar(&options.switches, "switch", nil, "make it slow, broken or old: a `switch` as NAME or NAME=VALUE (again for more; see sandbox switch)")
	flags.BoolVar(&options.semantic, "semantic-search", false, "have semantic search, by vectors that each graph's own text gives")
	command.AddCommand(a.switchCommand(), a.exportCommand())
	return command
}

func (o sandboxOptions) resolve(log *slog.Logger) (sandbox.Options, error) {
	options := sandbox.Options{Home: o.home, Port: o.port, AnswerLimit: o.answerLimit, SemanticSearch: o.semantic, Log: log}
	policy, err := desk.ParsePolicy(o.approve)
	if err != nil {
		return options, usageError(err)
	}
	options.Policy = policy
	if o.port < 0 || o.port > 65535 {
		return options, usageError(fmt.Errorf("%d is not a port: it is 0 to 65535", o.port))
	}
	if o.answerLimit < 0 {
		return options, usageError(errors.New("the answer limit must be more than nothing"))
	}
	if options.Switches, err = parseSwitches(o.switches); err != nil {
		return options, err
	}
	for _, text := range o.newGraphs {
		made, err := sandbox.ParseNewGraph(text)
		if err != nil {
			return options, usageError(err)
		}
		options.New = append(options.New, made)
	}
	if options.Home == "" {
		options.Home = sandboxHome()
	} else if options.Home, err = expandHome(options.Home); err != nil {
		return options, err
	}
	if o.imports == "" {
		if o.graphName != "" || o.graphType != "" {
			return options, usageError(errors.New("--graph-name and --graph-type go with --import"))
		}
		return options, nil
	}
	path, err := expandHome(o.imports)
	if err != nil {
		return options, err
	}
	name := o.graphName
	if name == "" {
		name = filepath.Base(path)
		name = name[:len(name)-len(filepath.Ext(name))]
	}
	if !localapi.ValidGraphName(name) {
		return options, usageError(fmt.Errorf("%q can't be a graph's name: it has letters, digits, - and _ only", name))
	}
	kind, err := localapi.ParseGraphType(o.graphType)
	if err != nil {
		return options, usageError(err)
	}
	options.Import = []sandbox.Import{{Path: path, Graph: localapi.Graph{Name: name, Type: kind}}}
	return options, nil
}

func (a sandboxCommands) runSandbox(ctx context.Context, o sandboxOptions) error {
	log, err := a.logger()
	if err != nil {
		return err
	}
	options, err := o.resolve(log)
	if err != nil {
		return err
	}
	server, err := sandbox.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close(context.WithoutCancel(ctx)) }()
	if err := a.describeSandbox(server, options); err != nil {
		return err
	}
	for _, broken := range server.Broken() {
		a.tell("A graph is left out, and its file is as it was. %s\n", a.explained(broken.Message, broken.Hint))
	}
	if options.Policy == desk.Ask {
		if isTerminal(a.in) {
			go func() { _ = desk.AskTerminal(ctx, server.Desk(), a.in, showing{a.out}) }() // ends with the process
		} else {
			a.tell("There is no terminal here to ask in: answer token requests in a browser. --approve allow grants them all.\n")
		}
	}
	<-ctx.Done()
	return nil
}

func (a sandboxCommands) describeSandbox(server *sandbox.Server, options sandbox.Options) error {
	text := fmt.Sprintf("Roam (sandbox) listens on 127.0.0.1:%d, as %s says.\n",
		server.Port(), filepath.Join(options.Home, localapi.PortFileName))
	for _, graph := range server.Graphs() {
		text += fmt.Sprintf("  %s (%s): %s pages, %s blocks\n", graph.Name, graph.Type, humanize.Comma(int64(graph.Pages)), humanize.Comma(int64(graph.Blocks)))
	}
	text += "In a browser: " + server.PageURL() + "\n"
	for _, setting := range server.Switches().List() {
		text += "Switch on: " + setting.String() + "\n"
	}
	text += "Token requests: " + string(options.Policy) + ". Interrupt to stop.\n"
	return a.answer("%s", text)
}
