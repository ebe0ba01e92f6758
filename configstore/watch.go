package configstore

import (
	"context"
	"io/fs"
	"os"
	"time"
)

const (
	defaultWatchInterval = 250 * time.Millisecond

	// A file that changed this recently may change again without its times and
	// size showing it, on file systems with coarse clocks.
	coarsestClock = 2 * time.Second
)

// Event is a state of the file. Where Err is set the file can't be read or
// understood, with an error as Load gives it, and Config is the last good state.
type Event struct {
	Config Config
	Err    error
}

// Watch sends the present state and then every change, at most one interval
// after it; a file that went bad or missing is reported one interval later, since
// an editor may be in the middle of writing it. An interval of 0 means 250 ms. A
// reader that is slow gets the newest state only. The channel is closed once
// the context ends.
func (s *Store) Watch(ctx context.Context, interval time.Duration) <-chan Event {
	if interval <= 0 {
		interval = defaultWatchInterval
	}
	events := make(chan Event, 1)
	w := &watcher{store: s, events: events, last: Config{Version: Version}}
	go w.run(ctx, interval)
	return events
}

// observation is what tells two states of the file apart.
type observation struct {
	sum    digest
	exists bool
	err    string
}

type watcher struct {
	store  *Store
	events chan Event

	last     Config // the last good state
	started  bool
	reported observation
	held     observation // a state for the worse that is not reported yet
	holding  bool

	info   fs.FileInfo // of the file as it was last read
	readAt time.Time
}

func (w *watcher) run(ctx context.Context, interval time.Duration) {
	defer close(w.events)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		w.look()
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// look reads the file where it may have changed, and sends what is new.
func (w *watcher) look() {
	info, err := os.Stat(w.store.path)
	if err != nil {
		info = nil
	}
	if !w.holding && w.unchanged(info) {
		return
	}
	w.info, w.readAt = info, time.Now()
	c, sum, err := w.store.read()
	now := observation{sum: sum, exists: c.Exists}
	if err != nil {
		now.err = err.Error()
	}
	if w.started && now == w.reported {
		w.holding = false
		return
	}
	worse := err != nil || !c.Exists
	if w.started && worse && !(w.holding && w.held == now) {
		w.held, w.holding = now, true
		return
	}
	w.started, w.holding, w.reported = true, false, now
	if err == nil {
		w.last = c
	}
	w.send(Event{Config: w.last, Err: err})
}

// unchanged spares the reading of a file whose data about itself are the same.
func (w *watcher) unchanged(info fs.FileInfo) bool {
	return info != nil && w.info != nil &&
		os.SameFile(info, w.info) &&
		info.Size() == w.info.Size() &&
		info.Mode() == w.info.Mode() &&
		info.ModTime().Equal(w.info.ModTime()) &&
		w.readAt.Sub(info.ModTime()) > coarsestClock
}

// send replaces an event that nobody has read yet. The watcher is the only
// sender, so there is room after that.
func (w *watcher) send(e Event) {
	select {
	case <-w.events:
	default:
	}
	w.events <- e
}
