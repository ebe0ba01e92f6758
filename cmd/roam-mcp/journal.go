package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/tui/historyview"
)

// journal returns the journal of this world, as a process of that kind uses it. Nothing
// of it is opened. How much it keeps is what the configuration says now.
func (w dirs) journal(ctx context.Context, kind history.Kind, log *slog.Logger) *history.Journal {
	config, _ := w.store().Load(ctx) // the usual size where it can't be read
	wait := history.DefaultWait
	if kind == history.KindCLI { // many may be started at once
		wait = 30 * time.Second
	}
	return history.New(history.Options{
		Folder: w.historyFolder(), Kind: kind, Program: version(), Log: log, Wait: wait,
		Keep: history.Retention{Days: config.History.Days, Megabytes: config.History.Megabytes},
	})
}

// history returns the history of this world for a kind of program. It makes no file.
func (w dirs) history(ctx context.Context, kind history.Kind, config configstore.Config, log *slog.Logger) *historyFace {
	journal := w.journal(ctx, kind, log)
	return &historyFace{
		View:    historyview.New(historyview.Options{Journal: journal, Store: w.store(), Config: config, Roam: w.client(), Log: log}),
		journal: journal, config: config,
	}
}

// tidies returns a function that removes from the journal what is too old or too much, by
// what the configuration says at that time.
func (w dirs) tidies(kind history.Kind, log *slog.Logger) func(context.Context) {
	return func(ctx context.Context) {
		journal := w.journal(ctx, kind, log)
		defer func() { _ = journal.Close(context.WithoutCancel(ctx)) }() // it has written nothing that could be lost
		if err := journal.Tidy(ctx); err != nil && ctx.Err() == nil {
			log.Warn("the journal was not tidied", "code", problem.CodeOf(err))
		}
	}
}

// activity returns the calls of all servers of this world.
func (w dirs) activity(log *slog.Logger) *activity.Log {
	return activity.OpenLog(w.activityFolder(), log)
}

var agentName = lazyregexp.New(`^[A-Za-z0-9._-]{1,40}$`)

// checkAgent refuses what is no name of an agent.
func checkAgent(name string) error {
	if name != "" && !agentName.MatchString(name) {
		return fmt.Errorf("--agent takes letters, digits, dots, - and _, 40 at the most, and not %q", name)
	}
	return nil
}

// announced returns a server of this process as it is shown to this user's other programs.
func announced(server activity.Server) activity.Server {
	server.Program, _ = clients.OwnProgram(os.Args[0])
	server.Version, server.Profile = version(), cmp.Or(server.Profile, mcpserve.DefaultProfile)
	return server
}
