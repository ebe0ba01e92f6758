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
			h.ports.Prove = func(context.Context, string) (Proof, error) { return Proof{}, errors.New("the server did not start") }
		}).then(press("t"), see("The server did not start.")),
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
			whole := strings.Join(strings.Fields(strings.ReplaceAll(seen, "▌", "")), "")
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
