package tui

import (
	"flag"
	"hash/fnv"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"charm.land/bubbles/v2/key"

	"roam-mcp/internal/testutil/race"
	"roam-mcp/tui/kit"
)

// menuOf opens the menu, where the screen has one.
func (h *harness) menuOf() (*menu, bool) {
	h.press("?")
	m, ok := h.root.top().(*menu)
	return m, ok
}

var allRows = flag.Bool("all-rows", false, "run each row of each scene's menu, and not one of four")

// TestTheMenuDoesWhatItLists runs rows of each scene's menu, and compares the screen with that
// which its key gives.
func TestTheMenuDoesWhatItLists(t *testing.T) {
	if race.Enabled {
		t.Skip("TestNoKeyEndsTheProgram presses the keys")
	}
	var rows atomic.Int32
	t.Cleanup(func() {
		if n := rows.Load(); n < 60 || *allRows && n < 300 {
			t.Errorf("%d rows were run", rows.Load())
		}
	})
	for name, scene := range scenes() {
		if strings.HasPrefix(name, "menu") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := scene(t, 80, 24)
			own := enabled(h.root.top().keys())
			m, ok := h.menuOf()
			if !ok {
				return // text is typed, and the key line has all keys
			}
			items := m.list(m.below)
			does := func(i menuItem, b key.Binding) bool {
				shown := i.shown == b.Help().Key || slices.Contains(strings.Fields(i.shown), b.Help().Key)
				return shown && i.reason == "" && i.does == b.Help().Desc
			}
			for _, b := range own {
				if !slices.ContainsFunc(items, func(i menuItem) bool { return does(i, b) }) {
					t.Errorf("%s %s is not in the menu", b.Help().Key, b.Help().Desc)
				}
			}
			for _, item := range items {
				ofScene := slices.ContainsFunc(own, func(b key.Binding) bool { return does(item, b) })
				switch {
				case item.reason != "", item.leads != nil, key.Matches(item.press, h.root.env.keys.suspend):
					continue
				case !*allRows && hashOf(name+item.shown)%4 != 0:
					continue
				case !ofScene && name != "graphs" && name != "clients" && name != "call-edited":
					continue // the same in all scenes
				}
				rows.Add(1)
				byKey, byMenu := scene(t, 80, 24), scene(t, 80, 24)
				if before := byKey.screen(); before != byMenu.screen() {
					continue // time has passed in between
				}
				byKey.root.notice = notice{} // as the key of the menu takes it away
				byKey.handle(item.press)
				m, _ := byMenu.menuOf()
				m.rows.Select(slices.IndexFunc(m.fitting(), func(i menuItem) bool { return i.id() == item.id() }))
				byMenu.press("enter")
				if want, got := byKey.screen(), byMenu.screen(); want != got || byKey.quit != byMenu.quit {
					t.Errorf("%s %s by its key\n%s\nby the menu\n%s", item.shown, item.does, want, got)
				}
			}
		})
	}
}

func hashOf(text string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))
	return hash.Sum64()
}

// TestAnyActionIsThreeLettersAway looks for letters that choose each row that can be done.
func TestAnyActionIsThreeLettersAway(t *testing.T) {
	inEveryScene(t, 80, 24, func(t *testing.T, h *harness) {
		m, ok := h.root.top().(*menu)
		if !ok {
			if m, ok = h.menuOf(); !ok {
				return
			}
		}
		for _, item := range m.list(m.below) {
			if item.reason != "" || found(m, item) {
				continue
			}
			t.Errorf("nothing finds %s %s in three letters", item.shown, item.does)
		}
	})
}

// found reports whether at most three letters of what a row says, or of its key's name, choose it,
// or one that says the same.
func found(m *menu, item menuItem) bool {
	for _, said := range []string{item.does, item.shown} {
		letters := []rune(said)
		for from := range letters {
			m.rows.Filter.Text = string(letters[from:min(from+3, len(letters))])
			m.chooseBest()
			if items, at := m.items(); at >= 0 && items[at].does == item.does {
				return true
			}
		}
	}
	return false
}

func TestPress(t *testing.T) {
	for _, group := range keyTable(newKeys(kit.UnicodeGlyphs())) {
		for _, b := range group.bindings {
			for _, name := range b.Keys() {
				if got := kit.Press(name); got.String() != name || !key.Matches(got, b) {
					t.Errorf("%q is pressed as %q", name, got.String())
				}
			}
		}
	}
}

func TestMenu(t *testing.T) {
	play(t, map[string]scene{
		"is left by its key too":           in(configured).then(press("?", "?"), shown("Your graphs"), depth(1)),
		"is left by esc":                   in(configured).then(press("?", "r", "esc"), depth(1), unseen("What can be done")),
		"lists the row, the rest after":    in(configured).then(press("?"), shown("│ Work", "▌ enter details")),
		"does what is found":               in(configured).then(press("?"), typed("ren"), press("enter"), shown("Rename Work"), depth(2)),
		"chooses what can be done now":     in(fresh).then(press("?"), typed("re"), func(h *harness) { h.press("enter") }, depth(1)),
		"says why something can't be":      in(fresh).then(press("?"), typed("remo"), shown("remove: not connected yet"), press("enter"), shown("remove: not connected yet."), depth(2)),
		"says that nothing is called so":   in(configured).then(press("?"), typed("zzz"), shown("Nothing here is called that."), press("enter"), depth(2)),
		"finds a key by its letter":        in(configured).then(press("?", "x", "enter"), shown("Remove Work")),
		"forgets the letters one by one":   in(configured).then(press("?"), typed("rem"), press("backspace", "ctrl+u"), shown("type to find")),
		"takes pasted text":                in(configured).then(press("?"), pasted("signs"), press("enter"), shown("needs a look"), press("esc"), depth(1)),
		"leads to the files":               in(configured).then(press("?"), typed("fil"), press("down", "enter"), see("Configuration"), press("esc"), depth(1)),
		"is not there while text is typed": in(configured).then(press("/", "?"), depth(1), shown("/ ?")),
		"has a client's reasons":           clientsOf(configured).then(press("?"), typed("prove"), shown("prove: it has no roam-mcp yet")),
		"answers for Roam in the sandbox":  in(fresh).then(press("?"), typed("allow"), shown("allow: nobody asks for a graph now")),
	})
	t.Run("keeps the row that is chosen when others come", func(t *testing.T) {
		h := in(configured).then(press("?", "down", "down"))(t, 80, 24)
		m := h.root.top().(*menu)
		items, at := m.items()
		before := items[at].id()
		reconfigured(h.store.config.Entries[:1]...)(h)
		h.until("the configuration", func() bool { return len(h.root.env.roster.Config.Entries) == 1 })
		if items, at := m.items(); items[at].id() != before {
			t.Errorf("%q is chosen, want %q", items[at].id(), before)
		}
	})
}
