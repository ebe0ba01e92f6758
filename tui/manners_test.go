package tui

import (
	"errors"
	"image/color"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

func TestNoFrameIsWiderThanTheTerminal(t *testing.T) {
	inEveryScene(t, 80, 24, func(_ *testing.T, h *harness) {
		for _, width := range []int{minWidth, minWidth + 1, 67, 75, 79, 80, wideWidth - 1, wideWidth, detailsWidth - 1, detailsWidth, 165, 300} {
			for _, height := range []int{minHeight, minHeight + 1, 19, 24, 50} {
				h.handle(tea.WindowSizeMsg{Width: width, Height: height}) // checkFrame looks at every frame
			}
		}
	})
}

// TestTheAnswersOfAQuestionAreAlwaysInSight: nobody should answer what can't be seen.
func TestTheAnswersOfAQuestionAreAlwaysInSight(t *testing.T) {
	var questions atomic.Int32
	t.Cleanup(func() {
		if questions.Load() < 2 {
			t.Errorf("%d questions were looked at", questions.Load())
		}
	})
	inEveryScene(t, minWidth, minHeight, func(t *testing.T, h *harness) {
		s, ok := h.root.top().(*questionScreen)
		if !ok {
			return
		}
		questions.Add(1)
		for _, height := range []int{minHeight, 18, 20, 24, 40} {
			h.handle(tea.WindowSizeMsg{Width: minWidth, Height: height})
			if !h.shows("› "+s.safe) || !h.shows(s.other+" │") {
				t.Errorf("at height %d:\n%s", height, h.screen())
			}
		}
	})
}

func TestResizingLosesNothing(t *testing.T) {
	inEveryScene(t, 80, 24, func(t *testing.T, h *harness) {
		before := h.screen()
		for _, size := range [][2]int{{300, 80}, {60, 16}, {59, 15}, {1, 1}, {0, 0}, {160, 50}, {80, 24}} {
			h.handle(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		}
		if after := h.screen(); after != before {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
	})
}

func TestLongNamesAndTextsFit(t *testing.T) {
	long := strings.Repeat("大きなノート", 20)
	for _, size := range [][2]int{{60, 16}, {80, 24}, {110, 30}, {160, 50}} {
		h := newHarness(t, size[0], size[1], fresh, func(h *harness) {
			g := hosted(strings.Repeat("long-name-", 12))
			h.store.config.Entries = []configstore.Entry{entry(long, g, localapi.Full, "long")}
		})
		h.desk.updates <- []AccessRequest{{ID: "1", Graph: hosted("demo"), Description: long + "\x1b[31m\u202e", AccessLevel: localapi.Full}}
		h.untilShown("sandbox) ─")
		for _, keys := range [][]string{{"enter", "?", "esc", "esc"}, {"e", "esc"}, {"x", "esc"}, {"r", "tab", "esc"}, {"r", "enter", "esc", "esc"}, {"m", "t", "esc"}} {
			h.press(keys...)
		}
	}
}

func TestATinyWindowAsksForRoomAndTakesNoKeys(t *testing.T) {
	h := newHarness(t, 59, 16, configured)
	h.untilShown("60x16 at least; this is 59x16.")
	h.press("x", "y")
	if len(h.root.stack) != 1 {
		t.Error("a key was taken")
	}
	h.press("ctrl+c")
	h.until("the end", func() bool { return h.quit })
}

func TestQuitting(t *testing.T) {
	t.Run("q quits from the top", func(t *testing.T) {
		h := newHarness(t, 80, 24, configured)
		h.press("q")
		h.until("the end", func() bool { return h.quit })
	})
	t.Run("q does not quit from below", func(t *testing.T) {
		h := newHarness(t, 80, 24, configured)
		h.press("m", "q")
		if h.root.quitting {
			t.Error("it quits")
		}
	})
	t.Run("ctrl+c quits at once where nothing is going on", func(t *testing.T) {
		h := newHarness(t, 80, 24, configured)
		h.press("e", "ctrl+c")
		h.until("the end", func() bool { return h.quit })
	})
	t.Run("ctrl+c twice while Roam is asked, and the request is dropped", func(t *testing.T) {
		h := asked1(t, 80, 24, configured)
		h.machine(waiting)
		h.press("ctrl+c")
		h.untilShown("Press ctrl+c again to quit.")
		h.press("ctrl+c")
		h.until("the end", func() bool { return h.quit })
		h.until("the end of the exchange", func() bool {
			select {
			case <-h.running().closed:
				return true
			default:
				return false
			}
		})
	})
}

func TestCtrlZSuspends(t *testing.T) {
	h := prepare(t, configured)
	h.boot(80, 24)
	_, cmd := h.root.Update(keyPress("ctrl+z"))
	if cmd == nil {
		t.Fatal("nothing happens")
	}
	if _, ok := cmd().(tea.SuspendMsg); !ok {
		t.Error("it does not suspend")
	}
}

func TestKeysTypedAheadWaitForTheFirstLook(t *testing.T) {
	h := prepare(t, fresh)
	h.handle(tea.WindowSizeMsg{Width: 80, Height: 24})
	h.press("enter", "ctrl+u")
	h.typeText("Ahead")
	h.press("enter", "enter", "enter")
	if len(h.root.stack) != 1 {
		t.Fatal("a key was used before there was a graph")
	}
	h.run(h.root.Init())
	h.until("the exchange", func() bool { return h.running() != nil })
	if got := h.asking().target.Nickname; got != "Ahead" {
		t.Errorf("the nickname is %q", got)
	}
}

func TestHeldKeysAreReleasedWhenTheFirstLookTakesLong(t *testing.T) {
	h := prepare(t, configured)
	h.handle(tea.WindowSizeMsg{Width: 80, Height: 24})
	h.press("?")
	h.handle(holdTimeoutMsg{})
	h.untilShown("Everywhere")
}

func TestTheListFollowsWithoutAKey(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("down")
	h.store.events <- configstore.Event{Config: configstore.Config{Version: 1, Entries: []configstore.Entry{
		entry("New", hosted("new-graph"), localapi.Full, "neww"), entry("Personal", offline("personal-zettelkasten"), localapi.ReadAppend, "q2w3"),
	}}}
	h.untilShown("New new-graph")
	if !h.shows("▌ Personal") {
		t.Errorf("the selection has moved:\n%s", h.screen())
	}
	h.roam.mu.Lock()
	h.roam.err = errors.New("gone")
	h.roam.mu.Unlock()
	h.mu.Lock()
	h.now = h.now.Add(3 * time.Second)
	h.mu.Unlock()
	h.handle(tickMsg{})
	h.untilShown("Roam is away")
}

func TestLateAnswersAreDropped(t *testing.T) {
	h := asked1(t, 80, 24, configured)
	h.machine(waiting)
	old := h.asking().id
	h.press("esc")
	h.machine(exchangeScenes()[exchange.Cancelled])
	h.press("esc", "enter", "enter", "enter", "enter")
	h.until("another exchange", func() bool { return h.asking() != nil && h.asking().session != nil })
	h.handle(exchangeUpdateMsg{old, exchange.Machine{State: exchange.Failed}, true})
	h.handle(exchangeStartedMsg{id: old, err: errors.New("late")})
	h.handle(proofMsg{id: old})
	if h.asking().machine.State == exchange.Failed || h.asking().storeErr != nil {
		t.Error("an answer to another exchange was taken")
	}
}

func TestPlainTerminalsGetPlainSigns(t *testing.T) {
	ascii := func(h *harness) {
		h.root.env.Glyphs = kit.ASCIIGlyphs()
		h.root.env.keys = newKeys(kit.ASCIIGlyphs())
	}
	check := func(t *testing.T, h *harness) {
		for _, r := range h.screen() {
			if r > '~' {
				t.Errorf("%q is on the screen:\n%s", r, h.screen())
				return
			}
		}
	}
	for _, keys := range [][]string{nil, {"enter"}, {"?"}, {"m"}, {"x"}, {"e"}, {"c"}, {"/", "z"}} {
		h := newHarness(t, 80, 24, configured, ascii)
		h.press(keys...)
		check(t, h)
	}
	for _, scene := range exchangeScenes() {
		h := asked1(t, 80, 24, configured, ascii)
		h.machine(scene)
		check(t, h)
	}
}

func TestBothBackgroundsHaveAllStyles(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	dark := h.root.View().Content
	h.handle(tea.BackgroundColorMsg{Color: color.White})
	if light := h.root.View().Content; light == dark {
		t.Error("a light background changes nothing")
	}
}

// TestOnlyThePaletteNamesColours: the components' own white and black can't be
// read on every background.
func TestOnlyThePaletteNamesColours(t *testing.T) {
	inEveryScene(t, 80, 24, func(t *testing.T, h *harness) {
		h.handle(tea.BackgroundColorMsg{Color: color.White})
		for _, own := range []string{"\x1b[37m", "\x1b[97m", "\x1b[30m", "\x1b[90m", "\x1b[38;5;"} {
			if strings.Contains(h.root.View().Content, own) {
				t.Errorf("a colour of its own is used, %q", own)
			}
		}
	})
}

func TestTheWarningOfControlCEndsWithWhatItIsAbout(t *testing.T) {
	h := asked1(t, 80, 24, configured)
	h.machine(exchangeScenes()[exchange.Waiting])
	h.press("ctrl+c")
	h.untilShown("Press ctrl+c again to quit.")
	h.machine(exchangeScenes()[exchange.Rejected])
	if h.shows("Press ctrl+c again") {
		t.Errorf("the warning stays:\n%s", h.screen())
	}
	h.press("ctrl+c")
	if !h.quit {
		h.until("the end", func() bool { return h.quit })
	}
}
