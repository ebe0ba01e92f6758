package tui

import (
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
)

// modeOpen is a configuration that others can read.
func modeOpen(h *harness) {
	h.store.config.Problems = []configstore.Problem{{Code: configstore.CodeConfigModeOpen, Message: "Others can read it."}}
}

func TestQuit(t *testing.T) {
	play(t, map[string]scene{
		"q quits from the top":             in(configured).then(press("q"), quits),
		"q does not quit from below":       in(configured).then(press("m", "q"), stays),
		"ctrl+c quits where nothing is on": in(configured).then(press("e", "ctrl+c"), quits),
		"ctrl+c drops a request at its second press": asking(configured).then(state(exchange.Waiting),
			press("ctrl+c"), see("Press ctrl+c again to quit."), press("ctrl+c"), quits, isClosed),
		"ctrl+c warns in a window that is too small": asking(configured).then(state(exchange.Waiting), resized(30, 8),
			press("ctrl+c"), see("Press ctrl+c again to quit."), press("ctrl+c"), quits),
		"the warning goes with what it is about": asking(configured).then(state(exchange.Waiting),
			press("ctrl+c"), see("Press ctrl+c again to quit."), state(exchange.Rejected), unseen("Press ctrl+c again"), press("ctrl+c"), quits),
		"a warning of another thing does not count": asking(configured).then(state(exchange.Waiting),
			press("ctrl+c"), see("quitting drops that. Press ctrl+c again to quit."),
			hold(state(exchange.Granted), press("ctrl+c"), stays, shown("The token is not saved yet"), func(h *harness) {
				if h.root.quitAfterWrites {
					h.t.Error("it is about to quit")
				}
			})),
		"a write that fails keeps the program, and is told": in(configured).then(
			hold(emptied, press("D", "q")), see("No such graph."), stays, press("q"), quits),
		"ctrl+c does not wait for a file that another program holds": in(configured).then(
			hold(press("D", "q"), shown("Press ctrl+c to quit without that."), press("ctrl+c"), quits)),
	})
}

func TestQuitWritesFirst(t *testing.T) {
	renaming := []string{"e", "ctrl+u", "N"}
	for name, test := range map[string]struct {
		before []string // until the change
		keys   []string
		call   string
	}{
		"disabled":              {nil, []string{"D", "q"}, "set disabled Work"},
		"disabled, then ctrl+c": {nil, []string{"D", "ctrl+c"}, "set disabled Work"},
		"removed":               {[]string{"x"}, []string{"y", "q"}, "remove Work"},
		"renamed":               {renaming, []string{"enter", "esc", "q"}, "rename Work to N"},
		"renamed, then ctrl+c":  {renaming, []string{"enter", "ctrl+c"}, "rename Work to N"},
		"closed to others":      {[]string{"f"}, []string{"f", "esc", "q"}, "fix mode"},
		"imported":              {[]string{"i"}, []string{"enter", "esc", "q"}, "import"},
	} {
		t.Run(name, func(t *testing.T) {
			h := in(configured, official, modeOpen).then(press(test.before...))(t, 80, 24)
			if name == "imported" {
				h.untilShown("enter import 1 graph")
			}
			if name == "closed to others" {
				h.untilShown("f close it to others")
			}
			hold(press(test.keys...), stays, press("x", "esc"))(h) // the last keys are not taken
			quits(h)
			called(test.call)(h)
		})
	}
}

func TestNotice(t *testing.T) {
	path := "/home/ada/.local/state/roam-mcp/rescued/roam-mcp-rescued-2415397479.json"
	h := newHarness(t, 60, 16, configured)
	h.run(h.root.perform(h.root.top(), notify{notice{"Roam granted reading-list in that moment, and the token could not be saved; it is kept in " + path + ", and this takes it over: roam-mcp --sandbox import " + path, noticeFailure}}))
	if screen := strings.Join(strings.Fields(h.screen()), ""); strings.Count(screen, path) != 2 {
		t.Errorf("a long one is not shown to its end:\n%s", h.screen())
	}
}
