package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

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

func TestUnusualNicknamesFitEveryScreenAtManySizes(t *testing.T) {
	for name, nickname := range unusualNicknames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, 80, 24, configured, func(h *harness) {
				for i := range h.store.config.Entries {
					h.store.config.Entries[i].Nickname = nickname + strings.Repeat("!", i)
				}
			})
			for _, keys := range [][]string{nil, {"/", "e", "enter"}, {"esc", "S"}, {"enter"}, {"esc", "e"}, {"esc", "x"}, {"esc", "m"}, {"esc", "?"}, {"p"}} {
				h.press(keys...)
				for _, size := range [][2]int{{60, 16}, {61, 17}, {79, 24}, {80, 24}, {109, 30}, {110, 30}, {133, 40}, {140, 40}, {300, 80}} {
					h.handle(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				}
			}
		})
	}
}

func TestATerminalThatKnowsThemGetsWholeCharacters(t *testing.T) {
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
}

func TestALineIsAsWideAsItWasLaidOutOnEveryTerminal(t *testing.T) {
	for name, nickname := range unusualNicknames() {
		line := kit.ASCIIGlyphs().Fit(nickname, 40) + "|"
		got := kit.StableWidth(line)
		if w, wc := ansi.StringWidth(got), ansi.StringWidthWc(got); w != 41 || wc != 41 {
			t.Errorf("%s: %q is %d wide, or %d, want 41", name, got, w, wc)
		}
	}
}
