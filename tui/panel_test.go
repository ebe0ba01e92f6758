package tui

import (
	"slices"
	"testing"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
)

// answered waits for an answer of the panel, and compares it.
func answered(want Decision) step {
	return func(h *harness) {
		h.t.Helper()
		h.until("an answer", func() bool { return len(h.desk.answers) > 0 })
		if got := <-h.desk.answers; got != want {
			h.t.Errorf("the answer is %v, want %v", got, want)
		}
	}
}

// unanswered wants no further answer of the panel.
func unanswered(h *harness) {
	h.t.Helper()
	if len(h.desk.answers) > 0 {
		h.t.Errorf("another answer is %v", <-h.desk.answers)
	}
}

func TestPanel(t *testing.T) {
	for key, want := range map[string]Decision{"a": Allow, "l": AllowReadOnly, "n": Deny, "!": Never} {
		t.Run("answers "+key, func(t *testing.T) {
			// The second press has nothing to answer.
			waitingWithPanel().then(press(key, key), answered(want), unanswered)(t, 80, 24)
		})
	}
	for _, s := range exchangeStates() {
		t.Run("takes no key that means something else: "+s.String(), func(t *testing.T) {
			h := waitingWithPanel().then(state(s))(t, 80, 24)
			clash := false
			for _, b := range h.asking().keys() {
				clash = clash || slices.ContainsFunc(b.Keys(), func(k string) bool { return slices.Contains([]string{"a", "l", "n", "!"}, k) })
			}
			if has := h.root.panelTakesKeys(); has == clash {
				t.Errorf("the panel has the keys: %v, the screen uses one of them: %v", has, clash)
			}
		})
	}
	play(t, map[string]scene{
		"takes no letter that is typed": waitingWithPanel().then(
			state(exchange.Cancelled), press("v", "a", "n"), unanswered, see("Leave this screen to answer.")),
		"does not answer a request that nobody has seen": in(fresh).then(func(h *harness) {
			h.desk.updates <- []AccessRequest{
				{ID: "1", Graph: hosted("demo"), Description: "Ada", AccessLevel: localapi.ReadOnly},
				{ID: "2", Graph: offline("notebook"), Description: "somebody", AccessLevel: localapi.Full},
			}
		}, see("“Ada” asks for read only access to demo"), press("a", "a"),
			shown("“somebody” asks for full access to notebook"), answered(Allow), advanced(time.Second), press("n"), answered(Deny)),
	})
}
