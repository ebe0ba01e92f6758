package tui

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/testutil/race"
)

var anyKeys = flag.Int("any-keys", 40, "number of random keys that are pressed on each screen")

// anyKey returns a random key: of those that do something, a character that is typed, or one with
// a modifier.
func anyKey(random *rand.Rand) tea.KeyPressMsg {
	named := strings.Fields("enter esc tab shift+tab up down left right space backspace pgdown pgup end home ctrl+u ctrl+r ? 1 2 3 4 5")
	switch random.IntN(8) {
	case 0, 1, 2:
		return keyPress(named[random.IntN(len(named))])
	case 3:
		letters := []rune("abdefghknpuvw")
		return tea.KeyPressMsg{Code: letters[random.IntN(len(letters))], Mod: []tea.KeyMod{tea.ModAlt, tea.ModCtrl}[random.IntN(2)]}
	case 4:
		return tea.KeyPressMsg{Code: []rune{tea.KeyDelete, tea.KeyBackspace, tea.KeyLeft, tea.KeyRight, tea.KeyF1}[random.IntN(5)], Mod: []tea.KeyMod{0, tea.ModAlt}[random.IntN(2)]}
	case 5:
		wide := []rune("é日本👩")
		return keyPress(string(wide[random.IntN(len(wide))]))
	}
	return keyPress(string(rune('!' + random.IntN('~'-'!'+1))))
}

// TestNoKeyEndsTheProgram presses random keys on every screen, which is drawn after each. -any-keys
// 1900 are 250,000 of them.
func TestNoKeyEndsTheProgram(t *testing.T) {
	keys := *anyKeys
	if race.Enabled {
		keys /= 4
	}
	sizes := [][2]int{{minWidth, minHeight}, {80, 24}, {140, 40}, {200, 60}}
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(hashOf(name), 1))
			var h *harness
			var pressed []string
			defer func() {
				if fault := recover(); fault != nil {
					t.Fatalf("%v after %q", fault, pressed)
				}
			}()
			for range keys {
				if h == nil || h.quit {
					size := sizes[random.IntN(len(sizes))]
					h, pressed = scene(t, size[0], size[1]), nil
				}
				if random.IntN(40) == 0 {
					size := sizes[random.IntN(len(sizes))]
					h.handle(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				}
				press := anyKey(random)
				pressed = append(pressed, press.String())
				h.handle(press)
				h.settle()
			}
		})
	}
}

// settle handles the messages that have come.
func (h *harness) settle() {
	for {
		select {
		case msg := <-h.messages:
			h.handle(msg)
		default:
			return
		}
	}
}
