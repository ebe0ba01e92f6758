package profiletest

import (
	"sync"
	"time"
)

// Between is how far the clock goes before each call of a tool: far enough for
// the server to look whether the graph has changed.
const Between = time.Minute

// Clock is the time of the server and of the sandbox, in UTC. It begins at noon
// of January 16th, 2024, the day after the last edit of the demo graph.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *Clock { return &Clock{now: time.Date(2024, time.January, 16, 12, 0, 0, 0, time.UTC)} }

// Now returns the time, which stands still.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance sets the clock forward.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}
