// Package activity watches the tool calls of an MCP server: a feed of what starts
// and ends, a log, counters, the clients that were heard of, the switch that pauses
// writes, and what programs of the same user are told of each other's calls (Log).
//
// It promises that a listener who is slow delays no call, and that no token, no
// ticket and no bearer secret is in what it tells. It knows no tool and no graph,
// only their names as it is given them.
package activity

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"roam-mcp/internal/textsafe"
)

// Monitor is told by a server what goes on, and tells it on. It is safe for
// concurrent use.
type Monitor struct {
	now     func() time.Time
	feed    feed
	clients clients
	paused  atomic.Bool
}

// NewMonitor returns a Monitor that has heard of nothing yet.
func NewMonitor(now func() time.Time) *Monitor {
	return &Monitor{
		now:     now,
		feed:    feed{running: map[uint64]Event{}, subscribers: map[*Subscription]bool{}},
		clients: clients{heard: map[string]Client{}},
	}
}

// PauseWrites has the server refuse every call that changes something, on all
// connections, until it is called with false. Writes that are running go on.
func (m *Monitor) PauseWrites(paused bool) { m.paused.Store(paused) }

// WritesPaused reports whether writes are refused.
func (m *Monitor) WritesPaused() bool { return m.paused.Load() }

// DisplayName returns the name that a client gives itself as it may be shown and kept.
func DisplayName(name string) string { return textsafe.Redact(textsafe.Line(name, 60)) }

// callLogBuffer is how many calls may end while a line is being written.
const callLogBuffer = 1024

// LogCalls writes a line for each tool call that ends, and at the level debug for
// each that starts, until stop is called; stop returns once the lines of all calls that have ended are written. A log
// that is slow loses lines, and says how many, but delays no call. With
// arguments, the lines also hold what the callers sent, without secrets.
func (m *Monitor) LogCalls(log *slog.Logger, arguments bool) (stop func()) {
	sub := m.Subscribe(SubscribeOptions{Buffer: callLogBuffer, Arguments: arguments})
	done := make(chan struct{})
	go func() {
		defer close(done)
		lost := uint64(0)
		for event := range sub.Events() {
			logCall(log, event)
			if dropped := sub.Dropped(); dropped > lost {
				log.Warn("the log was too slow", "lost_events", dropped-lost)
				lost = dropped
			}
		}
	}()
	return func() { sub.Close(); <-done }
}

func logCall(log *slog.Logger, event Event) {
	if !event.Ended {
		log.Debug("tool call started", "call", event.Call, "client", event.Client, "graph", event.Graph, "tool", event.Tool)
		return
	}
	attributes := []slog.Attr{
		slog.Uint64("call", event.Call), slog.String("client", event.Client), slog.String("graph", event.Graph),
		slog.String("tool", event.Tool), slog.Float64("ms", float64(event.Took.Microseconds())/1000),
		slog.String("outcome", string(event.Outcome)), slog.Int("bytes", event.Bytes),
	}
	if event.Arguments != nil {
		attributes = append(attributes, slog.String("arguments", string(event.Arguments)))
	}
	log.LogAttrs(context.Background(), slog.LevelInfo, "tool call", attributes...)
}
