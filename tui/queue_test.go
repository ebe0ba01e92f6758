package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
)

// queuedUp is the form for several graphs at once: for three, two of them of one
// default nickname, unless they are named.
func queuedUp(graphs ...localapi.Graph) scene {
	if len(graphs) == 0 {
		graphs = []localapi.Graph{hosted("reading-list"), hosted("lab_log"), hosted("lab-log")}
	}
	return in(configured, func(h *harness) {
		h.roam.available = append(h.roam.available, hosted("lab_log"), hosted("lab-log"))
	}).then(func(h *harness) {
		h.run(h.root.perform(h.root.top(), open{newConnectQueue(h.root.env, graphs)}))
	})
}

// asksFor waits until the exchange under way is that of the graph.
func asksFor(name string) step {
	return func(h *harness) {
		h.t.Helper()
		h.until("the exchange for "+name, func() bool {
			return h.running() != nil && h.running().request.Graph.Name == name && h.asking() != nil && h.asking().session != nil
		})
	}
}

// firstAsked is the queue whose first graph is asked for.
func firstAsked(graphs ...localapi.Graph) scene {
	return queuedUp(graphs...).then(press("enter"), func(h *harness) { asksFor(h.root.top().(*connectQueue).items[0].graph.Name)(h) })
}

// throughTheQueue rejects the first graph and lowers the second one.
func throughTheQueue() scene {
	return firstAsked().then(state(exchange.Rejected), press("tab"),
		asksFor("lab_log"), state(exchange.Waiting), grantedUnseen(localapi.ReadOnly), asksFor("lab-log"))
}

// grantedUnseen has Roam grant the token, and does not wait for the screen: the
// queue goes on at once.
func grantedUnseen(level localapi.AccessLevel) step {
	return func(h *harness) { h.running().updates <- grantedNow(h, level) }
}

func grantedNow(h *harness, level localapi.AccessLevel) exchange.Machine {
	m := exchange.Machine{Request: h.running().request, Since: h.now}
	grant(&m, level)
	return m
}

func queueScenes() map[string]scene {
	last := throughTheQueue().then(state(exchange.Waiting))
	return map[string]scene{
		"queue-form":     queuedUp(),
		"queue-nickname": queuedUp().then(press("tab", "tab", "tab", "ctrl+u"), typed("lab log 2")),
		"queue-waiting":  last,
		"queue-rejected": firstAsked().then(state(exchange.Rejected)),
		"queue-over":     last.then(grantedUnseen(localapi.Full), see("2 of 3 graphs connected")),
	}
}

func TestConnectQueue(t *testing.T) {
	skipped := func(err error, want string) scene {
		return firstAsked().then(state(exchange.Waiting), refuseSave(err), func(h *harness) {
			h.running().last = grantedNow(h, localapi.Full)
		}, press("tab"), see("Roam granted reading-list in that moment"), shown(want))
	}
	var many []localapi.Graph
	for i := range 40 {
		many = append(many, hosted(fmt.Sprintf("graph-%02d", i)))
	}
	play(t, map[string]scene{
		"asks for one graph after another": throughTheQueue().then(see("Connect 3 graphs: 3 of 3"), grantedUnseen(localapi.Full), see("2 of 3 graphs connected"),
			shown("reading-list ✗ rejected in Roam", "lab_log ▲ read only, less than asked", "lab-log ● full access"),
			func(h *harness) {
				var saved []string
				for _, entry := range h.store.config.Entries[4:] {
					saved = append(saved, entry.Nickname+" "+string(entry.AccessLevel))
				}
				if got, want := strings.Join(saved, ", "), "Lab log read-only, Lab log 2 full"; got != want {
					h.t.Errorf("saved are %s, want %s", got, want)
				}
			}, press("a"), see("Nickname of reading-list"), press("esc"), see("Your graphs")),
		"can be stopped, and says what was not asked": firstAsked().then(state(exchange.Waiting), press("esc"), sent(exchange.Cancel{}),
			state(exchange.Cancelled), press("esc"), see("0 of 3 graphs connected"), shown("reading-list – skipped", "lab-log – not asked"),
			isClosed, press("enter"), see("Your graphs")),
		"says at once that the last graph was denied": firstAsked(hosted("reading-list"), hosted("recipes")).then(press("tab"), asksFor("recipes"),
			state(exchange.Waiting), shown("asked for now"), state(exchange.Rejected), shown("recipes ✗ rejected in Roam"), unseen("asked for now")),
		"says that less was granted beside any name": func(t *testing.T, _, _ int) *harness {
			return firstAsked(hosted("the-notes-of-the-second-half-of-the-year"), hosted("recipes")).then(
				state(exchange.Waiting), grantedUnseen(localapi.ReadAppend), asksFor("recipes"), shown("▲ read + append, less than asked"))(t, 60, 16)
		},
		"leads to the clients": scenes()["queue-over"].then(shown("enter connect a client", "esc your graphs"), press("enter"), top[*clientsScreen]),
		"refuses two nicknames that are the same": queuedUp().then(press("tab", "tab", "tab", "ctrl+u"), typed("LAB LOG 2"),
			see("lab-log has this nickname too"), press("enter"), unasked, press("ctrl+u"), typed("Log"), press("enter"), asksFor("reading-list")),
		"asks for one of two graphs of one name": firstAsked(hosted("reading-list"), offline("reading-list")).then(
			grantedUnseen(localapi.Full), see("1 of 2 graphs connected"), shown("only one of the two can be")),
		"is held by a token that is not saved": firstAsked().then(refuseSave(errDiskFull()), refuseRescue, granted(localapi.Full), see("Granted, but not saved"),
			press("tab"), func(h *harness) {
				if h.asking().authorization.Entry.Name != "reading-list" || !h.root.unsaved() {
					h.t.Fatalf("tab left it:\n%s", h.screen())
				}
			}, press("esc", "y"), asksFor("lab_log"), press("tab"), asksFor("lab-log"), press("esc"), see("reading-list ✗ granted, but not saved")),
		"saves a token that is granted as its graph is skipped":   skipped(nil, "Saved as “Reading list” in ~/.roam-mcp.json."),
		"rescues a token that is granted as its graph is skipped": skipped(errors.New("no space left"), "it is kept in /home/ada/.local/state/roam-mcp/rescued/"),
		"scrolls to the end of a long summary": func(t *testing.T, _, _ int) *harness {
			return firstAsked(many...).then(press("tab"), asksFor("graph-01"), press("esc"), see("0 of 40 graphs connected"), unseen("graph-39"),
				press("end"), see("graph-39 – not asked"), press("home"), see("graph-00 – skipped"))(t, 60, 16)
		},
	})
}
