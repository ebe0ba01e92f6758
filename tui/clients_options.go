package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/clients"
	"roam-mcp/tui/kit"
)

// clientOptions is a dialog with what clients are given. Each change holds at once.
type clientOptions struct {
	env  *env
	from *clientsScreen
	list kit.List[int]
}

var _ screen = (*clientOptions)(nil)

func newClientOptions(from *clientsScreen) *clientOptions {
	return &clientOptions{env: from.env, from: from, list: kit.NewList(0, func() (int, func(int) int) {
		return len(from.optionRows()), func(i int) int { return i }
	})}
}

// clientOption is a row of the dialog.
type clientOption struct {
	label, value, about string
	// turn chooses the next value, or with -1 the one before.
	turn func(by int)
}

func (s *clientsScreen) profileName() string {
	if len(s.env.ports.Profiles) == 0 {
		return ""
	}
	return s.env.ports.Profiles[s.profile].Name
}

// optionRows returns the rows of the dialog.
func (s *clientsScreen) optionRows() []clientOption {
	var rows []clientOption
	profiles := s.env.ports.Profiles
	if len(profiles) > 1 {
		rows = append(rows, clientOption{"Profile", profiles[s.profile].Name, profiles[s.profile].About, func(by int) { s.chooseProfile(turned(s.profile, by, len(profiles))) }})
	}
	graphs := []string{""}
	for _, entry := range s.env.roster.Config.Enabled() {
		graphs = append(graphs, entry.Nickname)
	}
	if len(graphs) > 2 {
		now := 0
		if len(s.choice.Graphs) > 0 {
			now = max(slices.Index(graphs, s.choice.Graphs[0]), 0)
		}
		value := "all"
		if now > 0 {
			value = graphs[now]
		}
		about := "every graph that is enabled, also later ones"
		if now > 0 {
			about = "this graph alone"
		}
		rows = append(rows, clientOption{"Graphs", value, about, func(by int) {
			s.choice.Graphs = nil
			if next := turned(now, by, len(graphs)); next > 0 {
				s.choice.Graphs = []string{graphs[next]}
			}
		}})
	}
	access, about := "read and write", "as far as the token of each graph allows"
	if s.choice.ReadOnly {
		access, about = "read only", "no tool that changes anything is offered"
	}
	rows = append(rows, clientOption{"Access", access, about, func(int) { s.choice.ReadOnly = !s.choice.ReadOnly }})
	return append(rows, s.toolsetRows()...)
}

// toolsetRows returns a row for each toolset of the profile.
func (s *clientsScreen) toolsetRows() []clientOption {
	if len(s.env.ports.Profiles) == 0 {
		return nil
	}
	sets := s.env.ports.Profiles[s.profile].Toolsets
	if len(sets) < 2 {
		return nil
	}
	on := func(set Toolset) bool {
		if len(s.choice.Toolsets) == 0 {
			return set.On
		}
		return slices.Contains(s.choice.Toolsets, set.Name)
	}
	var rows []clientOption
	for i, set := range sets {
		label := ""
		if i == 0 {
			label = "Tools"
		}
		mark := "[ ] "
		if on(set) {
			mark = "[" + s.env.chosenMark() + "] "
		}
		rows = append(rows, clientOption{label, mark + set.Name, set.About, func(int) {
			var names []string
			usual := true
			for _, each := range sets {
				is := on(each) != (each.Name == set.Name)
				usual = usual && is == each.On
				if is {
					names = append(names, each.Name)
				}
			}
			if usual || len(names) == 0 {
				names = nil
			}
			s.choice.Toolsets = names
		}})
	}
	return rows
}

// chooseProfile has clients given a profile. One that is not the usual one is made for a
// single graph, which is suggested then.
func (s *clientsScreen) chooseProfile(i int) {
	s.profile = i
	s.choice = clients.Choice{ReadOnly: s.choice.ReadOnly, Graphs: s.choice.Graphs}
	if i == 0 {
		s.choice.Graphs = nil
		return
	}
	s.choice.Profile = s.env.ports.Profiles[i].Name
	if enabled := s.env.roster.Config.Enabled(); len(s.choice.Graphs) == 0 && len(enabled) > 1 {
		s.choice.Graphs = []string{enabled[0].Nickname}
	}
}

func turned(at, by, n int) int { return (at + by + n) % n }

func (s *clientOptions) title() string { return "What clients are given" }

func (s *clientOptions) mode() mode { return mode{inView: true, dialog: true} }

func (s *clientOptions) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k, row := s.env.keys, s.from.optionRows()[s.list.Selected()]
	switch {
	case key.Matches(press, k.esc, k.enter, k.options):
		return back{}, nil
	case key.Matches(press, k.turnBack):
		row.turn(-1)
	case key.Matches(press, k.turn):
		row.turn(1)
	default:
		s.list.HandleKey(k.list(), press)
	}
	return nil, nil
}

func (s *clientOptions) keys() []key.Binding {
	k := s.env.keys
	return []key.Binding{kit.Relabel(k.enter, "done"), k.turn, k.chooseRow, kit.Relabel(k.esc, "done")}
}

func (s *clientOptions) view(width, height int) []string {
	e, rows := s.env, s.from.optionRows()
	boxWidth := min(width-4, 76)
	inner := boxWidth - 4
	rowWidth := inner + 1 // without the margin on the left
	table := kit.NewTable(kit.Column{}, kit.Column{}, kit.Column{Drops: 1})
	cells := make([][]string, len(rows))
	for i, row := range rows {
		cells[i] = []string{e.Theme.Muted.Render(row.label), e.Theme.Text.Render(row.value), e.Theme.Faint.Render(row.about)}
		table.Measure(cells[i]...)
	}
	layout := table.In(e.Glyphs, kit.RowWidth(rowWidth))
	var below []string
	if layout.Width(2) == 0 { // what the selected row is about stands below all rows
		below = append([]string{""}, kit.WrapStyled(e.Theme.Muted, rows[s.list.Selected()].about, inner)...)
		for range s.aboutLines(rows, inner) + 1 - len(below) {
			below = append(below, "")
		}
	}
	const borders = 2
	lines := s.list.View(e.Look, kit.ListView{Row: e.Rows(layout, rowWidth, func(i int) []string { return cells[i] })}, rowWidth, max(height-borders-len(below), 2))
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, " ")
	}
	return e.Box(s.title(), append(lines, below...), boxWidth)
}

// aboutLines is the greatest number of lines that what a row is about takes.
func (s *clientOptions) aboutLines(rows []clientOption, width int) (most int) {
	for _, row := range rows {
		most = max(most, len(kit.Wrap(row.about, width)))
	}
	return most
}
