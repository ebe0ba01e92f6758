package tui

import (
	"image/color"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/tui/kit"
)

// TestEveryScreen relies on checkFrame, which looks at every frame.
func TestEveryScreen(t *testing.T) {
	t.Run("fits every size, loses nothing by it and has the palette's colours alone", func(t *testing.T) {
		inEveryScene(t, 80, 24, func(t *testing.T, h *harness) {
			before := h.screen()
			for _, size := range [][2]int{{300, 80}, {60, 16}, {59, 15}, {1, 1}, {0, 0}, {160, 50}} {
				resized(size[0], size[1])(h)
			}
			widths, heights := []int{minWidth, minWidth + 1, 67, 75, 79, 80, wideWidth - 1, wideWidth, 130, 165, 300}, []int{minHeight, minHeight + 1, 19, 24, 50}
			if race.Enabled {
				widths, heights = []int{minWidth, wideWidth, 300}, []int{minHeight, 50}
			}
			for _, width := range widths {
				for _, height := range heights {
					resized(width, height)(h)
				}
			}
			resized(80, 24)(h)
			if after := h.screen(); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			// The components' own white and black can't be read on every background.
			h.handle(tea.BackgroundColorMsg{Color: color.White})
			for _, own := range []string{"\x1b[37m", "\x1b[97m", "\x1b[30m", "\x1b[90m", "\x1b[38;5;"} {
				if strings.Contains(h.root.View().Content, own) {
					t.Errorf("a colour of its own is used, %q", own)
				}
			}
		})
	})
	t.Run("shows the answers of its question", func(t *testing.T) {
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
				resized(minWidth, height)(h)
				shown("› "+s.safe, s.other+" │")(h)
			}
		})
	})
}

// unusualNicknames are in scripts and signs that terminals measure differently.
func unusualNicknames() map[string]string {
	return map[string]string{
		"wide":      strings.Repeat("大きなノート", 8),
		"family":    "👩\u200d👩\u200d👧 " + strings.Repeat("👨\u200d💻", 20),
		"flags":     "🇩🇪🇯🇵 " + strings.Repeat("🇫🇷", 30),
		"heart":     strings.Repeat("❤\ufe0f", 40),
		"skin":      strings.Repeat("👍🏽", 30),
		"keycap":    strings.Repeat("1\ufe0f\u20e3", 30),
		"combining": strings.Repeat("e\u0301\u0323", 60),
		"zalgo":     "Z" + strings.Repeat("\u0300\u0316", 60),
		"hebrew":    strings.Repeat("פנקס ", 20),
		"arabic":    strings.Repeat("دفتر ", 20),
		"thai":      strings.Repeat("สมุดบันทึก", 10),
		"korean":    strings.Repeat("노트", 30),
		"half":      strings.Repeat("ﾉｰﾄ", 30),
		"England":   "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f flag",
	}
}

func TestUnusualTexts(t *testing.T) {
	for name, nickname := range unusualNicknames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := kit.StableWidth(kit.ASCIIGlyphs().Fit(nickname, 40) + "|")
			if w, wc := ansi.StringWidth(line), ansi.StringWidthWc(line); w != 41 || wc != 41 {
				t.Errorf("%q is %d wide, or %d, want 41", line, w, wc)
			}
			h := newHarness(t, 80, 24, configured, func(h *harness) {
				for i := range h.store.config.Entries {
					h.store.config.Entries[i].Nickname = nickname + strings.Repeat("!", i)
				}
			})
			for _, keys := range [][]string{nil, {"/", "e", "enter"}, {"esc", "S"}, {"enter"}, {"esc", "e"}, {"esc", "x"}, {"esc", "m"}, {"esc", "?"}, {"f", "i", "l", "enter"}} {
				h.press(keys...)
				for _, size := range [][2]int{{60, 16}, {61, 17}, {79, 24}, {80, 24}, {109, 30}, {110, 30}, {133, 40}, {140, 40}, {300, 80}} {
					resized(size[0], size[1])(h)
				}
			}
		})
	}
	t.Run("long ones fit", func(t *testing.T) {
		long := strings.Repeat("大きなノート", 20)
		for _, size := range [][2]int{{60, 16}, {80, 24}, {110, 30}, {160, 50}} {
			h := newHarness(t, size[0], size[1], fresh, func(h *harness) {
				g := hosted(strings.Repeat("long-name-", 12))
				h.store.config.Entries = []configstore.Entry{entry(long, g, localapi.Full, "long")}
			})
			h.desk.updates <- []AccessRequest{{ID: "1", Graph: hosted("demo"), Description: long + "\x1b[31m\u202e", AccessLevel: localapi.Full}}
			h.untilShown("sandbox) ─")
			h.press("enter", "?", "esc", "esc", "e", "esc", "x", "esc", "r", "tab", "esc", "r", "enter", "esc", "esc", "m", "t", "esc")
		}
	})
	t.Run("whole characters where the terminal knows them", func(t *testing.T) {
		family := "👩\u200d👩\u200d👧"
		h := newHarness(t, 80, 24, func(h *harness) {
			h.store.config.Entries = []configstore.Entry{entry(family, hosted("family"), localapi.Full, "fmly")}
		})
		if strings.Contains(h.root.View().Content, family) {
			t.Error("a terminal that may not know them gets characters of several code points")
		}
		h.handle(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
		if !strings.Contains(h.root.View().Content, family) {
			t.Error("the family has lost members")
		}
	})
}

func TestASCIITerminal(t *testing.T) {
	ascii := func(h *harness) { h.options.Environ = []string{"TERM=xterm-256color", "LANG=C", "HOME=/home/ada"} }
	check := func(h *harness) {
		if i := strings.IndexFunc(h.screen(), func(r rune) bool { return r > '~' }); i >= 0 {
			h.t.Errorf("%q is on the screen:\n%s", h.screen()[i:i+1], h.screen())
		}
	}
	for _, keys := range [][]string{nil, {"enter"}, {"?"}, {"m"}, {"x"}, {"e"}, {"c"}, {"/", "z"}} {
		in(configured, ascii).then(press(keys...), check)(t, 80, 24)
	}
	for s := range exchangeScenes() {
		asking(configured, ascii).then(state(s), check)(t, 80, 24)
	}
}

func TestLightBackground(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	dark := h.root.View().Content
	h.handle(tea.BackgroundColorMsg{Color: color.White})
	if h.root.View().Content == dark {
		t.Error("it changes nothing")
	}
}

func TestSmallWindow(t *testing.T) {
	in(configured).then(see("60x16 at least; this is 59x16."), press("x", "y"), depth(1), press("ctrl+c"), quits)(t, 59, 16)
}

func TestSuspend(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	_, cmd := h.root.Update(keyPress("ctrl+z"))
	if cmd == nil {
		t.Fatal("ctrl+z does nothing")
	}
	if _, ok := cmd().(tea.SuspendMsg); !ok {
		t.Error("it does not suspend")
	}
}

func TestTypeAhead(t *testing.T) {
	unready := func(w world) scene {
		return func(t *testing.T, width, height int) *harness {
			h := prepare(t, w)
			resized(width, height)(h)
			return h
		}
	}
	play(t, map[string]scene{
		"waits until there is something to use it on": unready(fresh).then(
			press("enter", "tab", "ctrl+u"), typed("Ahead"), press("enter"), depth(1), func(h *harness) {
				h.run(h.root.Init())
				h.until("the exchange", func() bool { return h.running() != nil })
				if got := h.asking().authorization.Entry.Nickname; got != "Ahead" {
					h.t.Errorf("the nickname is %q", got)
				}
			}),
		"is used when that takes long": unready(configured).then(press("?"), func(h *harness) { h.handle(holdTimeoutMsg{}) }, see("type to find")),
	})
}
