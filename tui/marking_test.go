package tui

import (
	"testing"

	"roam-mcp/tui/kit"
)

// TestMarkedTogether marks graphs that are connected, and does something with all of them.
func TestMarkedTogether(t *testing.T) {
	two := in(configured).then(press("space", "space"))
	play(t, map[string]scene{
		"are disabled": two.then(shown("2 marked", "Your graphs"), offers("D disable 2 marked graphs"), press("D"), see("Work and Personal are disabled: agents can't reach them until you enable them."),
			called("set disabled Work"), called("set disabled Personal"), offers("D enable 2 marked graphs"), press("D"), see("Work and Personal are enabled: servers that run offer them at once.")),
		"are disabled, less those that are": in(configured).then(press("space", "down", "down", "space", "D"), see("Work is disabled")),
		"are removed once that is confirmed": two.then(press("x"), shown("Remove Work and Personal from", "Keep them"), press("y"), see("Removed Work and Personal. u puts one after another back."), unseen("marked"),
			press("u"), see("Personal is back. u puts Work back too."), press("u"), see("Work is back.")),
		"stay where that is not":          two.then(press("x", "enter"), shown("2 marked")),
		"lose their marks by esc":         two.then(press("esc"), unseen("marked"), offers("D disable")),
		"are apart from those to connect": two.then(press("end", "space"), offers("c connect 1 marked graph"), offers("D disable 2 marked graphs"), press("c"), top[*connectForm]),
		"are not needed":                  in(configured).then(press("D"), see("Work is disabled: agents can't reach it until you enable it.")),
	})
	t.Run("space does nothing else", func(t *testing.T) {
		k := newKeys(kit.UnicodeGlyphs())
		for _, group := range keyTable(k) {
			for _, b := range group.bindings {
				for _, name := range b.Keys() {
					if name == "space" && !sameKeys(k.mark)(b) {
						t.Errorf("space is “%s”", b.Help().Desc)
					}
				}
			}
		}
	})
}
