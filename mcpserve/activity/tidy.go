package activity

import (
	"context"
	"time"
)

// When the journal is tidied (JOURNAL.md, Size and time).
const (
	idleBeforeTidying = 30 * time.Second
	tidyInterval      = time.Hour
)

// TidyWhenIdle has the journal tidied when no tool was called for a while after a write
// or a version of a note was recorded, once in an interval at most. stop ends that, and waits for it.
func TidyWhenIdle(monitor *Monitor, tidy func(context.Context)) (stop func()) {
	calls := monitor.Subscribe(SubscribeOptions{})
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

// tidyAfter is TidyWhenIdle with the calls as they start and end.
func tidyAfter(ctx context.Context, calls <-chan Event, tidy func(context.Context)) {
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
