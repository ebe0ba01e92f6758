package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/tui/kit"
)

// Groups of the menu. That of the selected row is called as the row is.
const (
	groupScreen     = "This screen"
	groupSandbox    = "Roam (sandbox)"
	groupGoTo       = "Go to"
	groupEverywhere = "Everywhere"
)

// menuItem is a row of the menu.
type menuItem struct {
	group       string
	shown, does string // the key, and what it does
	press       tea.KeyPressMsg
	// leads makes the screen that the row leads to where no key does.
	leads func() screen
	// reason says why it can't be done now; "" where it can.
	reason string
}

// menuParts is what a screen tells the menu besides its keys.
type menuParts struct {
	row string // what the selected row is called; "" where none is selected
	// ofRow are the keys that act on the row, goTo those that lead to a view besides its digit.
	ofRow, goTo []key.Binding
	// later are the keys that do something here, with why each may not now. Those that do
	// are among the screen's keys as well.
	later []laterKey
	// moves is set where up and down choose rows.
	moves bool
}

// laterKey is a key that does nothing now, and why.
type laterKey struct {
	key.Binding
	reason string
}

// parted is a screen that tells its keys apart for the menu.
type parted interface{ parts() menuParts }

// because returns the keys with one reason for all.
func because(reason string, bindings ...key.Binding) []laterKey {
	var out []laterKey
	for _, b := range bindings {
		out = append(out, laterKey{b, reason})
	}
	return out
}

// itemOf returns the row of a binding.
func itemOf(group string, b key.Binding, reason string) menuItem {
	item := menuItem{group: group, shown: b.Help().Key, does: b.Help().Desc, reason: reason}
	if len(b.Keys()) > 0 {
		item.press = kit.Press(b.Keys()[0])
	}
	return item
}

func (i menuItem) id() string { return i.shown + " " + i.does }

// sentence returns what the row says beside its key: "prove: no client has roam-mcp yet".
func (i menuItem) sentence() string {
	if i.reason == "" {
		return i.does
	}
	return i.does + ": " + i.reason
}

// rank returns how well the row fits what was typed, the best first, and whether it does at
// all. query is typed, folded.
func (i menuItem) rank(typed, query string) (rank int, fits bool) {
	const notNow = 10
	does := configstore.FoldNickname(i.does)
	switch {
	case query == "":
	case typed == i.shown:
		rank = 1
	case strings.HasPrefix(does, query):
		rank = 2
	case strings.Contains(" "+does, " "+query):
		rank = 3
	case strings.Contains(does, query):
		rank = 4
	default:
		return 0, false
	}
	if i.reason != "" {
		rank += notNow
	}
	return rank, true
}

// sameKeys reports whether two bindings are of the same keys, whatever they are called.
func sameKeys(a key.Binding) func(key.Binding) bool {
	return func(b key.Binding) bool { return slices.Equal(a.Keys(), b.Keys()) }
}

// menuItems returns what can be done on a screen, in groups: the selected row, the screen,
// the sandbox's panel, other screens, and what can be done everywhere.
func (r *root) menuItems(s screen) []menuItem {
	k := r.env.keys
	var parts menuParts
	if p, ok := s.(parted); ok {
		parts = p.parts()
	}
	var ofRow, ofScreen, everywhere []menuItem
	var letters []key.Binding // of the views
	place := func(b key.Binding, reason string) {
		switch {
		case sameKeys(k.esc)(b):
			everywhere = append(everywhere, itemOf(groupEverywhere, b, reason))
		case slices.ContainsFunc(parts.goTo, sameKeys(b)):
			letters = append(letters, b)
		case parts.row != "" && slices.ContainsFunc(parts.ofRow, sameKeys(b)):
			ofRow = append(ofRow, itemOf(parts.row, b, reason))
		default:
			ofScreen = append(ofScreen, itemOf(groupScreen, b, reason))
		}
	}
	own := s.keys()
	for _, b := range own {
		place(b, "")
	}
	for _, later := range parts.later {
		if !slices.ContainsFunc(own, sameKeys(later.Binding)) {
			place(later.Binding, later.reason)
		}
	}
	goTo := append(r.viewItems(s, letters),
		menuItem{group: groupGoTo, does: "signs, and what they mean", leads: func() screen { return &signsScreen{r.env} }},
		menuItem{group: groupGoTo, does: "files and version", leads: func() screen { return newFilesScreen(r.env) }})
	return slices.Concat(ofRow, ofScreen, r.panelItems(s), goTo, everywhere, r.itemsEverywhere(s, own, parts.moves))
}

// panelItems returns the keys of the sandbox's panel.
func (r *root) panelItems(s screen) []menuItem {
	if r.env.ports.Desk == nil {
		return nil
	}
	reason := ""
	switch {
	case !r.panel.visible():
		reason = "nobody asks for a graph now"
	case !r.panelTakesKeysOver(s):
		reason = "leave this screen to answer"
	}
	var items []menuItem
	for _, b := range r.panel.keys() {
		items = append(items, itemOf(groupSandbox, b, reason))
	}
	return items
}

// itemsEverywhere returns what can be done whatever the screen, besides its own keys.
func (r *root) itemsEverywhere(s screen, own []key.Binding, moves bool) []menuItem {
	k := r.env.keys
	var items []menuItem
	add := func(b key.Binding, reason string) {
		if !slices.ContainsFunc(own, sameKeys(b)) {
			items = append(items, itemOf(groupEverywhere, b, reason))
		}
	}
	if s.mode().polls {
		add(k.refresh, "")
	}
	if s == r.stack[0] {
		add(k.quit, "")
	} else {
		add(k.quit, "from your graphs")
	}
	add(kit.Relabel(k.interrupt, "quit from anywhere"), "")
	add(k.suspend, "")
	if !moves {
		return items
	}
	for _, b := range []key.Binding{k.Up, k.Down, k.PageUp, k.PageDown, k.First, k.Last} {
		add(b, "")
	}
	if s.mode().mouse {
		const mouse = "with the mouse"
		add(kit.Bind("wheel", "scroll"), mouse)
		add(kit.Bind("click", "choose a row"), mouse)
		add(kit.Bind("shift", "select text"), "held, with the mouse")
	}
	return items
}

// viewItems returns the rows of the menu that lead to the views.
func (r *root) viewItems(s screen, letters []key.Binding) []menuItem {
	reason := ""
	if !r.leadsAway(s) {
		reason = "leave this screen first"
	}
	own := [views]key.Binding{viewClients: r.env.keys.clients, viewActivity: r.env.keys.activity, viewHistory: r.env.keys.history, viewDoctor: r.env.keys.doctor}
	var items []menuItem
	for v, b := range r.env.keys.views {
		item := itemOf(groupGoTo, b, reason)
		for _, letter := range letters {
			if sameKeys(letter)(own[v]) {
				item.shown, item.does = item.shown+" "+letter.Help().Key, letter.Help().Desc
			}
		}
		items = append(items, item)
	}
	return items
}
