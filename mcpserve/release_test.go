package mcpserve

import "testing"

func TestMemoryIsGivenBackOnceItHasGrown(t *testing.T) {
	r := newReleaser()
	defer r.stop()
	garbage := make([]byte, 64<<20)
	for i := 0; i < len(garbage); i += 4096 {
		garbage[i] = 1
	}
	before := heapHeld() - uint64(garbage[0]) // which is in use until here
	r.release()
	if r.left == 0 || r.left+32<<20 > before {
		t.Errorf("of %d bytes %d are left", before, r.left)
	}
	left := r.left
	r.release()
	if r.left != left {
		t.Errorf("it was given back again: %d bytes are left, %d before", r.left, left)
	}
}

func TestMemoryIsGivenBackWhenNothingIsAsked(t *testing.T) {
	r := newReleaser()
	defer r.stop()
	waits := func() bool { return r.timer.Stop() }
	if waits() {
		t.Error("it waits before anything was asked")
	}
	r.begin()
	r.end(false)
	if waits() {
		t.Error("it waits though no graph was asked about")
	}
	r.begin()
	r.begin()
	r.end(true)
	if waits() {
		t.Error("it waits while another call runs")
	}
	r.end(false)
	if !waits() {
		t.Error("it does not wait once a graph was asked about")
	}
}
