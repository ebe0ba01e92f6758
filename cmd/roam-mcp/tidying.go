package main

import (
	"context"
	"log/slog"
	"time"

	"roam-mcp/history"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/problem"
)

// When the journal is tidied (HISTORY.md, Size and time).
const (
	idleBeforeTidying = 30 * time.Second
	tidyInterval      = time.Hour
)

// tidies returns a function that removes from the journal what is too old or too much, by
// what the configuration says at that time.
func (w world) tidies(kind history.Kind, log *slog.Logger) func(context.Context) {
	return func(ctx context.Context) {
		journal := w.journal(ctx, kind, log)
		defer func() { _ = journal.Close(context.WithoutCancel(ctx)) }() // it has written nothing that could be lost
		if err := journal.Tidy(ctx); err != nil && ctx.Err() == nil {
			log.Warn("the journal was not tidied", "code", problem.CodeOf(err))
		}
	}
}

// tidyWhenIdle has the journal tidied when no tool was called for a while after a write
// or a version of a note was recorded, once in an interval at most. stop ends that, and waits for it.
func tidyWhenIdle(monitor *activity.Monitor, tidy func(context.Context)) (stop func()) {
	calls := monitor.Subscribe(activity.SubscribeOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tidyAfter(ctx, calls.Events(), tidy)
	}()
	return func() {
		calls.Close()
		cancel()
		<-ended
	}
}

// tidyAfter is tidyWhenIdle with the calls as they start and end.
func tidyAfter(ctx context.Context, calls <-chan activity.Event, tidy func(context.Context)) {
	idle := time.NewTimer(idleBeforeTidying)
	idle.Stop()
	var last time.Time
	wrote := false // since then
	for {
		select {
		case call, open := <-calls:
			if !open {
				return
			}
			if wrote = wrote || call.Change != 0 || call.Versioned; wrote {
				idle.Reset(max(idleBeforeTidying, tidyInterval-time.Since(last)))
			}
		case <-idle.C:
			tidy(ctx)
			last, wrote = time.Now(), false
		case <-ctx.Done():
			return
		}
	}
}
