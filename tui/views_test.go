package tui

import (
	"strings"
	"testing"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/tui/kit"
)

// looksAt wants a view to be looked at.
func looksAt(v view) step {
	return func(h *harness) {
		h.t.Helper()
		if got := h.root.views.of(h.root.stack); got != v {
			h.t.Errorf("the view is %s, want %s:\n%s", viewNames()[got], viewNames()[v], h.screen())
		}
	}
}

// marks wants marks in the header at the views of these digits alone.
func viewMarks(digits string) step {
	return func(h *harness) {
		h.t.Helper()
		got := ""
		for v, name := range viewNames() {
			if strings.Contains(strings.Split(h.screen(), "\n")[0], name+" ▲") {
				got += h.root.env.keys.views[v].Help().Key
			}
		}
		if got != digits {
			h.t.Errorf("marks stand at %q, want %q:\n%s", got, digits, h.screen())
		}
	}
}

func TestViews(t *testing.T) {
	all := clientsOf(configured, threeHere)
	undoing := recorded()
	undoing.stuck = true
	scenes := map[string]scene{
		"undo on while another is looked at, and ask before quitting": remembered(undoing).then(press("down", "u"), rests, press("y"), see("2 of 12 changes"), press("1"), looksAt(viewGraphs),
			press("q"), shown("Quit?", "What is taken back is not done yet"), stays, press("enter", "4"), shown("2 of 12 changes"), press("esc"), see("Stopped.")),
		"keep what was selected": all.then(press("1", "down", "2", "down", "3", "1"), shown("▌ Personal"), press("2"), shown("▌ [ ] Claude Desktop"), func(h *harness) {
			if at := h.root.top().(*clientsScreen).list.Selected(); at != 1 {
				h.t.Errorf("row %d is selected", at)
			}
		}),
		"keep their filters": all.then(press("/"), typed("cur"), press("enter", "5"), see("1 thing failed"), press("/"), typed("token"), press("enter", "2"), shown("/ cur", "▌ [ ] Cursor"), unseen("Claude Code"),
			press("5"), shown("/ token", "▌ ✗ Token of Old"), unseen("Mode of the file"), press("esc"), shown("Call on Work", "▌ ✗ Token of Old"), press("esc"), looksAt(viewGraphs)),
		"have marks that a filter hides": all.then(press("space", "/"), typed("cur"), press("enter", "space", "enter"), see("What would change", "Cursor"), func(h *harness) {
			if s := h.root.top().(*changesScreen); len(s.changes) != 2 {
				h.t.Errorf("%d clients are changed, want 2", len(s.changes))
			}
		}),
		"find nothing, and say so":        all.then(press("/"), typed("zz"), shown("No client has “zz” in its name."), press("esc"), shown("Cursor"), press("5"), see("1 thing failed"), press("/"), pasted("zz"), shown("No finding has “zz” in it."), press("backspace", "ctrl+u", "esc"), shown("Token of Work")),
		"esc goes up, then to the graphs": all.then(press("o", "esc"), looksAt(viewClients), press("esc"), looksAt(viewGraphs), press("esc"), looksAt(viewGraphs), stays),
		"are the letters' too":            in(configured).then(press("m"), looksAt(viewClients), press("esc", "v"), looksAt(viewActivity), press("esc", "d"), looksAt(viewDoctor), press("esc", "h"), looksAt(viewHistory)),
		"close what is above":             in(configured).then(press("enter"), see("Guidelines"), press("5"), looksAt(viewDoctor), press("1"), depth(1), shown("Your graphs")),
		"a digit of the same one goes up": in(configured).then(press("enter", "1"), depth(1)),
		"are digits while text is typed":  in(configured).then(press("/", "2"), looksAt(viewGraphs), shown("/ 2")),
		"no digit answers a question":     in(configured).then(press("x", "2"), shown("Remove Work"), looksAt(viewGraphs)),
		"no digit drops a request":        asking(configured).then(state(exchange.Waiting), press("2"), looksAt(viewGraphs), shown("2 does nothing here.")),
		"no digit leads out of the files over a request": asking(configured).then(state(exchange.Waiting), press("?"), typed("files"), press("enter"), see("Configuration"), press("2"), looksAt(viewGraphs),
			press("?"), typed("clients"), shown("clients: leave this screen first")),
		"are named from 80 columns on":     in(configured).then(shown("▌1 Graphs ▲ 2 Clients"), resized(79, 24), unseen("2 Clients"), shown("roam-mcp")),
		"say what lies above":              in(configured).then(press("enter"), shown("▌1 Graphs ▲ › Work")),
		"have marks":                       in(configured).then(viewMarks("12")),
		"have none where all is well":      in(fresh, threeHere).then(viewMarks("")),
		"have one at a failed check":       in(configured).then(press("5"), see("1 thing failed"), press("1"), viewMarks("125")),
		"have one where writes are paused": served(newService()).then(press("p"), see("writes paused"), press("1"), viewMarks("123"), press("3", "p", "1"), viewMarks("12")),
		"prove on while another is looked at": clientsOf(configured).then(press("down", "t"), press("1"), func(h *harness) {
			h.until("a proof", func() bool {
				for _, job := range h.root.views.kept[viewClients].(*clientsScreen).jobs {
					if job.proving.stage == provingDone {
						return true
					}
				}
				return false
			})
		}),
	}
	play(t, scenes)
	t.Run("look at nothing while another is looked at", func(t *testing.T) {
		h := all.then(press("1"))(t, 80, 24)
		s := h.root.views.kept[viewClients].(*clientsScreen)
		for range 6 {
			h.advance(time.Second)
			h.handle(tickMsg{})
			h.settle()
		}
		if s.looking != 0 {
			t.Error("the clients are looked at")
		}
	})
	t.Run("have names that fit", func(t *testing.T) {
		for _, width := range []int{80, 92, 110, 140} {
			h := in(fresh, serves(newService())).then(press("s"), see("agents find nothing"))(t, width, 24)
			if line := strings.Split(h.screen(), "\n")[0]; !strings.Contains(line, "5 Doctor") || strings.Contains(line, kit.UnicodeGlyphs().CutMark) {
				t.Errorf("at %d columns: %q", width, line)
			}
		}
	})
}
