package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"roam-mcp/localapi"
)

func TestEveryLineOfEverySnippetCanBeSeen(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {160, 50}} {
		h := newHarness(t, size[0], size[1], configured)
		h.press("m")
		seen := h.screen()
		for range 12 {
			h.press("down")
			seen += h.screen()
		}
		h.press("up", "up", "up", "up")
		for range 12 {
			h.press("pgdown")
			seen += h.screen()
		}
		whole := strings.Join(strings.Fields(strings.ReplaceAll(seen, "▌", "")), "")
		for _, snippet := range snippets() {
			for _, line := range append(strings.Split(snippet.Text, "\n"), snippet.Client) {
				if !strings.Contains(whole, strings.Join(strings.Fields(line), "")) {
					t.Errorf("at %dx%d %q can't be seen", size[0], size[1], line)
				}
			}
		}
	}
}

func TestASnippetIsCopied(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("m", "down")
	_, cmd := h.root.Update(keyPress("y"))
	if cmd == nil {
		t.Fatal("nothing is copied")
	}
	h.run(cmd)
	h.untilShown("Handed the text to the terminal, which may not take it.")
}

func TestTheKeysOfAListMoveTheSelection(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	for _, step := range []struct{ key, want string }{
		{"j", "Personal"}, {"k", "Work"}, {"k", "Work"}, {"G", "recipes"}, {"g", "Work"}, {"pgdown", "recipes"}, {"up", "reading-list"},
	} {
		h.press(step.key)
		if !h.shows("▌ " + step.want) {
			t.Errorf("after %s %s is not selected:\n%s", step.key, step.want, h.screen())
		}
	}
}

func TestAFilterNarrowsTheListAndEscShowsAll(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("/")
	h.typeText("re")
	if h.shows("jfb-work") || !h.shows("reading-list") || !h.shows("recipes") {
		t.Errorf("the filter does not narrow:\n%s", h.screen())
	}
	h.press("backspace", "enter", "q") // out of the filter q quits again
	h.until("the end", func() bool { return h.quit })

	h = newHarness(t, 80, 24, configured)
	h.press("/", "w", "enter", "esc")
	h.untilShown("recipes")
}

func TestTheHelpListsWhatWorksHere(t *testing.T) {
	h := newHarness(t, 60, 16, configured)
	want := h.root.top().keys()
	h.press("?")
	seen := h.screen()
	for range 20 {
		h.press("down")
		seen += h.screen()
	}
	for _, b := range want {
		if !strings.Contains(unwrapped(seen), b.Help().Desc) {
			t.Errorf("the help has no %q", b.Help().Desc)
		}
	}
	h.press("up", "pgdown", "esc")
	if !h.shows("Your graphs") {
		t.Error("esc does not leave the help")
	}
}

func TestTheKeyOfTheHelpLeavesItToo(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("?", "?")
	if !h.shows("Your graphs") || len(h.root.stack) != 1 {
		t.Errorf("%d screens lie on each other:\n%s", len(h.root.stack), h.screen())
	}
}

func TestOpeningRoam(t *testing.T) {
	opened := make(chan localapi.Graph, 1)
	h := newHarness(t, 80, 24, configured, func(h *harness) {
		h.ports.OpenRoam = func(_ context.Context, g localapi.Graph) error {
			opened <- g
			return errors.New("no handler")
		}
	})
	h.press("enter", "o")
	h.untilShown("Roam could not be opened from here.")
	if g := <-opened; g != hosted("jfb-work-notes-2024") {
		t.Errorf("opened %v", g)
	}

	h = newHarness(t, 80, 24, away, func(h *harness) { h.ports.OpenRoam = nil })
	h.press("o")
	h.untilShown("Start Roam Desktop by hand.")

	h = newHarness(t, 80, 24, fresh)
	h.press("o")
	h.untilShown("The sandbox stands in for Roam")
}

func TestAGraphThatGoesAwayWhileItIsShown(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("enter")
	h.store.mu.Lock()
	h.store.config.Entries = h.store.config.Entries[1:]
	h.store.mu.Unlock()
	h.press("space") // fails, and reads the file anew
	h.untilShown("This graph is no longer in ~/.roam-mcp.json.")
	h.press("esc")
	h.untilShown("Your graphs")
}
