package tui

import (
	"slices"
	"testing"

	"charm.land/bubbles/v2/key"

	"roam-mcp/exchange"
)

func TestEveryExchangeStateHasAScreen(t *testing.T) {
	scenes := scenes()
	headlines := make(map[string]exchange.State)
	for _, state := range exchange.States() {
		t.Run(state.String(), func(t *testing.T) {
			scene, ok := scenes[stateName(state)]
			if !ok {
				t.Fatalf("the state %q has no scene", state)
			}
			s := scene(t, 80, 24).asking()
			headline := s.status().headline
			if other, taken := headlines[headline]; taken || headline == "" {
				t.Errorf("the headline %q is empty, or that of %q", headline, other)
			}
			headlines[headline] = state
			if !slices.ContainsFunc(s.keys(), func(b key.Binding) bool { return slices.Contains(b.Keys(), "esc") }) {
				t.Error("no key leads out")
			}
		})
	}
}
