package tui

import (
	"slices"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
)

func markedNames(h *harness) []string {
	var names []string
	for _, g := range h.root.stack[0].(*graphList).marked {
		names = append(names, g.Name)
	}
	return names
}

func TestMarkedGraphsAreConnectedOneAfterAnother(t *testing.T) {
	for _, key := range []string{"enter", "c"} {
		h := newHarness(t, 80, 24, configured)
		h.press("end", "space", "up", "space")
		if got := markedNames(h); !slices.Equal(got, []string{"recipes", "reading-list"}) || !h.shows("2 marked") || !h.shows("✓ marked") {
			t.Fatalf("marked are %v:\n%s", got, h.screen())
		}
		h.press(key)
		q, ok := h.root.top().(*connectQueue)
		if !ok || len(q.items) != 2 || q.items[0].graph != hosted("recipes") {
			t.Fatalf("%s opens %T:\n%s", key, h.root.top(), h.screen())
		}
		h.press("esc")
		if len(markedNames(h)) != 2 {
			t.Error("the marks are gone though nothing was connected")
		}
	}
}

func TestMarksGoAwayWithWhatTheyWereFor(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("end", "space", "up", "space", "up", "space")
	if got := markedNames(h); !slices.Equal(got, []string{"recipes"}) {
		t.Errorf("space does not take a mark off: %v", got)
	}
	h.press("end", "up", "space", "esc")
	if got := markedNames(h); got != nil || h.root.quitting {
		t.Errorf("esc leaves the marks %v", got)
	}
	h.press("end", "space", "up", "space")
	config := h.store.config
	config.Entries = append(slices.Clone(config.Entries), entry("Recipes", hosted("recipes"), localapi.Full, "recp"))
	h.store.events <- configstore.Event{Config: config}
	h.until("one mark", func() bool { return slices.Equal(markedNames(h), []string{"reading-list"}) })
	h.press("end", "enter") // one alone has the form for one
	if _, ok := h.root.top().(*connectForm); !ok {
		t.Errorf("enter opens %T", h.root.top())
	}
}

func TestAGraphWhoseTwinIsTakenIsNotMarked(t *testing.T) {
	h := newHarness(t, 80, 24, configured, func(h *harness) {
		h.roam.available = []localapi.Graph{offline("archive-2019"), hosted("twin"), offline("twin")}
	})
	h.press("end", "up", "up", "space")
	if got := markedNames(h); len(got) != 0 || !h.shows("is connected as Old, and only one of the two can be.") {
		t.Errorf("marked are %v:\n%s", got, h.screen())
	}
	h.press("end", "up", "space", "space")
	if got := markedNames(h); len(got) != 1 || !h.shows("is marked, and only one of the two can be connected.") {
		t.Errorf("marked are %v:\n%s", got, h.screen())
	}
}
