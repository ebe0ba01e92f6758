package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// menu lists what can be done on the screen below it, filtered as one types, and does it:
// the chosen row is given to that screen as the key that it stands for.
type menu struct {
	env    *env
	below  screen
	list   func(screen) []menuItem // what can be done, as it is now
	filter lineFilter
	chosen string // the identity of the chosen row
	at     int    // its index when it was chosen, for where it is gone
	offset int    // of the first line in sight
}

var (
	_ screen = (*menu)(nil)
	_ dialog = (*menu)(nil)
)

func newMenu(e *env, below screen, list func(screen) []menuItem) *menu {
	m := &menu{env: e, below: below, list: list, filter: newLineFilter()}
	m.filter.typing = true
	m.chooseBest()
	return m
}

func (m *menu) title() string { return "Menu" }

// mode has Roam polled where the screen below has.
func (m *menu) mode() mode { return mode{typing: true, polls: m.below.mode().polls} }

// items returns the rows that the filter leaves, and the index of the chosen one.
func (m *menu) items() (items []menuItem, at int) {
	query := m.filter.folded()
	at = -1
	for _, item := range m.list(m.below) {
		if _, fits := item.rank(m.filter.text, query); !fits {
			continue
		}
		if item.id() == m.chosen {
			at = len(items)
		}
		items = append(items, item)
	}
	if at < 0 {
		at = min(m.at, len(items)-1)
	}
	return items, at
}

// chooseBest chooses the row that fits the filter best, and can be done.
func (m *menu) chooseBest() {
	m.chosen, m.at = "", 0
	items, _ := m.items()
	query := m.filter.folded()
	best := 0
	for i, item := range items {
		if rank, _ := item.rank(m.filter.text, query); m.chosen == "" || rank < best {
			m.chosen, m.at, best = item.id(), i, rank
		}
	}
}

func (m *menu) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if m.filter.extend(msg.Content) {
			m.chooseBest()
		}
	case tea.KeyPressMsg:
		return m.handleKey(msg)
	}
	return nil, nil
}

func (m *menu) handleKey(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := m.env.keys
	switch {
	case key.Matches(press, k.esc, k.help):
		return back{}, nil
	case key.Matches(press, k.enter):
		return m.choose(), nil
	case key.Matches(press, k.chooseRow):
		items, at := m.items()
		if to, ok := k.Move(press, at, menuPage, len(items)-1); ok && len(items) > 0 {
			m.at = min(max(to, 0), len(items)-1)
			m.chosen = items[m.at].id()
		}
	case m.filter.key(k, press):
		m.chooseBest()
	}
	return nil, nil
}

// menuPage is how many rows a page is.
const menuPage = 8

// choose does what the chosen row says.
func (m *menu) choose() action {
	items, at := m.items()
	switch {
	case at < 0:
		return inform("Nothing here is called that. esc leaves the menu.")
	case items[at].reason != "":
		return inform(items[at].sentence() + ".")
	case items[at].leads != nil:
		return replace{items[at].leads()}
	}
	return pressKey{items[at].press}
}

func (m *menu) keys() []key.Binding {
	k := m.env.keys
	return []key.Binding{kit.Relabel(k.enter, "do it"), k.chooseRow, kit.Relabel(k.esc, "close")}
}

// view is not drawn: the root draws the box.
func (m *menu) view(width, height int) []string { return m.box(width, height) }

func (m *menu) box(width, height int) []string {
	const most, around = 66, 3 // the two borders, and the filter
	e, boxWidth := m.env, min(width-4, most)
	inner := boxWidth - 4
	all := 0
	for _, block := range m.blocks(m.list(m.below), -1, inner) {
		all += len(block)
	}
	room := max(min(all, height-around), 1)
	items, at := m.items()
	if len(items) == 0 {
		return e.Box("What can be done", append([]string{m.typed()}, e.Glyphs.Fill(
			kit.WrapStyled(e.Theme.Muted, "Nothing here is called that.", inner), inner, room)...), boxWidth)
	}
	var lines []string
	from, to := 0, 0
	for i, block := range m.blocks(items, at, inner) {
		if i == at {
			from, to = len(lines), len(lines)+len(block)
		}
		lines = append(lines, block...)
	}
	m.offset = kit.Window(m.offset, from, to, len(lines), room)
	shown := e.Glyphs.Fill(lines[m.offset:], inner+1, room)
	if more := len(lines) - m.offset - room; more > 0 && to-m.offset < room {
		shown[room-1] = "  " + e.Theme.Faint.Render(e.Glyphs.Down+" "+kit.Plural(more+1, "more line"))
	}
	return e.Box("What can be done", append([]string{m.typed()}, shown...), boxWidth)
}

// typed returns what is typed.
func (m *menu) typed() string {
	e := m.env
	line := strings.TrimPrefix(e.filterLine(m.filter), " ")
	if m.filter.text == "" {
		line += e.Theme.Faint.Render("  type to find")
	}
	return line
}

// blocks returns the lines of each row. The first row of a group has its heading above it,
// and a gap where another group is above.
func (m *menu) blocks(items []menuItem, at, inner int) [][]string {
	e := m.env
	label := 0
	for _, item := range items {
		label = max(label, len([]rune(item.shown)))
	}
	group, width := "", inner+1 // a Row has its margin in the box's
	var blocks [][]string
	for i, item := range items {
		var block []string
		if item.group != group {
			if group != "" {
				block = append(block, "")
			}
			group = item.group
			block = append(block, e.Theme.Strong.Render(e.Glyphs.Cut(group, inner)))
		}
		keyStyle, does := e.Theme.Accent, e.Theme.Text
		if item.reason != "" {
			keyStyle, does = e.Theme.Faint, e.Theme.Faint
		}
		text := kit.Wrap(item.sentence(), kit.RowWidth(width)-label-2)
		for _, line := range e.Labelled(keyStyle, item.shown, label+2, kit.Styled(does, text)) {
			block = append(block, strings.TrimPrefix(e.Row(line, width, i == at), " "))
		}
		blocks = append(blocks, block)
	}
	return blocks
}
