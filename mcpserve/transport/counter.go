package transport

import "sync"

// Counter counts what goes on at the same time, for each of those who do it and
// in all. It is safe for concurrent use.
type Counter struct {
	Each, All int // how much there may be at most

	mu    sync.Mutex
	all   int
	byKey map[string]int
}

// Enter counts n more for a key; false, and none, where that would be too much.
func (c *Counter) Enter(key string, n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all > c.All-n || c.byKey[key] > c.Each-n {
		return false
	}
	if c.byKey == nil {
		c.byKey = map[string]int{}
	}
	c.all += n
	c.byKey[key] += n
	return true
}

// Leave counts n less for a key.
func (c *Counter) Leave(key string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all -= n
	if c.byKey[key] -= n; c.byKey[key] <= 0 {
		delete(c.byKey, key)
	}
}
