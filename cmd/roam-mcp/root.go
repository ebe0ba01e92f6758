package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/mcpserve/transport"
	"roam-mcp/tui/kit"
)

// streams are the three that a command may use: out carries the answer, err
// everything else, without tokens.
type streams struct {
	in  *os.File
	out *os.File
	err io.Writer
}

func isTerminal(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// app is one run of the program: the global flags and the streams.
type app struct {
	streams
	config   string
	sandbox  bool
	logLevel string
	logFile  string
	noColor  bool
	theme    themeFlag

	// started is set once a command runs; an error before that is wrong usage.
	started bool
	// lists are shown in the help of commands. They are made when somebody asks.
	lists   map[*cobra.Command]func() []helpList
	closers []io.Closer
	// hints is the world that hints are read in, once it is known.
	hints problem.World
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, s streams) (code int) {
	s.err = redacting{s.err}
	a := &app{streams: s}
	defer a.close()
	defer a.tellPanic(&code)
	logsTo(slog.NewTextHandler(a.err, nil))
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	command, err := root.ExecuteContextC(ctx)
	if errors.Is(err, errVersionAsked) {
		err = a.answer("%s\n", builtFrom())
	}
	if err == nil {
		return exitDone
	}
	if !a.started {
		err = usageError(err)
	}
	return report(s.err, helpful(ended(ctx, err), command), a.hints)
}

// ended returns the error of a command. If the program was interrupted, that is the error,
// since err is then a result of it. Lost replies and a token that could not be saved are
// still returned.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, transport.ErrClientStalled) || errors.Is(err, manage.ErrNotSaved) {
		return err
	}
	return interrupted(err)
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "roam-mcp",
		Short: "Connect AI agents to your Roam graphs",
		Long: `roam-mcp connects AI agents to your Roam graphs.

Without a command it opens the setup program in the terminal; started by an MCP
client, with its standard input a pipe, it serves.

To try it without Roam Desktop: roam-mcp --sandbox

With a screen reader, use the commands instead: connect, graphs, install, doctor,
history and the others below do the same in lines of text.`,
		Example: `# Set up graphs and clients, in the terminal
roam-mcp
# Try it without Roam Desktop
roam-mcp --sandbox
# Connect a graph, and give it to a client
roam-mcp connect my-graph
roam-mcp install claude-code`,
		Args:             arguments(0, 0),
		SilenceUsage:     true,
		SilenceErrors:    true,
		PersistentPreRun: func(*cobra.Command, []string) { a.started = true },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !isTerminal(a.in) {
				return serveCommands{a}.serve(cmd.Context(), serveOptions{})
			}
			return setupProgram{a}.setup(cmd.Context())
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.config, "config", "", "configuration `file` (default ~/.roam-mcp.json; also ROAM_MCP_CONFIG)")
	flags.BoolVar(&a.sandbox, "sandbox", false, "use the embedded Roam, in a world of its own")
	flags.StringVar(&a.logLevel, "log-level", "", "`level` of the log: debug, info, warn, error (default warn; info with --log-file)")
	flags.StringVar(&a.logFile, "log-file", "", "write the log to a `file`, as JSON, instead of standard error; it is moved aside at 10 MiB")
	flags.BoolVar(&a.noColor, "no-color", false, "no colours (also NO_COLOR)")
	root.Flags().Var(&a.theme, "theme", "colours of the setup program: light or dark, or `auto` for those of the terminal (default auto)")
	_ = root.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(kit.Themes(), cobra.ShellCompDirectiveNoFileComp)) // fails for no flag of that name
	a.addCommands(root)
	root.SetHelpFunc(a.printHelp)
	root.SetFlagErrorFunc(unknownFlag)
	a.completeValues(root)
	giveVersion(root)
	return root
}

// addCommands adds the commands in the groups that the help shows.
func (a *app) addCommands(root *cobra.Command) {
	graphs, clients, checks, history := graphCommands{a}, clientCommands{a}, checkCommands{a}, historyCommands{a}
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"graphs", "Graphs", []*cobra.Command{
			graphs.connectCommand(), graphs.reauthCommand(), graphs.graphsCommand(), graphs.enableCommand(), graphs.disableCommand(),
			graphs.renameCommand(), graphs.removeCommand(), graphs.importCommand(),
		}},
		{"clients", "Clients and their server", []*cobra.Command{clients.clientsCommand(), clients.installCommand(), clients.uninstallCommand(), serveCommands{a}.serveCommand(), callCommands{a}.callCommand(), clients.skillCommand(), checks.doctorCommand()}},
		{"history", "What agents have written", []*cobra.Command{history.historyCommand(), history.diffCommand(), history.undoCommand(), history.redoCommand()}},
		{"sandbox", "A Roam to try it on", []*cobra.Command{sandboxCommands{a}.sandboxCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, command := range group.commands {
			command.GroupID = group.id
		}
		root.AddCommand(group.commands...)
	}
	root.AddGroup(&cobra.Group{ID: "more", Title: "More"})
	help, self := a.helpCommand(), selfCommands{a}.selfCommand()
	help.GroupID, self.GroupID = "more", "more"
	root.AddCommand(self)
	root.SetHelpCommand(help)
	root.SetCompletionCommandGroupID("more")
}

// errVersionAsked ends a command that was given --version.
var errVersionAsked = errors.New("the version is asked for")

// giveVersion gives a command and all below it the flag --version. It is not that of
// cobra, whose text is a template.
func giveVersion(command *cobra.Command) {
	flags, arguments := command.Flags(), command.Args
	asked := flags.BoolP("version", "v", false, "version for "+command.Name())
	_ = flags.SetAnnotation("version", cobra.FlagSetByCobraAnnotation, []string{"true"}) // fails for no flag of that name
	command.Args = func(command *cobra.Command, given []string) error {
		if *asked {
			return errVersionAsked
		}
		return arguments(command, given)
	}
	for _, each := range command.Commands() {
		giveVersion(each)
	}
}

// logger writes where the flags say, and so does package log from then on.
func (a *app) logger() (*slog.Logger, error) {
	level := slog.LevelWarn
	if a.logFile != "" {
		level = slog.LevelInfo
	}
	if a.logLevel != "" {
		if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
			return nil, usageError(fmt.Errorf("%q is not a log level: it is debug, info, warn or error", a.logLevel))
		}
	}
	options := &slog.HandlerOptions{Level: level}
	if a.logFile == "" {
		handler := files.NewLimitedLog(slog.NewTextHandler(a.err, options))
		a.closers = append(a.closers, handler)
		return logsTo(handler), nil
	}
	path, err := expandHome(a.logFile)
	if err != nil {
		return nil, err
	}
	file, err := files.OpenLog(path, 0, 0)
	if err != nil {
		return nil, usageError(fmt.Errorf("the log file can't be opened: %w", err))
	}
	a.closers = append(a.closers, file)
	return logsTo(slog.NewJSONHandler(redacting{file}, options)), nil
}

func (a *app) close() {
	for _, c := range a.closers {
		_ = c.Close() // the process ends
	}
}

// release is what a release says of itself, which the linker sets (tools/release): a program.Release.
var release string

func version() string {
	if release != "" {
		return install.ParseRelease(release).Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.1.0-dev"
	}
	return info.Main.Version
}

// tellProblems says what is the matter with a configuration.
func (a *app) tellProblems(problems []configstore.Problem) {
	for _, p := range problems {
		a.tell("%s\n", a.explained(p.Message, p.Hint))
	}
}
