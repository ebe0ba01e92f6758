package mcpserve

import (
	"cmp"
	"runtime/debug"
	"sync"

	"roam-mcp/internal/netutil"
)

// MemoryFor is what decides on how much memory a process takes that serves and does nothing
// else.
type MemoryFor struct {
	Profile     string // empty: DefaultProfile
	HTTP        bool
	Journal     bool
	MirrorLimit int64 // for graphs in memory; 0: the default
	Outside     int64 // for what comes from outside; 0: the default
	Sandbox     bool  // the sandbox's graphs are in this process
}

// A server keeps to so much memory while it can: a large reply is then followed
// by a collection, where it would otherwise leave several times its size behind.
const (
	memoryForOne  = 20 << 20 // over standard streams
	memoryForMany = 32 << 20 // over HTTP, which has many connections at once

	memoryForJournal = 8 << 20   // besides, with what is read before and after writes
	memoryForGraphs  = 640 << 20 // besides, twice, for a profile that holds graphs
)

// Set says how much garbage there may be beside what is in use, and how much memory, and
// returns the memory for what comes from outside. What is in use of that comes on top of
// the soft limit of the memory, so that it does not keep the collector busy.
//
// Fewer collections make calls quicker, and the start, which needs none at all then: what a
// server holds is little. Whole graphs are not, and garbage beside them costs more memory
// than collecting it costs time.
func (m MemoryFor) Set() (replies, messages *netutil.Memory) {
	percent := 400
	if m.holdsGraphs() {
		percent = 60
	}
	debug.SetGCPercent(percent)
	if m.Sandbox {
		return netutil.NewMemory(m.Outside, nil)
	}
	var mu sync.Mutex
	limit := m.softLimit()
	debug.SetMemoryLimit(limit)
	return netutil.NewMemory(m.Outside, func(by int64) {
		mu.Lock()
		defer mu.Unlock()
		limit += by
		debug.SetMemoryLimit(limit)
	})
}

// holdsGraphs reports whether the profile holds whole graphs in memory.
func (m MemoryFor) holdsGraphs() bool { return m.Profile != "" && m.Profile != DefaultProfile }

// softLimit returns the soft limit of the memory when nothing large is read. Near a limit the
// collector would run all the time, so a server that holds graphs has room for these.
func (m MemoryFor) softLimit() int64 {
	limit := int64(memoryForOne)
	if m.HTTP {
		limit = memoryForMany
	}
	if m.Journal {
		limit += memoryForJournal
	}
	if m.holdsGraphs() {
		limit += 2 * cmp.Or(m.MirrorLimit, memoryForGraphs)
	}
	return limit
}
