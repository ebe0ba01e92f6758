package tui

import (
	"context"
	"testing"

	"roam-mcp/exchange"
	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
)

// clientsInStates are clients of which some are configured.
type clientsInStates struct {
	*fakeClients
	states []clients.State
}

func (f *clientsInStates) Look(context.Context) []install.Status {
	var all []install.Status
	for _, state := range f.states {
		all = append(all, install.Status{Status: clients.Status{State: state}})
	}
	return all
}

// withClients has clients on this computer that stand so.
func withClients(states ...clients.State) world {
	return func(h *harness) { h.ports.Clients = &clientsInStates{newFakeClients(), states} }
}

// knowsClients waits until the program has looked at the clients.
func knowsClients(h *harness) {
	h.t.Helper()
	h.until("a look at the clients", func() bool { return h.root.env.path.clients != nil })
}

func wayScenes() map[string]scene {
	connectedFirst := asking(fresh, withClients(clients.Present)).then(knowsClients, state(exchange.Granted), see("Demo is connected"))
	return map[string]scene{
		"first-run":             in(withClients(clients.Present), twoListed).then(knowsClients),
		"first-run-away":        in(withClients(clients.Present), away, official).then(knowsClients),
		"graphs-without-client": in(configured, withClients(clients.Present)).then(knowsClients),
		"connected-first":       connectedFirst,
	}
}

// twoListed has a Roam with two graphs.
func twoListed(h *harness) {
	fresh(h)
	h.options.Sandbox, h.ports.Desk = false, nil
}

func TestTheWayIn(t *testing.T) {
	play(t, map[string]scene{
		"says at the first start what the program is for, and which steps there are": scenes()["first-run"].then(
			shown("roam-mcp lets AI agents use your Roam graphs", "Roam ✓ › graph ○ › client ○", "enter connect", "b try the sandbox")),
		"shows while Roam is away that it is the first step": scenes()["first-run-away"].then(
			shown("Roam ○ › graph ○ › client ○", "o open Roam", "b try the sandbox", "i takes over the graphs")),
		"leads from a graph to a client": scenes()["connected-first"].then(
			shown("Roam ✓ › graph ✓ › client ○", "enter connect a client"), press("esc"),
			see("Your graphs"), shown("Roam ✓ › graph ✓ › client ○", "m connect a client", "enter details")),
		"says no more of the steps once a client is configured": in(configured, withClients(clients.Present, clients.Configured)).then(
			knowsClients, unseen("› graph ✓", "m connect a client"), press("enter", "esc"), see("Your graphs")),
		"takes one more enter from the graph to the question in Roam": in(twoListed).then(press("enter", "enter"), func(h *harness) {
			h.until("the exchange", func() bool { return h.running() != nil })
		}),
		"leads to the sandbox": in(twoListed).then(press("b"), quits, func(h *harness) {
			if h.root.next != EnterSandbox {
				h.t.Errorf("next is %v", h.root.next)
			}
		}),
		"leads out of the sandbox": in(fresh, func(h *harness) { h.options.Switched = true }).then(
			func(h *harness) { h.root.notice = newRoot(t.Context(), *h.ports, h.options).notice }, shown("You are in the sandbox now. b leads back to your own Roam."),
			press("b"), quits, func(h *harness) {
				if h.root.next != LeaveSandbox {
					h.t.Errorf("next is %v", h.root.next)
				}
			}),
		"ends for good where ctrl+c interrupts the way to the sandbox": in(twoListed).then(hold(press("space"), func(h *harness) {
			h.root.env.pendingWrites++
			h.press("b")
			stays(h)
			h.press("ctrl+c")
		}), quits, func(h *harness) {
			if h.root.next != Quit {
				h.t.Errorf("next is %v", h.root.next)
			}
		}),
	})
}
