package mcpserve

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// releaseAfter is how long no call has asked about a whole graph when memory is given
	// back: not between two questions.
	releaseAfter = 2 * time.Second
	// leastReleased is how much memory must have come to what was left the last time, in
	// bytes; and a quarter of that at least.
	leastReleased = 16 << 20
)

// releaser gives the memory back to the system that loading a graph and making its indexes
// has left: about as much as they take. While a call runs it waits: an index may be made.
type releaser struct {
	timer *time.Timer

	mu      sync.Mutex
	running int    // calls
	due     bool   // one has ended that asked about a whole graph, and nothing was given back since
	left    uint64 // bytes of the heap after the last time
}

func newReleaser() *releaser {
	r := &releaser{}
	r.timer = time.AfterFunc(time.Hour, r.release)
	r.timer.Stop()
	return r
}

// begin tells that a call begins.
func (r *releaser) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running++
	r.timer.Stop()
}

// end tells that a call has ended; asked: about a whole graph.
func (r *releaser) end(asked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	if r.due = r.due || asked; r.due && r.running == 0 {
		r.timer.Reset(releaseAfter)
	}
}

func (r *releaser) stop() { r.timer.Stop() }

func (r *releaser) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running > 0 {
		return // it has begun just now, and tells when it ends
	}
	r.due = false
	if heap := heapHeld(); heap < r.left+max(r.left/4, leastReleased) {
		return
	}
	debug.FreeOSMemory()
	r.left = heapHeld()
}

// heapHeld returns how many bytes of memory the heap has of the system.
func heapHeld() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapSys - stats.HeapReleased
}
