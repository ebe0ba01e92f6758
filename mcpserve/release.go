package mcpserve

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// releaseAfter is how long no call has run when memory is given back: not between two
	// questions.
	releaseAfter = 2 * time.Second
	// leastReleased is how much memory must have come to what was left the last time, in
	// bytes; and a quarter of that at least.
	leastReleased = 8 << 20
	// forgetAfter is how long no call of any tool has run when the graphs themselves are
	// given back.
	forgetAfter = 10 * time.Minute
)

// releaser gives the memory back to the system that a large reply, loading a graph and making
// its indexes have left: about as much as they take; and, once nobody has called for long, that
// of the graphs too. While a call runs it waits: an index may be made.
type releaser struct {
	timer *time.Timer
	// forget drops the graphs that are held, and reports whether there were any. No call
	// runs or begins until it returns.
	forget func() bool
	idle   *time.Timer

	mu      sync.Mutex
	running int    // calls
	left    uint64 // bytes of the heap after the last time
}

func newReleaser(forget func() bool) *releaser {
	r := &releaser{forget: forget}
	r.timer, r.idle = stopped(r.release), stopped(r.forgetGraphs)
	return r
}

// stopped returns a timer that calls a function once it is reset.
func stopped(call func()) *time.Timer {
	timer := time.AfterFunc(time.Hour, call)
	timer.Stop()
	return timer
}

// begin tells that a call begins.
func (r *releaser) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running++
	r.timer.Stop()
	r.idle.Stop()
}

// end tells that a call has ended.
func (r *releaser) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	if r.running > 0 {
		return
	}
	r.idle.Reset(forgetAfter)
	r.timer.Reset(releaseAfter)
}

func (r *releaser) stop() {
	r.timer.Stop()
	r.idle.Stop()
}

func (r *releaser) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running > 0 {
		return // it has begun just now, and tells when it ends
	}
	if heap := heapHeld(); heap < r.left+max(r.left/4, leastReleased) {
		return
	}
	r.free()
}

// forgetGraphs has the graphs forgotten, and gives back what they took, however much it is.
func (r *releaser) forgetGraphs() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == 0 && r.forget() {
		r.free()
	}
}

// free gives back what is not in use. The caller holds mu.
func (r *releaser) free() {
	debug.FreeOSMemory()
	r.left = heapHeld()
}

// heapHeld returns how many bytes of memory the heap has of the system.
func heapHeld() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapSys - stats.HeapReleased
}
