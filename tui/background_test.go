package tui

import (
	"testing"
)

// TestTokensInSightAreCheckedFirst counts the checks between two
// ticks: a thousand tokens are not asked about at once.
func TestTokensInSightAreCheckedFirst(t *testing.T) {
	config, roam := crowd(1000, 0)
	h := newHarness(t, 80, 24, func(h *harness) {
		h.store.config, h.roam.available = config, roam.Available
	})
	list := h.root.stack[0].(*graphList)
	checked := func(from, to int) (n int) {
		for _, e := range config.Entries[from:to] {
			if _, ok := h.root.env.roster.Check(e); ok {
				n++
			}
		}
		return n
	}
	shown := len(h.root.visibleEntries())
	_, height := list.list.Window()
	if shown < 5 || shown > height || checked(0, shown) != shown || checked(shown, 1000) > checksPerTick {
		t.Fatalf("%d of %d in sight are checked, and %d others", checked(0, shown), shown, checked(shown, 1000))
	}
	before := checked(0, 1000)
	h.handle(tickMsg{})
	h.until("the checks of a tick", func() bool { return !h.root.work.checking })
	if n := checked(0, 1000) - before; n != checksPerTick {
		t.Errorf("%d tokens are checked in a tick, want %d", n, checksPerTick)
	}
	h.press("end")
	h.handle(tickMsg{})
	h.until("the last ones", func() bool { return checked(990, 1000) == 10 && !h.root.work.checking })
	if n := checked(0, 1000); n > before+2*checksPerTick+height {
		t.Errorf("%d tokens are checked", n)
	}
}
