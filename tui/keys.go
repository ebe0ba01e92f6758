package tui

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"

	"roam-mcp/configstore"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// keys are all key bindings. The key line, the menu and docs/KEYS.md are
// made from them.
type keys struct {
	kit.ScrollKeys
	enter, esc, quit, help, interrupt, suspend key.Binding
	connect, rename, toggle, reauthorize       key.Binding
	remove, putBack, serve, test, importGraphs key.Binding
	clients, pause                             key.Binding
	options, takeOut, absent, turn, turnBack   key.Binding
	open, fix, filter, copy, next, previous    key.Binding
	doctor, mendAll, edit, about               key.Binding
	texts, activity, changes                   key.Binding
	nextCall, previousCall                     key.Binding
	sort, chooseRow, clearText, mark           key.Binding
	history, kept, refresh                     key.Binding
	undo, undoSession, redo                    key.Binding
	askAgain, askForLess, enterToken, retry    key.Binding
	unblock, sandbox                           key.Binding
	chooseAnswer, yes, no, done                key.Binding
	allow, allowReadOnly, deny, never          key.Binding
	views                                      [views]key.Binding // the digits
}

func newKeys(g kit.Glyphs) keys {
	return keys{
		ScrollKeys: kit.ScrollKeys{
			Up: kit.Bind(g.Up, "up", "up", "k"), Down: kit.Bind(g.Down, "down", "down", "j"),
			PageUp: kit.Bind("pgup", "page up", "pgup", "ctrl+b"), PageDown: kit.Bind("pgdn", "page down", "pgdown", "ctrl+f"),
			First: kit.Bind("home", "first", "home", "g"), Last: kit.Bind("end", "last", "end", "G"),
		},
		enter: kit.Bind("enter", "choose", "enter"), esc: kit.Bind("esc", "back", "esc"),
		quit: kit.Bind("q", "quit", "q"), help: kit.Bind("?", "menu", "?"),
		interrupt: kit.Bind("ctrl+c", "quit", "ctrl+c"), suspend: kit.Bind("ctrl+z", "suspend", "ctrl+z"),

		connect: kit.Bind("c", "connect by name", "c"), rename: kit.Bind("e", "rename", "e"), toggle: kit.Bind("D", "disable", "D"),
		reauthorize: kit.Bind("r", "re-authorize", "r"), remove: kit.Bind("x", "remove", "x", "delete"), putBack: kit.Bind("u", "put back", "u"),
		serve: kit.Bind("s", "serve", "s"), activity: kit.Bind("v", "activity", "v"), changes: kit.Bind("d", "what it changed", "d"),
		nextCall: kit.Bind("tab", "next", "tab", "n"), previousCall: kit.Bind("shift+tab", "previous", "shift+tab", "N"),
		clients: kit.Bind("m", "clients", "m"), pause: kit.Bind("p", "pause writes", "p"), test: kit.Bind("t", "test", "t"), importGraphs: kit.Bind("i", "import", "i"),
		sort: kit.Bind("S", "sort", "S"), chooseRow: kit.Bind(g.UpDown, "choose", "up", "down", "pgup", "pgdown"), clearText: kit.Bind("ctrl+u", "clear", "ctrl+u"),
		mark:    kit.Bind("space", "mark", "space"),
		options: kit.Bind("o", "what they are given", "o"), takeOut: kit.Bind("u", "take out", "u"), absent: kit.Bind("a", "all clients", "a"),
		turn: kit.Bind(g.LeftRight, "change", "right", "l"), turnBack: kit.Bind(g.LeftRight, "change", "left", "h"),
		texts:   kit.Bind("K", "keep no texts", "K"),
		history: kit.Bind("h", "history", "h"), kept: kit.Bind("w", "what is kept", "w"),
		undo: kit.Bind("u", "undo", "u"), undoSession: kit.Bind("U", "undo its session", "U"), redo: kit.Bind("r", "redo", "r"),
		refresh: kit.Bind("R", "look again", "R", "ctrl+r"),
		open:    kit.Bind("o", "open Roam", "o"), fix: kit.Bind("f", "mend", "f"), filter: kit.Bind("/", "filter", "/"),
		copy: kit.Bind("y", "copy", "y"), next: kit.Bind("tab", "next", "tab"), previous: kit.Bind("shift+tab", "previous", "shift+tab"),

		doctor: kit.Bind("d", "doctor", "d"), mendAll: kit.Bind("F", "mend all that is safe", "F"),
		edit: kit.Bind("E", "edit the configuration", "E"), about: kit.Bind("i", "details", "i"),

		askAgain: kit.Bind("a", "ask again", "a"), askForLess: kit.Bind("l", "ask for less", "l"), enterToken: kit.Bind("v", "enter a token by hand", "v"),
		unblock: kit.Bind("u", "unblock and ask again", "u"), sandbox: kit.Bind("b", "try the sandbox", "b"),
		retry:        kit.Bind("r", "try now", "r", "enter"),
		chooseAnswer: kit.Bind(g.LeftRight, "choose", "left", "right", "tab", "shift+tab", "h", "l"), yes: kit.Bind("y", "yes", "y"), no: kit.Bind("n/esc", "no", "n", "esc"), done: kit.Bind("enter", "your graphs", "enter", "esc"),

		allow: kit.Bind("a", "allow", "a"), allowReadOnly: kit.Bind("l", "allow read only", "l"),
		deny: kit.Bind("n", "deny", "n"), never: kit.Bind("!", "never", "!"),
		views: viewDigits(),
	}
}

// list returns the bindings of a list.
func (k keys) list() kit.ListKeys {
	return kit.ListKeys{ScrollKeys: k.ScrollKeys, Filter: k.filter, Keep: k.enter, Drop: k.esc, Clear: k.clearText, Choose: k.chooseRow}
}

// filtering are the bindings while the filter of a list of so many rows is typed.
func (k keys) filtering(rows int) []key.Binding {
	out := []key.Binding{kit.Relabel(k.enter, "keep the filter"), kit.Relabel(k.esc, "show all")}
	if rows > 1 {
		out = append(out, k.chooseRow)
	}
	return out
}

// scrolling returns the binding that scrolls, where there is more than is in sight.
func (k keys) scrolling(s *kit.Scroll) []key.Binding {
	if !s.Scrollable() {
		return nil
	}
	return []key.Binding{kit.Relabel(k.chooseRow, "scroll")}
}

// viewDigits returns the digits of the views.
func viewDigits() (digits [views]key.Binding) {
	for v, name := range viewNames() {
		digit := strconv.Itoa(v + 1)
		digits[v] = kit.Bind(digit, strings.ToLower(name), digit)
	}
	return digits
}

// KeyOf returns the key that does in the setup program what a command does, empty where
// there is none. It is for names that a shell has no way to write.
func KeyOf(c problem.Command) string {
	k := newKeys(kit.ASCIIGlyphs())
	does := map[string]key.Binding{
		"connect": k.connect, "rename": k.rename, "enable": k.toggle, "disable": k.toggle, "reauth": k.reauthorize, "remove": k.remove,
		"install": k.clients, "import": k.importGraphs, "history": k.history, "history on": k.texts, "history off": k.texts, "doctor": k.doctor,
	}
	return does[c.Name].Help().Key
}

// toggleOf returns the key that disables a graph, or enables it.
func (k keys) toggleOf(entry configstore.Entry) key.Binding {
	if entry.Disabled {
		return kit.Relabel(k.toggle, "enable")
	}
	return k.toggle
}
