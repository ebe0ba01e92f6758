package tui

import (
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// scene sets the program up in a terminal of that size and leads it to a screen.
type scene func(t *testing.T, width, height int) *harness

// in is the first screen in a world.
func in(worlds ...world) scene {
	return func(t *testing.T, width, height int) *harness {
		t.Helper()
		return newHarness(t, width, height, worlds...)
	}
}

// then is the scene after some steps.
func (s scene) then(steps ...step) scene {
	return func(t *testing.T, width, height int) *harness {
		t.Helper()
		h := s(t, width, height)
		for _, step := range steps {
			step(h)
		}
		return h
	}
}

// play runs each scene in a usual terminal. What it has to show is among its steps.
func play(t *testing.T, scenes map[string]scene) {
	t.Helper()
	for name, s := range scenes {
		t.Run(name, func(t *testing.T) { s(t, 80, 24) })
	}
}

// step is something that a person or the world does, or that has to be so by then.
type step func(*harness)

// press presses keys: names such as enter, or single characters.
func press(keys ...string) step { return func(h *harness) { h.press(keys...) } }

// typed presses the key of each character.
func typed(text string) step { return func(h *harness) { h.typeText(text) } }

// offered reports whether the top screen has a key, such as "e rename". The key line shows
// only the first ones.
func (h *harness) offered(shown string) bool {
	return slices.ContainsFunc(h.root.top().keys(), func(b key.Binding) bool {
		return b.Enabled() && b.Help().Key+" "+b.Help().Desc == shown
	})
}

// offers waits until the top screen has a key.
func offers(shown string) step {
	return func(h *harness) {
		h.t.Helper()
		h.until("the key “"+shown+"”", func() bool { return h.offered(shown) })
	}
}

func doesNotOffer(shown string) step {
	return func(h *harness) {
		h.t.Helper()
		if h.offered(shown) {
			h.t.Errorf("the key “%s” is offered", shown)
		}
	}
}

func pasted(text string) step {
	return func(h *harness) { h.handle(tea.PasteMsg{Content: text}) }
}

func resized(width, height int) step {
	return func(h *harness) { h.handle(tea.WindowSizeMsg{Width: width, Height: height}) }
}

// state brings the exchange into a state.
func state(s exchange.State) step { return machine(exchangeScenes()[s]) }

// machine changes the exchange.
func machine(change func(*exchange.Machine)) step {
	return func(h *harness) { h.t.Helper(); h.machine(change) }
}

// granted has Roam grant the token.
func granted(level localapi.AccessLevel) step {
	return machine(func(m *exchange.Machine) { grant(m, level) })
}

// see waits until the texts are on the screen.
func see(texts ...string) step {
	return func(h *harness) {
		h.t.Helper()
		for _, text := range texts {
			h.untilShown(text)
		}
	}
}

// shown wants the texts on the screen now.
func shown(texts ...string) step {
	return func(h *harness) {
		h.t.Helper()
		for _, text := range texts {
			if !h.shows(text) {
				h.t.Errorf("there is no %q on\n%s", text, h.screen())
			}
		}
	}
}

// unseen wants none of the texts on the screen now.
func unseen(texts ...string) step {
	return func(h *harness) {
		h.t.Helper()
		for _, text := range texts {
			if h.shows(text) {
				h.t.Errorf("%q is on\n%s", text, h.screen())
			}
		}
	}
}

// called waits until the store was called so.
func called(call string) step {
	return func(h *harness) {
		h.t.Helper()
		h.until("the call "+call, func() bool { return strings.Contains(h.store.log(), call) })
	}
}

// uncalled wants no such call of the store so far.
func uncalled(calls ...string) step {
	return func(h *harness) {
		h.t.Helper()
		for _, call := range calls {
			if strings.Contains(h.store.log(), call) {
				h.t.Errorf("the calls are %s", h.store.log())
			}
		}
	}
}

// requested waits for an exchange, and compares its request.
func requested(want exchange.Request) step {
	return func(h *harness) {
		h.t.Helper()
		h.until("the exchange", func() bool { return h.running() != nil })
		if got := h.running().request; got != want {
			h.t.Errorf("the request is %+v, want %+v", got, want)
		}
	}
}

// request is that of a graph, with the usual description.
func request(g localapi.Graph, level localapi.AccessLevel) exchange.Request {
	return exchange.Request{Graph: g, AccessLevel: level, Description: "roam-mcp on this computer"}
}

// sent waits for an event of the exchange, and compares it.
func sent(want exchange.Event) step {
	return func(h *harness) {
		h.t.Helper()
		if got := h.event(); got != want {
			h.t.Errorf("sent is %#v, want %#v", got, want)
		}
	}
}

// savedEntry compares an entry of the configuration.
func savedEntry(index int, want configstore.Entry) step {
	return func(h *harness) {
		h.t.Helper()
		if got := h.store.config.Entries[index]; got != want {
			h.t.Errorf("saved is %+v, want %+v", got, want)
		}
	}
}

// isClosed waits until the exchange is closed.
func isClosed(h *harness) {
	h.t.Helper()
	closed := h.running().closed
	h.until("the end of the exchange", func() bool {
		select {
		case <-closed:
			return true
		default:
			return false
		}
	})
}

// quits waits for the end of the program.
func quits(h *harness) {
	h.t.Helper()
	h.until("the end", func() bool { return h.quit })
}

// stays wants the program not to be about to end.
func stays(h *harness) {
	h.t.Helper()
	if h.quit || h.root.quitting {
		h.t.Errorf("it ends:\n%s", h.screen())
	}
}

// unasked wants no exchange so far.
func unasked(h *harness) {
	h.t.Helper()
	if h.running() != nil {
		h.t.Error("an exchange was started")
	}
}

// depth wants so many screens on the stack.
func depth(want int) step {
	return func(h *harness) {
		h.t.Helper()
		if len(h.root.stack) != want {
			h.t.Errorf("%d screens lie on each other, want %d:\n%s", len(h.root.stack), want, h.screen())
		}
	}
}

// asking is an exchange under way for the first graph that can be asked for.
func asking(worlds ...world) scene {
	return in(worlds...).then(func(h *harness) {
		for _, r := range h.root.env.rows() {
			if !r.Connected {
				break
			}
			h.press("down")
		}
		h.press("enter", "enter")
		h.until("the exchange", func() bool { return h.running() != nil })
	})
}

// notSaved is a granted token that nothing keeps.
func notSaved() scene {
	return asking(configured).then(refuseSave(errDiskFull()), refuseRescue, granted(localapi.Full), see("Granted, but not saved"))
}

// rescued is a granted token that a file of its own keeps.
func rescued() scene {
	return asking(configured).then(refuseSave(errDiskFull()), granted(localapi.Full), see("kept in a file of its own"))
}

func refuseSave(err error) step { return func(h *harness) { h.store.saveErr = err } }

func refuseRescue(h *harness) { h.rescueErr = errDiskFull() }

func errDiskFull() error {
	return &problem.Error{Code: configstore.CodeConfigUnwritable, Message: "/home/ada/.roam-mcp.json can't be written: the disk is full.", Hint: problem.Say("Make some room and try again.")}
}

// waitingWithPanel is an exchange whose request the sandbox's panel shows.
func waitingWithPanel() scene {
	return asking(fresh).then(state(exchange.Waiting), func(h *harness) {
		h.desk.updates <- []AccessRequest{{ID: "1", Graph: hosted("demo"), Description: "roam-mcp on this computer", AccessLevel: localapi.Full}}
	}, see("asks for full"))
}

// grantedAtTheEnd has Roam grant the token in the moment in which its exchange is
// closed.
func grantedAtTheEnd(h *harness) { exchangeScenes()[exchange.Granted](&h.running().last) }

// hold runs steps while another program holds the file of the configuration.
func hold(steps ...step) step {
	return func(h *harness) {
		h.t.Helper()
		h.store.mu.Lock()
		defer h.store.mu.Unlock()
		for _, step := range steps {
			step(h)
		}
	}
}

// emptied is the configuration after another program has emptied it.
func emptied(h *harness) { h.store.config.Entries = nil }

// says wants a text among the sentences of the exchange, however they are wrapped.
func says(text string) step {
	return func(h *harness) {
		h.t.Helper()
		if said := strings.Join(h.asking().status().Text, "\n"); !strings.Contains(said, text) {
			h.t.Errorf("it says:\n%s", said)
		}
	}
}

// top wants a screen of that type on top.
func top[T screen](h *harness) {
	h.t.Helper()
	if _, ok := h.root.top().(T); !ok {
		h.t.Fatalf("on top is %T:\n%s", h.root.top(), h.screen())
	}
}

// wantError wants an error with a text, and without a token.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("the error is %v", err)
	}
}
