package configstore

import (
	"context"
	"time"
)

const defaultWatchInterval = 250 * time.Millisecond

// Event is a state of the file. If the file can't be read or parsed, Err is the error of
// Load, and Config is the last good state; only its problem CONFIG_MODE_OPEN is always of
// the present file.
type Event struct {
	Config Config
	Err    error
}

// Watch sends the present state and then every change, at most one interval after it.
// A file that has become bad or missing is reported one interval later, since an
// editor may be writing it. An interval of 0 means 250 ms. A slow receiver gets only
// the newest state. The channel is closed when the context ends.
func (s *Store) Watch(ctx context.Context, interval time.Duration) <-chan Event {
	if interval <= 0 {
		interval = defaultWatchInterval
	}
	events := make(chan Event, 1)
	w := &watcher{store: s, events: events, last: Config{Version: Version}}
	go w.run(ctx, interval)
	return events
}

// observation identifies a state of the file.
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
	held     *observation // a bad state that is not reported yet; nil if there is none
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

// look reads the file, and sends a new state.
func (w *watcher) look() {
	c, sum, err := w.store.read()
	now := observation{sum: sum, exists: c.Exists}
	if err != nil {
		now.err = err.Error()
	}
	if w.started && now == w.reported {
		w.held = nil
		return
	}
	worse := err != nil || !c.Exists
	if w.started && worse && (w.held == nil || *w.held != now) {
		w.held = &now
		return
	}
	w.started, w.held, w.reported = true, nil, now
	if err == nil {
		w.last = c
	}
	w.send(Event{Config: w.last.WithModeOf(c), Err: err})
}

// send replaces an event that nobody has received. It never blocks, since the watcher
// is the only sender.
func (w *watcher) send(e Event) {
	select {
	case <-w.events:
	default:
	}
	w.events <- e
}
