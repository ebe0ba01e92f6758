package main

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/transport"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

// printStdioNotice says to a person who has typed serve in a terminal what it waits for, how to
// end it, and how to set up. Where standard input is anything else it says nothing: a
// client has started it.
func (a serveCommands) printStdioNotice(ctx context.Context, w dirs, o serveOptions) {
	if !isTerminal(a.in) {
		return
	}
	end := "Ctrl+D or Ctrl+C ends it."
	if runtime.GOOS == "windows" {
		end = "Ctrl+Z and Enter, or Ctrl+C, ends it."
	}
	a.tell("This waits for messages of an MCP client on standard input.\nClients start it themselves. %s\n", end)
	a.next(problem.Say("To set up graphs and clients: %s, or %s.", problem.Run(""), problem.Run("install", "CLIENT")))
	a.tellNoGraph(ctx, w, o)
}

// printEndpoint says where a server is reached over HTTP, and what to paste for Claude Code.
// The token is in none of it.
func (a serveCommands) printEndpoint(ctx context.Context, w dirs, endpoint *transport.HTTPServer, o serveOptions) {
	path := w.httpToken()
	a.tell("Serving MCP at %s\nClients send the token in %s, as the header Authorization: Bearer TOKEN.\n", endpoint.URL(), path)
	if o.allowRemote {
		a.tell("It listens on %s. The connection is not encrypted: whoever can read the network can read the token.\n", endpoint.Address())
	}
	if strings.HasSuffix(o.http, ":0") {
		a.tell("The port is this start's alone: give --http one of your choice before you tell clients of it for good.\n")
	}
	name := install.Choose(clients.Server{Name: w.entryName()}, clients.Choice{Profile: o.profile}, mcpserve.DefaultProfile).Name
	command := clients.HTTPSnippets(name, endpoint.URL(), path)[0]
	a.tell("To connect %s, run:\n%s\n", command.Client, command.Text)
	a.tellNoGraph(ctx, w, o)
}

// tellNoGraph says where a server has no graph for agents, and which command gives it one.
func (a serveCommands) tellNoGraph(ctx context.Context, w dirs, o serveOptions) {
	config, err := w.store().Load(ctx)
	if err != nil {
		known := explain(err)
		a.tell("%s\n", a.explained(known.Message, known.Hint))
		return
	}
	served := config.Entries
	if len(o.graphs) > 0 {
		served = nil
		for _, name := range o.graphs {
			if entry, found := config.Find(name); found {
				served = append(served, entry)
			}
		}
	}
	isEnabled := func(entry configstore.Entry) bool { return !entry.Disabled }
	switch {
	case slices.ContainsFunc(served, isEnabled):
	case len(served) > 0:
		a.next(problem.Say("No graph is enabled, so agents find nothing until one is: %s.", problem.Run("enable", served[0].Nickname)))
	case len(o.graphs) > 0:
		a.next(problem.Say("No graph that --graph names is connected, so agents find nothing until one is: %s.", problem.Run("connect", "GRAPH").With("--nickname", o.graphs[0])))
	default:
		a.next(problem.Say("No graph is connected yet, so agents find nothing until one is: %s.", problem.Run("connect", "GRAPH")))
	}
}

// callBuffer is how many starts and ends of calls may wait to be printed.
const callBuffer = 256

// printCalls writes a line for each call that ends, until stop is called, where a person
// reads standard error and the log does not have the calls there already.
func (a serveCommands) printCalls(monitor *activity.Monitor, log *slog.Logger) (stop func()) {
	logged := a.logFile == "" && log.Enabled(context.Background(), slog.LevelInfo)
	if logged || !a.errIsTerminal() {
		return func() {}
	}
	calls := monitor.Subscribe(activity.SubscribeOptions{Buffer: callBuffer})
	done := make(chan struct{})
	go func() {
		defer close(done)
		lost := uint64(0)
		for call := range calls.Events() {
			if call.Ended {
				a.tell("%s\n", callLine(call))
			}
			if dropped := calls.Dropped(); dropped > lost {
				a.tell("Too many calls at once: %s left out here.\n", kit.Plural(int(dropped-lost), "line"))
				lost = dropped
			}
		}
	}()
	return func() { calls.Close(); <-done }
}

// callLine says of a call that has ended when it started, whose it was and on which graph,
// the tool, what came of it, and how long it took.
func callLine(call tui.Call) string {
	result, _ := tui.CallResult(call)
	columns := []string{
		call.At.Add(-call.Took).Format(time.TimeOnly), cmp.Or(call.Client, "-"), cmp.Or(call.Graph, "-"), call.Tool, result, kit.ShortDuration(call.Took),
	}
	return kit.Sanitize(strings.Join(columns, "  "))
}

// errIsTerminal reports whether standard error is a terminal.
func (s streams) errIsTerminal() bool {
	w, _ := s.err.(redacting)
	file, ok := w.to.(*os.File)
	return ok && isTerminal(file)
}
