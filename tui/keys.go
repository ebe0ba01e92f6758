package tui

import "charm.land/bubbles/v2/key"

// keys are all key bindings. The key line and the help screen are made from
// them, so that what is shown is what works.
type keys struct {
	scrollKeys
	enter, esc, quit, help, stop, suspend key.Binding
	connect, rename, toggle, reauthorize  key.Binding
	remove, putBack, serve, test, take    key.Binding
	clients, pause                        key.Binding
	open, mend, filter, copy, next, prev  key.Binding
	sort, choices, clear, paths, mark     key.Binding
	again, less, byHand, retry, elsewhere key.Binding
	another, choose, yes, no, done        key.Binding
	allow, allowReadOnly, deny, never     key.Binding
}

func newKeys(g glyphs) keys {
	return keys{
		scrollKeys: scrollKeys{
			up: bind(g.up, "up", "up", "k"), down: bind(g.down, "down", "down", "j"),
			pageUp: bind("pgup", "page up", "pgup", "ctrl+b"), pageDown: bind("pgdn", "page down", "pgdown", "ctrl+f"),
			first: bind("home", "first", "home", "g"), last: bind("end", "last", "end", "G"),
		},
		enter: bind("enter", "choose", "enter"), esc: bind("esc", "back", "esc"),
		quit: bind("q", "quit", "q"), help: bind("?", "help", "?"),
		stop: bind("ctrl+c", "quit", "ctrl+c"), suspend: bind("ctrl+z", "suspend", "ctrl+z"),

		connect: bind("c", "connect by name", "c"), rename: bind("e", "rename", "e"), toggle: bind("space", "disable", "space"),
		reauthorize: bind("r", "re-authorize", "r"), remove: bind("x", "remove", "x", "delete"), putBack: bind("u", "put back", "u"),
		serve: bind("s", "serve", "s"), clients: bind("m", "clients", "m"), pause: bind("p", "pause writes", "p"), test: bind("t", "test", "t"), take: bind("i", "import", "i"),
		sort: bind("S", "sort", "S"), choices: bind(g.upDown, "choose", "up", "down", "pgup", "pgdown"), clear: bind("ctrl+u", "clear", "ctrl+u"),
		mark: bind("space", "mark", "space"), paths: bind("p", "files and version", "p"),
		open: bind("o", "open Roam", "o"), mend: bind("f", "fix", "f"), filter: bind("/", "filter", "/"),
		copy: bind("y", "copy", "y"), next: bind("tab", "next", "tab"), prev: bind("shift+tab", "previous", "shift+tab"),

		again: bind("a", "ask again", "a"), less: bind("l", "ask for less", "l"), byHand: bind("v", "enter a token by hand", "v"),
		retry: bind("r", "try now", "r", "enter"), elsewhere: bind("e", "save elsewhere", "e"), another: bind("n", "another nickname", "n"),
		choose: bind(g.leftRight, "choose", "left", "right", "tab", "shift+tab", "h", "l"), yes: bind("y", "yes", "y"), no: bind("n/esc", "no", "n", "esc"), done: bind("enter", "your graphs", "enter", "esc"),

		allow: bind("a", "allow", "a"), allowReadOnly: bind("l", "allow read only", "l"),
		deny: bind("n", "deny", "n"), never: bind("!", "never", "!"),
	}
}

// lists are the keys that move in a list, two to a line, and the mouse.
func (k keys) lists() []key.Binding {
	return []key.Binding{
		pair(k.up, k.down, "move"), pair(k.pageUp, k.pageDown, "a page up or down"), pair(k.first, k.last, "the first, the last"),
		bind("wheel", "scroll the graphs"), bind("click", "choose a graph"), bind("shift", "held, selects text"),
	}
}
