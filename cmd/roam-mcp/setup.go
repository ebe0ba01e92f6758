package main

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/clients/doctor"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/tui"
)

// setupProgram runs the setup program.
type setupProgram struct{ *app }

// setup runs the setup program, with the sandbox inside it where asked for.
func (a setupProgram) setup(ctx context.Context) error {
	log := logsTo(slog.DiscardHandler) // the screen belongs to the program
	if a.logFile != "" {
		var err error
		if log, err = a.logger(); err != nil {
			return err
		}
	}
	own := a.config // of the person's own world, which the sandbox's does not take
	for switched := false; ; switched = true {
		next, err := a.setupOnce(ctx, switched, log)
		if err != nil || next == tui.Quit {
			return err
		}
		a.sandbox, a.config = next == tui.EnterSandbox, own
		if a.sandbox {
			a.config = ""
		}
	}
}

// cannotDraw returns why the setup program can't draw, "" if it can. People who use a
// screen reader set ACCESSIBLE.
func (a setupProgram) cannotDraw() string {
	switch {
	case os.Getenv("ACCESSIBLE") != "":
		return "ACCESSIBLE is set"
	case os.Getenv("TERM") == "dumb":
		return "TERM is dumb"
	case !isTerminal(a.out):
		return "standard output is not a terminal"
	}
	return ""
}

// setupOnce runs the setup program in the world of the global flags, and returns what
// the person wants next. switched is set where the person comes from the other world.
func (a setupProgram) setupOnce(ctx context.Context, switched bool, log *slog.Logger) (tui.Next, error) {
	w, err := a.world()
	if err != nil {
		return tui.Quit, err
	}
	if reason := a.cannotDraw(); reason != "" {
		return tui.Quit, &problem.Error{
			Code: codeUsage, Message: "The setup program draws on the whole terminal, and " + reason + ".",
			Hint: problem.Say("These commands do the same in lines of text: %s, %s, %s, %s, %s. To list all of them: %s",
				problem.Run("connect", "GRAPH"), problem.Run("graphs"), problem.Run("install", "CLIENT"), problem.Run("doctor"), problem.Run("history"),
				problem.Run("").With("--help").Anywhere()),
		}
	}
	installer, err := w.installer()
	if err != nil {
		return tui.Quit, err
	}
	server, err := w.hostSandbox(ctx, log)
	if err != nil {
		return tui.Quit, err
	}
	ports := a.ports(w)
	ports.Clients, ports.Prove, ports.Place = installer, installer.ProveGraph, placing(installer)
	ports.Files = func() []tui.File { return w.files(ctx, installer, a.logFile) }
	if server != nil {
		defer func() { _ = server.Close(context.WithoutCancel(ctx)) }()
		ports.Desk = panel{server.Desk()}
	}
	// These end before the sandbox does.
	past := w.history(ctx, history.KindSetup, configstore.Config{}, log)
	defer past.Close()
	ports.History = undoableHistory{past.View}
	sorting := w.sorting()
	ports.KeepSort = func(column string) {
		if err := sorting.Keep(column); err != nil { // the list is as it was the next time, which is not worth an exit code
			log.Warn("the order of the list is not kept", "error", err)
		}
	}
	inside := &insideServers{world: w, client: w.client(), log: log}
	ports.Serve = inside.serve
	ports.Activity = w.activity(log)
	ctx, endServers := context.WithCancel(ctx)
	defer inside.all.Wait()
	defer endServers()
	environment := os.Environ()
	if a.noColor {
		environment = append(environment, "NO_COLOR=1")
	}
	return tui.Run(ctx, ports, tui.Options{
		Input: a.in, Output: a.out, Environ: environment, Theme: a.theme.background,
		Sandbox: w.sandbox, World: w.hints(), Version: version(), Description: description(), HistoryFolder: w.historyFolder(), SortedBy: sorting.Read(),
		Switched: switched, Todo: selfTodo(ctx, w, installer),
	})
}

func (a setupProgram) ports(w dirs) tui.Ports {
	graphs, client := w.graphs(), w.client()
	open := openRoam()
	if w.sandbox {
		open = nil // a deep link would lead out of the sandbox, to the real Roam
	}
	graphs.Exchange = func(ctx context.Context, request exchange.Request) manage.Exchange {
		return exchange.Start(ctx, client, open, request, exchange.Policy{Wait: true})
	}
	return tui.Ports{
		Graphs:   graphs,
		Copy:     copyText,
		Report:   func(report []byte) (string, error) { return writeReport(reportFolder(), report) },
		OpenRoam: open,
		Guidelines: func(ctx context.Context, nickname string) (string, time.Duration, error) {
			return guidelines(ctx, w.store(), client, nickname)
		},
		Doctor: func(ctx context.Context) ([]doctor.Check, func()) {
			return w.checks(ctx, slog.New(slog.DiscardHandler), false)
		},
		EditConfig: func(line int) (*exec.Cmd, error) { return editorCommand(runtime.GOOS, os.Getenv, w.config, line) },
		Profiles:   shownProfiles(),
	}
}

// guidelines reads what a configured graph tells agents, and how long that took.
func guidelines(ctx context.Context, store *configstore.Store, client *localapi.Client, nickname string) (string, time.Duration, error) {
	config, err := store.Load(ctx)
	if err != nil {
		return "", 0, err
	}
	entry, found := config.Find(nickname)
	if !found {
		return "", 0, manage.NotConfigured(nickname, config)
	}
	started := time.Now()
	text, err := client.Guidelines(localapi.Expecting(ctx, entry.APIVersion), entry.Graph(), entry.Token)
	return text, time.Since(started), err
}

// description is how this computer asks in Roam's dialog, whether the setup program asks
// or a command.
func description() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return defaultDescription + " on " + name
	}
	return defaultDescription
}

// openRoam opens Roam Desktop by deep link. It gives nil where this machine has
// nothing to open links with.
func openRoam() func(context.Context, localapi.Graph) error {
	open := linkOpener()
	if open == nil {
		return nil
	}
	return func(ctx context.Context, graph localapi.Graph) error { return open(ctx, graph.DeepLink()) }
}
