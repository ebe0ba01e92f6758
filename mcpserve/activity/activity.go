// Package activity watches the tool calls of an MCP server: a feed of what starts
// and ends, a log, counters, the clients that were heard of, and the switch that
// pauses writes.
//
// It promises that a listener who is slow delays no call, and that no token, no
// ticket and no bearer secret is in what it tells. It knows no tool and no graph,
// only their names as it is given them.
package activity

import (
	"sync/atomic"
	"time"

	"roam-mcp/mcpserve/internal/safetext"
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

// displayName returns the name that a client gives itself as it may be shown.
func displayName(name string) string { return safetext.Redact(safetext.Line(name, 60)) }
