package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/manage"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

// graphCommands are the commands that connect graphs, and list and change those that are.
type graphCommands struct{ *app }

const defaultDescription = "roam-mcp"

// connectOptions are the flags that connect and reauth share.
type connectOptions struct {
	graph       string
	nickname    string
	kind        string
	access      string
	description string
	timeout     time.Duration
	public      bool
	tokenStdin  bool
	wait        bool
	history     string // "": not said
}

func (o *connectOptions) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&o.access, "access", "", "access `level`: full, read-append or read-only (default full; see above)")
	flags.StringVar(&o.description, "description", "", "`text` that Roam shows in its dialog (default: "+defaultDescription+" on the name of this computer)")
	flags.DurationVar(&o.timeout, "timeout", exchange.RequestTimeout, "how long to wait for an answer in Roam")
	flags.BoolVar(&o.tokenStdin, "token-stdin", false, "read a token made by hand from standard input instead of asking for one")
	flags.BoolVar(&o.wait, "wait", false, "wait for Roam where it can't be reached or its Local API is disabled")
}

func (a graphCommands) connectCommand() *cobra.Command {
	options := connectOptions{}
	command := &cobra.Command{
		Use:   "connect GRAPH",
		Short: "Ask Roam for a token for a graph",
		Long: `Ask Roam for a token for a graph and save it under a nickname. Roam shows a
dialog in which you allow it. GRAPH is the graph's name as Roam has it, or its
address: https://roamresearch.com/#/app/NAME.`,
		Example: `roam-mcp connect my-graph
# Agents may read it and nothing else
roam-mcp connect my-graph --nickname Work --access read-only
# With a token made by hand in Roam
roam-mcp connect my-graph --token-stdin`,
		SuggestFor: []string{"add", "auth", "authorize", "login"},
		Args:       arguments(1, 1),

		ValidArgsFunction: first(atHand(a).completeGraphs),
		RunE: func(cmd *cobra.Command, args []string) error {
			options.graph = args[0]
			return a.connect(cmd.Context(), options)
		},
	}
	options.addFlags(command)
	a.tellLists(command, levelList)
	command.Flags().StringVar(&options.nickname, "nickname", "", "`name` that you and agents use for the graph (default: made from GRAPH)")
	command.Flags().StringVar(&options.kind, "type", "", "`type` of the graph: hosted or offline (default: as Roam lists it)")
	command.Flags().StringVar(&options.history, "history", "", "`on|off`: whether the history may hold texts of this graph (default: on where Roam says that it is not encrypted, else asked)")
	command.Flags().BoolVar(&options.public, "public", false, "a public graph that Roam does not list; read only")
	return command
}

func (a graphCommands) reauthCommand() *cobra.Command {
	options := connectOptions{}
	command := &cobra.Command{
		Use:   "reauth NICKNAME",
		Short: "Ask Roam for a new token for a connected graph",
		Long: `Ask Roam for a new token for a graph that is connected already. The old token
stays in the configuration until the new one is saved.`,
		Example: `roam-mcp reauth Work
# Ask for more or less than the old token permits
roam-mcp reauth Work --access read-append`,
		SuggestFor: []string{"reauthorize", "token"},
		Args:       arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.reauth(cmd.Context(), args[0], options)
		},
	}
	options.addFlags(command)
	a.tellLists(command, levelList)
	return command
}

func (a graphCommands) connect(ctx context.Context, o connectOptions) error {
	w, graphs, config, err := a.load(ctx)
	if err != nil {
		return err
	}
	graph := localapi.Graph{Name: o.graph}
	if o.kind != "" {
		if graph.Type, err = localapi.ParseGraphType(o.kind); err != nil {
			return usageError(err)
		}
	}
	chosen, err := o.chosen()
	if err != nil {
		return usageError(err)
	}
	authorization, err := manage.Connect(config, graph, chosen)
	if err != nil {
		return usageError(err)
	}
	return a.obtain(ctx, w, graphs, authorization, o)
}

func (a graphCommands) reauth(ctx context.Context, nickname string, o connectOptions) error {
	w, graphs, config, err := a.load(ctx)
	if err != nil {
		return err
	}
	entry, found := config.FindAny(nickname)
	if !found {
		return manage.NotConfigured(nickname, config)
	}
	chosen, err := o.chosen()
	if err != nil {
		return usageError(err)
	}
	authorization, err := manage.Reauthorize(config, entry, chosen)
	if err != nil {
		return usageError(err)
	}
	return a.obtain(ctx, w, graphs, authorization, o)
}

// chosen returns what the flags say about the token; everything wrong with them is
// wrong usage.
func (o connectOptions) chosen() (manage.Options, error) {
	chosen := manage.Options{Nickname: o.nickname, Description: cmp.Or(o.description, description()), Public: o.public}
	if o.timeout <= 0 {
		return chosen, errors.New("the timeout must be more than nothing")
	}
	switch chosen.History = configstore.Switch(o.history); chosen.History {
	case "", configstore.On, configstore.Off:
	default:
		return chosen, fmt.Errorf("--history is on or off, and not %q", o.history)
	}
	if o.access == "" {
		return chosen, nil
	}
	var err error
	chosen.AccessLevel, err = localapi.ParseAccessLevel(o.access)
	return chosen, err
}

// obtain runs the exchange and keeps what it brings. That the file can be
// written is known before a person is asked for anything.
func (a graphCommands) obtain(ctx context.Context, w dirs, graphs *manage.Manager, authorization manage.Authorization, o connectOptions) error {
	if err := graphs.CheckWritable(ctx); err != nil {
		return err
	}
	if o.tokenStdin {
		token, err := a.readToken(ctx)
		if err != nil {
			return err
		}
		authorization.Request.Token = token
	}
	a.tellHistory(ctx, w, graphs, authorization)
	closeSandbox, answers, err := a.sandboxToAsk(ctx, w, authorization.Request.Token.IsZero())
	if err != nil {
		return err
	}
	defer closeSandbox()
	policy := exchange.Policy{Timeout: o.timeout, Wait: o.wait, WaitLimit: o.timeout}
	machine := exchange.Run(ctx, w.client(), authorization.Request, policy, a.tellProgress())
	if machine.State != exchange.Granted {
		if machine.Err != nil {
			return machine.Err
		}
		return context.Canceled
	}
	kept := graphs.Keep(ctx, authorization, machine.Grant)
	if kept.Err != nil {
		return kept.Err
	}
	if err := a.tellGrant(graphs, kept.Entry, machine); err != nil {
		return err
	}
	return a.askAboutTexts(ctx, w, graphs, kept.Entry, !answers && isTerminal(a.in))
}

// tellHistory says what is kept of what agents write, where they may write.
func (a graphCommands) tellHistory(ctx context.Context, w dirs, graphs *manage.Manager, authorization manage.Authorization) {
	config, err := graphs.Load(ctx)
	if err != nil || !authorization.Request.AccessLevel.CanAppend() {
		return
	}
	for _, sentence := range a.wording(w, graphs).History(config) {
		a.tell("%s\n", kit.Unwrapped(sentence))
	}
}

// sandboxToAsk hosts the sandbox, where asked for, with its dialog in this
// terminal. The returned function ends it. answers reports that the dialog reads the
// terminal, and will until the process ends.
func (a graphCommands) sandboxToAsk(ctx context.Context, w dirs, asks bool) (end func(), answers bool, err error) {
	log, err := a.logger()
	if err != nil {
		return nil, false, err
	}
	server, err := w.hostSandbox(ctx, log)
	if err != nil || server == nil {
		return func() {}, false, err
	}
	end = func() { _ = server.Close(context.WithoutCancel(ctx)) }
	if !asks {
		return end, false, nil
	}
	if !isTerminal(a.in) {
		end()
		return nil, false, failed("No sandbox runs, and there is no terminal here in which it could ask.",
			problem.Say("Start one that needs no answers: %s.", problem.Run("sandbox").With("--approve", "allow").Anywhere()))
	}
	go func() { _ = desk.AskTerminal(ctx, server.Desk(), a.in, showing{a.err}) }() // ends with the process
	return end, true, nil
}

// tellProgress returns an observer that says each new state once.
func (a graphCommands) tellProgress() func(exchange.Machine) {
	var last exchange.State
	return func(m exchange.Machine) {
		if m.State == last {
			return
		}
		last = m.State
		switch m.State {
		case exchange.Waiting:
			a.tell("Waiting for you in Roam: it asks whether %s may be used with %s access. Answer within %s.\n",
				m.Request.Graph.Name, m.Request.AccessLevel.Words(), kit.InWords(m.Left(time.Now())))
		case exchange.Busy:
			a.tell("Another request for %s is open in Roam. Asking again until it is answered.\n", m.Request.Graph.Name)
		case exchange.Unreachable, exchange.Disabled:
			if !m.Ended() {
				a.tell("%s Waiting for it.\n", m.Err.Message)
			}
		case exchange.Locating, exchange.Verifying: // over in a moment
		case exchange.Granted, exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
			// told by the one who waits for the end
		}
	}
}

// tellGrant says what became of a granted token.
func (a graphCommands) tellGrant(graphs *manage.Manager, entry configstore.Entry, m exchange.Machine) error {
	if m.Lowered() {
		a.tell("Roam granted less than asked: %s instead of %s.\n", entry.AccessLevel.Words(), m.Request.AccessLevel.Words())
	}
	if err := a.answer("Connected %s as %s with %s access: agents can %s.\nSaved in %s.\n",
		entry.Name, entry.Nickname, entry.AccessLevel.Words(), entry.AccessLevel.Explain(), graphs.Path()); err != nil {
		return err
	}
	a.next(toClients())
	return nil
}

// toClients is the next step where a graph is connected.
func toClients() problem.Hint {
	return problem.Say("Next, give it to a client: %s. Those on this computer: %s.", problem.Run("install", "CLIENT"), problem.Run("clients"))
}

// readToken reads one token from standard input. On a terminal it is not shown.
func (a *app) readToken(ctx context.Context) (localapi.Token, error) {
	var text string
	var err error
	if isTerminal(a.in) {
		text, err = typedHidden(ctx, a.in, func() { a.tell("Paste the token; it is not shown.\n") })
	} else {
		text, err = typed(ctx, a.in, readAll)
	}
	if err != nil {
		return localapi.Token{}, fmt.Errorf("read the token: %w", err)
	}
	token, err := localapi.ParsePastedToken(text)
	if err != nil {
		return localapi.Token{}, usageError(fmt.Errorf("that is no token: %w", err))
	}
	return token, nil
}

// askAboutTexts asks a person whether texts of a graph may be kept that was just
// connected, where that has to be asked. Without somebody to answer none are kept, and
// that is told.
func (a graphCommands) askAboutTexts(ctx context.Context, w dirs, graphs *manage.Manager, entry configstore.Entry, canAnswer bool) error {
	said, asks := graphs.AsksAboutTexts(ctx, entry)
	if !asks {
		return nil
	}
	if !canAnswer {
		a.tell("%s\n", a.explained(tui.NoTextsText(entry.Nickname, said), problem.Say("To keep them: %s", problem.Run("history on").With("--graph", entry.Nickname))))
		return nil
	}
	question := a.wording(w, graphs).AskAboutTexts(entry.Nickname, said)
	a.tell("%s\n%s [y/N] ", question[1], question[0])
	yes, err := saidYes(ctx, a.in)
	if err != nil {
		return err
	}
	texts := configstore.Off
	if yes {
		texts = configstore.On
	}
	if err := graphs.SetHistory(ctx, entry.Nickname, texts); err != nil {
		return err
	}
	config, err := graphs.Load(ctx)
	if err != nil {
		return err
	}
	a.tell("%s\n", kit.Unwrapped(a.wording(w, graphs).TextsSet(config, entry.Nickname, texts)[0]))
	return nil
}
