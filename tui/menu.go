package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/tui/kit"
)

// menu lists what can be done on the screen below it, filtered as one types, and does it:
// the chosen row is given to that screen as the key that it stands for.
type menu struct {
	env   *env
	below screen
	list  func(screen) []menuItem // what can be done, as it is now
	rows  kit.List[string]        // of what fits, by its identity
}

var _ screen = (*menu)(nil)

func newMenu(e *env, below screen, list func(screen) []menuItem) *menu {
	m := &menu{env: e, below: below, list: list}
	m.rows = kit.NewList(configstore.MaxNicknameLength, func() (int, func(int) string) {
		items := m.fitting()
		return len(items), func(i int) string { return items[i].id() }
	})
	m.rows.Filter.Typing = true
	m.chooseBest()
	return m
}

func (m *menu) title() string { return "Menu" }

// mode has Roam polled where the screen below has.
func (m *menu) mode() mode { return mode{typing: true, dialog: true, polls: m.below.mode().polls} }

// fitting returns the rows that the filter leaves.
func (m *menu) fitting() (items []menuItem) {
	query := configstore.FoldNickname(m.rows.Filter.Text)
	for _, item := range m.list(m.below) {
		if _, fits := item.rank(m.rows.Filter.Text, query); fits {
			items = append(items, item)
		}
	}
	return items
}

// items returns the rows that the filter leaves, and the index of the chosen one.
func (m *menu) items() (items []menuItem, at int) { return m.fitting(), m.rows.Selected() }

// chooseBest chooses the row that fits the filter best, and can be done.
func (m *menu) chooseBest() {
	query := configstore.FoldNickname(m.rows.Filter.Text)
	at, best := 0, 0
	for i, item := range m.fitting() {
		if rank, _ := item.rank(m.rows.Filter.Text, query); i == 0 || rank < best {
			at, best = i, rank
		}
	}
	m.rows.Select(at)
}

func (m *menu) update(msg tea.Msg) (action, tea.Cmd) {
	typed := m.rows.Filter.Text
	switch msg := msg.(type) {
	case tea.PasteMsg:
		m.rows.Paste(msg.Content)
	case tea.KeyPressMsg:
		k := m.env.keys
		switch {
		case key.Matches(msg, k.esc, k.help):
			return back{}, nil
		case key.Matches(msg, k.enter):
			return m.choose(), nil
		}
		m.rows.HandleKey(k.list(), msg)
	}
	if m.rows.Filter.Text != typed {
		m.chooseBest()
	}
	return nil, nil
}

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

func (m *menu) view(width, height int) []string {
	const most, around = 66, 3 // the two borders, and the filter
	e, boxWidth := m.env, min(width-4, most)
	inner := boxWidth - 4
	all, items := m.list(m.below), m.fitting()
	label := 0
	for _, item := range all {
		label = max(label, len([]rune(item.shown)))
	}
	room := 2*len(m.groups(all, inner)) - 1 // headings and gaps
	for _, item := range all {
		room += len(m.lines(item, label, inner, false))
	}
	room = max(min(room, height-around), 1)
	shown := m.rows.View(e.Look, kit.ListView{
		Sections: m.groups(items, inner),
		Height:   func(i int) int { return len(m.lines(items[i], label, inner, false)) },
		Row:      func(i int, selected bool) []string { return m.lines(items[i], label, inner, selected) },
	}, inner+1, room)
	if len(items) == 0 {
		shown = kit.WrapStyled(e.Theme.Muted, "Nothing here is called that.", inner)
	}
	for i, line := range shown { // a Row has its margin in the box's
		shown[i] = strings.TrimPrefix(line, " ")
	}
	typed := strings.TrimPrefix(e.FilterLine(m.rows.Filter, inner), " ")
	if m.rows.Filter.Text == "" {
		typed += e.Theme.Faint.Render("  type to find")
	}
	return e.Box("What can be done", append([]string{typed}, e.Glyphs.Fill(shown, inner+1, room)...), boxWidth)
}

// groups returns the headings of the rows.
func (m *menu) groups(items []menuItem, inner int) []kit.Section {
	groups := []kit.Section{}
	for i, item := range items {
		if i == 0 || item.group != items[i-1].group {
			groups = append(groups, kit.Section{Title: " " + m.env.Theme.Strong.Render(m.env.Glyphs.Cut(item.group, inner))})
		}
		groups[len(groups)-1].Rows++
	}
	return groups
}

// lines returns a row, with a column for the keys.
func (m *menu) lines(item menuItem, label, inner int, selected bool) []string {
	e, width := m.env, inner+1
	keyStyle, does := e.Theme.Accent, e.Theme.Text
	if item.reason != "" {
		keyStyle, does = e.Theme.Faint, e.Theme.Faint
	}
	lines := e.Labelled(keyStyle, item.shown, label+2, kit.WrapStyled(does, item.sentence(), kit.RowWidth(width)-label-2))
	for i, line := range lines {
		lines[i] = e.Row(line, width, selected)
	}
	return lines
}
