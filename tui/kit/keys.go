package kit

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"
)

// Bind returns a binding of the pressed keys, none for what is only shown, such as
// the wheel of the mouse. shown and what are its name and its meaning in the help.
func Bind(shown, what string, pressed ...string) key.Binding {
	return key.NewBinding(key.WithKeys(pressed...), key.WithHelp(shown, what))
}

// Pair returns one binding for two that belong together, such as up and down.
func Pair(a, b key.Binding, what string) key.Binding {
	return Bind(a.Help().Key+" "+b.Help().Key, what, append(a.Keys(), b.Keys()...)...)
}

// Relabel is a binding with other words for what it does here.
func Relabel(b key.Binding, what string) key.Binding {
	b.SetHelp(b.Help().Key, what)
	return b
}

// KeyLine draws the bindings in at most two lines. The last two, which are the
// ways to the help and out, are always among them; what finds no room is on the
// help screen.
func (l Look) KeyLine(bindings []key.Binding, width int) []string {
	const gap = 3
	items := make([]string, len(bindings))
	for i, b := range bindings {
		help := b.Help()
		items[i] = l.Theme.Accent.Render(help.Key) + " " + l.Theme.Muted.Render(help.Desc)
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
	return Indent(lines, 1)
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
