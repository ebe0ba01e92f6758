package kit

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Bind returns a binding of the pressed keys, which the menu shows as shown and
// explains as what. Without keys the binding is only shown, such as the wheel of the
// mouse.
func Bind(shown, what string, pressed ...string) key.Binding {
	return key.NewBinding(key.WithKeys(pressed...), key.WithHelp(shown, what))
}

// Press returns the key press of a key that bindings name: "enter", "shift+tab", "x".
func Press(name string) tea.KeyPressMsg {
	var mod tea.KeyMod
	for {
		if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
			name, mod = rest, mod|tea.ModCtrl
		} else if rest, ok := strings.CutPrefix(name, "shift+"); ok {
			name, mod = rest, mod|tea.ModShift
		} else {
			break
		}
	}
	named := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
	}
	if code, ok := named[name]; ok {
		return tea.KeyPressMsg{Code: code, Mod: mod}
	}
	if name == "space" {
		name = " "
	}
	code, _ := utf8.DecodeRuneInString(name)
	if mod != 0 {
		return tea.KeyPressMsg{Code: code, Mod: mod}
	}
	return tea.KeyPressMsg{Code: code, Text: name}
}

// Relabel returns the binding with another explanation in the menu.
func Relabel(b key.Binding, what string) key.Binding {
	b.SetHelp(b.Help().Key, what)
	return b
}

// keyGap is the space between two keys of a key line, in cells.
const keyGap = 3

// KeyLine returns the bindings in one line. Where not all fit, those before the last two
// are left out: the last two lead out and to the menu, which lists all.
func (l Look) KeyLine(bindings []key.Binding, width int) string {
	_, lines := flowKeys(l.keyItems(bindings), width-2, 1)
	return " " + lines[0]
}

// keyItems returns each binding as it is drawn. The first is the primary one.
func (l Look) keyItems(bindings []key.Binding) []string {
	items := make([]string, len(bindings))
	for i, b := range bindings {
		help := b.Help()
		shown, does := l.Theme.Accent, l.Theme.Muted
		if i == 0 { // the primary key
			does = l.Theme.Text
		}
		items[i] = shown.Render(help.Key) + " " + does.Render(help.Desc)
	}
	return items
}

// KeyLines returns the bindings in at most two lines. Where not all fit, those before the
// last two are left out.
func (l Look) KeyLines(bindings []key.Binding, width int) []string {
	items, lines := flowKeys(l.keyItems(bindings), width-2, 2)
	if n := len(items); len(lines) == 2 && n > 2 && ansi.StringWidth(lines[1]) == ansi.StringWidth(items[n-1]) {
		// A key alone on a line looks lost.
		lines = append(flow(items[:n-2], width-2), flow(items[n-2:], width-2)...)
	}
	return Indent(lines, 1)
}

// flowKeys joins keys into lines, and leaves out those before the last two, from the end
// on, until the lines are at most most. It returns the keys that are left, and their lines.
func flowKeys(items []string, width, most int) (shown, lines []string) {
	lines = flow(items, width)
	for len(lines) > most && len(items) > 2 {
		items = append(items[:len(items)-3], items[len(items)-2:]...)
		lines = flow(items, width)
	}
	return items, lines
}

// flow joins items into lines, keyGap cells apart.
func flow(items []string, width int) []string {
	var lines []string
	line, used := "", 0
	for _, item := range items {
		w := ansi.StringWidth(item)
		if used > 0 && used+keyGap+w > width {
			lines, line, used = append(lines, line), "", 0
		}
		if used > 0 {
			line += strings.Repeat(" ", keyGap)
			used += keyGap
		}
		line += item
		used += w
	}
	return append(lines, line)
}
