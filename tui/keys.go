package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"
)

// keys are all key bindings. The key line and the help screen are made from
// them, so that what is shown is what works.
type keys struct {
	up, down, pageUp, pageDown, first, last key.Binding
	enter, esc, quit, help, stop, suspend   key.Binding
	connect, rename, toggle, reauthorize    key.Binding
	remove, putBack, serve, test, take      key.Binding
	clients, pause                          key.Binding
	open, mend, filter, copy, next, prev    key.Binding
	sort, choices, clear, paths, mark       key.Binding
	again, less, byHand, retry, elsewhere   key.Binding
	another, choose, yes, no, done          key.Binding
	allow, allowReadOnly, deny, never       key.Binding
}

func newKeys(g glyphs) keys {
	bind := func(shown, what string, pressed ...string) key.Binding {
		return key.NewBinding(key.WithKeys(pressed...), key.WithHelp(shown, what))
	}
	return keys{
		up: bind(g.up, "up", "up", "k"), down: bind(g.down, "down", "down", "j"),
		pageUp: bind("pgup", "page up", "pgup", "ctrl+b"), pageDown: bind("pgdn", "page down", "pgdown", "ctrl+f"),
		first: bind("home", "first", "home", "g"), last: bind("end", "last", "end", "G"),
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
	pair := func(a, b key.Binding, what string) key.Binding {
		return key.NewBinding(key.WithKeys(append(a.Keys(), b.Keys()...)...), key.WithHelp(a.Help().Key+" "+b.Help().Key, what))
	}
	mouse := func(part, what string) key.Binding { return key.NewBinding(key.WithHelp(part, what)) }
	return []key.Binding{
		pair(k.up, k.down, "move"), pair(k.pageUp, k.pageDown, "a page up or down"), pair(k.first, k.last, "the first, the last"),
		mouse("wheel", "scroll the graphs"), mouse("click", "choose a graph"), mouse("shift", "held, selects text"),
	}
}

// named is a binding with other words for what it does here.
func named(b key.Binding, what string) key.Binding {
	b.SetHelp(b.Help().Key, what)
	return b
}

// keyLine draws the bindings in at most two lines. The last two, which are the
// ways to the help and out, are always among them; what finds no room is on the
// help screen.
func (e *env) keyLine(bindings []key.Binding, width int) []string {
	const gap = 3
	items := make([]string, len(bindings))
	for i, b := range bindings {
		help := b.Help()
		items[i] = e.theme.accent.Render(help.Key) + " " + e.theme.muted.Render(help.Desc)
	}
	lines := flow(items, width-2, gap)
	for len(lines) > 2 && len(items) > 2 {
		items = append(items[:len(items)-3], items[len(items)-2:]...)
		lines = flow(items, width-2, gap)
	}
	if n := len(items); len(lines) == 2 && n > 2 && ansi.StringWidth(lines[1]) == ansi.StringWidth(items[n-1]) {
		// A key alone on a line looks lost.
		lines = append(flow(items[:n-2], width-2, gap), flow(items[n-2:], width-2, gap)...)
	}
	return indent(lines, 1)
}

// flow sets items side by side and breaks the line where they don't fit.
func flow(items []string, width, gap int) []string {
	var lines []string
	line, used := "", 0
	for _, item := range items {
		w := ansi.StringWidth(item)
		if used > 0 && used+gap+w > width {
			lines, line, used = append(lines, line), "", 0
		}
		if used > 0 {
			line += strings.Repeat(" ", gap)
			used += gap
		}
		line += item
		used += w
	}
	return append(lines, line)
}
