package tui

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

// queuedUp is the form for three graphs at once, two of one default nickname.
func queuedUp(t *testing.T, width, height int, graphs ...localapi.Graph) *harness {
	t.Helper()
	h := newHarness(t, width, height, configured, func(h *harness) {
		h.roam.available = append(h.roam.available, hosted("lab_log"), hosted("lab-log"))
	})
	if len(graphs) == 0 {
		graphs = []localapi.Graph{hosted("reading-list"), hosted("lab_log"), hosted("lab-log")}
	}
	h.run(h.root.perform(h.root.top(), open{newConnectQueue(h.root.env, graphs)}))
	return h
}

// asksFor waits until the exchange under way is that of the graph.
func (h *harness) asksFor(name string) {
	h.t.Helper()
	h.until("the exchange for "+name, func() bool {
		return h.running() != nil && h.running().request.Graph.Name == name && h.asking() != nil && h.asking().session != nil
	})
}

// throughTheQueue rejects the first graph and lowers the second one.
func throughTheQueue(t *testing.T, width, height int) *harness {
	t.Helper()
	h := queuedUp(t, width, height)
	h.press("enter", "enter")
	h.asksFor("reading-list")
	h.machine(exchangeScenes()[exchange.Rejected])
	h.press("tab")
	h.asksFor("lab_log")
	h.machine(waiting)
	h.running().updates <- grantedNow(h, localapi.ReadOnly)
	h.asksFor("lab-log")
	return h
}

func grantedNow(h *harness, level localapi.AccessLevel) exchange.Machine {
	m := exchange.Machine{Request: h.running().request, Since: h.now}
	grant(&m, level)
	return m
}

func queueScenes() map[string]scene {
	return map[string]scene{
		"queue-form": func(t *testing.T, width, height int) *harness { return queuedUp(t, width, height) },
		"queue-nickname": func(t *testing.T, width, height int) *harness {
			h := queuedUp(t, width, height)
			h.press("enter", "tab", "tab", "ctrl+u")
			h.typeText("lab log 2")
			return h
		},
		"queue-waiting": func(t *testing.T, width, height int) *harness {
			h := throughTheQueue(t, width, height)
			h.machine(waiting)
			return h
		},
		"queue-rejected": func(t *testing.T, width, height int) *harness {
			h := queuedUp(t, width, height)
			h.press("enter", "enter")
			h.asksFor("reading-list")
			h.machine(exchangeScenes()[exchange.Rejected])
			return h
		},
		"queue-over": func(t *testing.T, width, height int) *harness {
			h := throughTheQueue(t, width, height)
			h.machine(waiting)
			h.running().updates <- grantedNow(h, localapi.Full)
			h.untilShown("2 of 3 graphs connected")
			return h
		},
	}
}

func TestSeveralGraphsAreAskedForOneAfterAnother(t *testing.T) {
	h := throughTheQueue(t, 80, 24)
	h.untilShown("Connect 3 graphs: 3 of 3")
	h.running().updates <- grantedNow(h, localapi.Full)
	h.untilShown("2 of 3 graphs connected")
	for _, want := range []string{
		"reading-list ✗ rejected in Roam", "lab_log ▲ connected with less than asked: read only", "lab-log ● connected, full",
	} {
		if !h.shows(want) {
			t.Errorf("the summary has no %q:\n%s", want, h.screen())
		}
	}
	var saved []string
	for _, entry := range h.store.config.Entries[4:] {
		saved = append(saved, entry.Nickname+" "+string(entry.AccessLevel))
	}
	if got, want := strings.Join(saved, ", "), "Lab log read-only, Lab log 2 full"; got != want {
		t.Errorf("saved are %s, want %s", got, want)
	}
	h.press("a")
	h.untilShown("Nickname of reading-list")
	h.press("esc")
	h.untilShown("Your graphs")
}

func TestAQueueCanBeStoppedAndSaysWhatWasNotAsked(t *testing.T) {
	h := queuedUp(t, 80, 24)
	h.press("enter", "enter")
	h.asksFor("reading-list")
	h.machine(waiting)
	first := h.running()
	h.press("esc")
	if got := h.event(); got != (exchange.Cancel{}) {
		t.Fatalf("esc sends %#v", got)
	}
	h.machine(exchangeScenes()[exchange.Cancelled])
	h.press("esc")
	h.untilShown("0 of 3 graphs connected")
	if !h.shows("reading-list – skipped") || !h.shows("lab-log – not asked") {
		t.Errorf("the summary is\n%s", h.screen())
	}
	h.until("the end of the exchange", func() bool {
		select {
		case <-first.closed:
			return true
		default:
			return false
		}
	})
	h.press("enter")
	h.untilShown("Your graphs")
}

func TestNicknamesOfAQueueAreUniqueAmongThemselves(t *testing.T) {
	h := queuedUp(t, 80, 24)
	h.press("enter", "tab", "tab", "ctrl+u")
	h.typeText("LAB LOG 2")
	h.untilShown("lab-log has this nickname too")
	h.press("enter")
	if h.running() != nil {
		t.Fatal("it asked with two nicknames the same")
	}
	h.press("ctrl+u")
	h.typeText("Log")
	h.press("enter")
	h.asksFor("reading-list")
}

func TestOfTwoGraphsOfOneNameOneIsAskedFor(t *testing.T) {
	h := queuedUp(t, 80, 24, hosted("reading-list"), offline("reading-list"))
	h.press("enter", "enter")
	h.asksFor("reading-list")
	h.running().updates <- grantedNow(h, localapi.Full)
	h.untilShown("1 of 2 graphs connected")
	if !h.shows("only one of the two can be") {
		t.Errorf("the reason is not said:\n%s", h.screen())
	}
}

func TestAnUnsavedTokenHoldsTheQueue(t *testing.T) {
	h := queuedUp(t, 80, 24)
	h.press("enter", "enter")
	h.asksFor("reading-list")
	h.store.saveErr = errDiskFull()
	h.machine(func(m *exchange.Machine) { grant(m, localapi.Full) })
	h.untilShown("Granted, but not saved")
	h.press("tab")
	if h.asking().request.Graph.Name != "reading-list" {
		t.Fatal("tab left an unsaved token")
	}
	if _, unsaved := h.root.unsavedToken(); !unsaved {
		t.Error("the root does not know of the unsaved token")
	}
	h.press("esc", "y")
	h.asksFor("lab_log")
	h.press("tab")
	h.asksFor("lab-log")
	h.press("esc")
	h.untilShown("reading-list ✗ granted, but not saved")
}

func TestTheSummaryOfALongQueueScrolls(t *testing.T) {
	var graphs []localapi.Graph
	for i := range 40 {
		graphs = append(graphs, hosted(fmt.Sprintf("graph-%02d", i)))
	}
	h := queuedUp(t, 60, 16, graphs...)
	h.press("enter", "enter")
	h.asksFor("graph-00")
	h.press("tab")
	h.asksFor("graph-01")
	h.press("esc")
	h.untilShown("0 of 40 graphs connected")
	if h.shows("graph-39") {
		t.Fatal("all fits")
	}
	h.press("end")
	h.untilShown("graph-39 – not asked")
	h.press("home")
	h.untilShown("graph-00 – skipped")
}
