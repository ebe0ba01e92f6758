package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// filesScreen shows the version and the files that the program uses.
type filesScreen struct {
	env   *env
	id    int
	files []File
	known bool
	list  kit.List[string] // of paths
}

var (
	_ screen  = (*filesScreen)(nil)
	_ starter = (*filesScreen)(nil)
)

// filesMsg reports the files as they are now.
type filesMsg struct {
	id    int
	files []File
}

func newFilesScreen(e *env) *filesScreen {
	s := &filesScreen{env: e, id: e.nextID()}
	s.list = kit.NewList(0, func() (int, func(int) string) {
		return len(s.files), func(i int) string { return s.files[i].Path }
	})
	return s
}

func (s *filesScreen) start() tea.Cmd {
	id, files := s.id, s.env.ports.Files
	if files == nil {
		return func() tea.Msg { return filesMsg{id: id} }
	}
	return func() tea.Msg { return filesMsg{id, files()} }
}

func (s *filesScreen) title() string { return "Files" }

func (s *filesScreen) mode() mode { return mode{inView: true} }

func (s *filesScreen) update(msg tea.Msg) (action, tea.Cmd) {
	k := s.env.keys
	switch msg := msg.(type) {
	case filesMsg:
		if msg.id == s.id {
			s.files, s.known = msg.files, true
		}
	case tea.KeyPressMsg:
		switch {
		case s.list.HandleKey(k.list(), msg):
		case key.Matches(msg, k.esc, k.quit):
			return back{}, nil
		case key.Matches(msg, k.copy) && len(s.files) > 0:
			return nil, s.env.copy("the path", s.files[s.list.Selected()].Path)
		}
	}
	return nil, nil
}

func (s *filesScreen) keys() []key.Binding {
	k := s.env.keys
	if len(s.files) == 0 {
		return []key.Binding{k.esc}
	}
	return []key.Binding{kit.Relabel(k.chooseRow, "choose"), kit.Relabel(k.copy, "copy the path"), k.esc}
}

// parts returns what the menu is told of the files.
func (s *filesScreen) parts() menuParts {
	if len(s.files) == 0 {
		return menuParts{}
	}
	return menuParts{row: s.files[s.list.Selected()].Name, ofRow: []key.Binding{s.env.keys.copy}, moves: true}
}

// version returns the versions of the program and of the API that it speaks.
func (s *filesScreen) version() string {
	return "roam-mcp " + s.env.options.Version + ", for version " + localapi.APIVersion + " of Roam's Local API."
}

// view returns the files, and below them the whole path of the selected one.
func (s *filesScreen) view(width, height int) []string {
	e, text := s.env, min(width-4, kit.ProseWidth)
	lines := append(kit.Indent(kit.WrapStyled(e.Theme.Text, s.version(), text), 1), "")
	if !s.known {
		return append(lines, " "+e.Theme.Muted.Render(e.Glyphs.Busy+" Looking for the files"+e.Glyphs.Ellipsis))
	}
	if len(s.files) == 0 {
		return lines
	}
	file := s.files[s.list.Selected()]
	below := append([]string{""}, kit.Indent(kit.HardWrap(file.Path, width-4, e.Theme.Link), 1)...)
	below = append(below, kit.Indent(kit.WrapStyled(e.Theme.Muted, file.Note, text), 1)...)
	room := max(height-len(lines)-len(below), 1)
	lines = append(lines, s.drawList(len(lines), width, room)...)
	return append(lines, below...)
}

// drawList returns the files around the selected one: the name, the path, and whether it
// exists.
func (s *filesScreen) drawList(top, width, height int) []string {
	e, rows := s.env, make([][]string, len(s.files))
	table := kit.NewTable(kit.Column{}, kit.Column{Narrow: 1, TheEnd: true}, kit.Column{})
	for i, f := range s.files {
		state := e.Theme.Muted.Render(e.Glyphs.Off + " not yet")
		if f.There {
			state = e.Theme.Success.Render(e.Glyphs.On) + e.Theme.Muted.Render(" there")
		}
		rows[i] = []string{e.Theme.Text.Render(f.Name), e.Theme.Muted.Render(e.words.Path(f.Path)), state}
		table.Measure(rows[i]...)
	}
	layout := table.In(e.Glyphs, kit.RowWidth(width))
	cells := func(i int) []string { return rows[i] }
	return s.list.View(e.Look, kit.ListView{Top: top, Row: e.Rows(layout, width, cells)}, width, height)
}
