package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestClients(t *testing.T) {
	play(t, map[string]scene{
		"copies a snippet": in(configured).then(press("m", "down", "y"),
			see("Handed the text to the terminal, which may not take it.")),
		"names the step at which the proof fails": in(configured, func(h *harness) {
			h.ports.Prove = func(context.Context, string, string) (Proof, error) {
				return Proof{}, errors.New("the server did not start")
			}
		}).then(press("t"), see("The server did not start.")),
	})
	t.Run("gives clients a profile and one graph, and proves that", func(t *testing.T) {
		var proven []string
		h := newHarness(t, 140, 40, configured, func(h *harness) {
			h.ports.Prove = func(_ context.Context, profile, nickname string) (Proof, error) {
				proven = append(proven, profile+" on "+nickname)
				return Proof{Tools: 11, Call: "get_hubs"}, nil
			}
		})
		ask := func(keys ...string) {
			h.press(append(keys, "t")...)
			h.untilShown("get_hubs on")
		}
		h.press("m")
		for _, step := range []struct {
			keys []string
			want string // in the command
		}{
			{nil, "roam -- /usr/local/bin/roam-mcp serve"},
			{[]string{"g"}, "roam -- /usr/local/bin/roam-mcp serve"}, // there is nothing to choose
			{[]string{"p"}, "roam-graph -- /usr/local/bin/roam-mcp serve --profile graph --graph Work"},
			{[]string{"g"}, "roam-graph -- /usr/local/bin/roam-mcp serve --profile graph --graph Personal"},
			{[]string{"p"}, "roam-notes -- /usr/local/bin/roam-mcp serve --profile notes --graph Personal"},
			{[]string{"g", "g"}, "roam-notes -- /usr/local/bin/roam-mcp serve --profile notes"},
			{[]string{"p", "p", "p"}, "roam -- /usr/local/bin/roam-mcp serve"},
		} {
			ask(step.keys...)
			if text := h.clientsScreen().snippets[0].Text; !strings.HasSuffix(text, step.want) {
				t.Errorf("after %v: %s", step.keys, text)
			}
		}
		if want := []string{"roam on Work", "roam on Work", "graph on Work", "graph on Personal", "notes on Personal", "notes on Work", "roam on Work"}; !slices.Equal(proven, want) {
			t.Errorf("proven: %q", proven)
		}
	})
	t.Run("serves the chosen profile here", func(t *testing.T) {
		served := ""
		h := newHarness(t, 140, 40, configured, func(h *harness) {
			h.ports.Serve = func(_ context.Context, profile, nickname string) (Service, error) {
				served = profile + " on " + nickname
				return newService(), nil
			}
		})
		h.press("m", "s") // the usual one is served from the list of graphs
		h.press("p", "g", "s")
		h.untilShown("profile graph, Personal")
		if served != "graph on Personal" || !h.shows("user roam-graph ") {
			t.Errorf("%s\n%s", served, h.screen())
		}
	})
	t.Run("suggests the only graph, and asks for none", func(t *testing.T) {
		h := newHarness(t, 140, 40, configured, func(h *harness) { h.store.config.Entries = h.store.config.Entries[:1] })
		h.press("m", "p", "g")
		if text := h.clientsScreen().snippets[0].Text; !strings.HasSuffix(text, "--profile graph --graph Work") || h.shows("another graph") {
			t.Errorf("%s\n%s", text, h.screen())
		}
	})
	t.Run("asks for no profile where there is one", func(t *testing.T) {
		h := newHarness(t, 140, 40, configured, func(h *harness) { h.ports.Profiles = h.ports.Profiles[:1] })
		h.press("m", "p")
		if h.shows("another profile") || h.shows("Profile roam") {
			t.Error(h.screen())
		}
	})
	t.Run("shows every line of every snippet", func(t *testing.T) {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {160, 50}} {
			h := newHarness(t, size[0], size[1], configured)
			h.press("m")
			seen := h.screen()
			keys := append(slices.Repeat([]string{"down"}, 12), "up", "up", "up", "up")
			for _, key := range append(keys, slices.Repeat([]string{"pgdown"}, 12)...) {
				h.press(key)
				seen += h.screen()
			}
			whole := strings.Join(strings.Fields(strings.NewReplacer("▌", "", "\\\n", "\n").Replace(seen)), "")
			for _, snippet := range snippets() {
				for _, line := range append(strings.Split(snippet.Text, "\n"), snippet.Client) {
					if !strings.Contains(whole, strings.Join(strings.Fields(line), "")) {
						t.Errorf("at %dx%d %q can't be seen", size[0], size[1], line)
					}
				}
			}
		}
	})
}

// clientsScreen is the screen on top.
func (h *harness) clientsScreen() *clientsScreen {
	h.t.Helper()
	s, ok := h.root.top().(*clientsScreen)
	if !ok {
		h.t.Fatalf("the screen is\n%s", h.screen())
	}
	return s
}
