package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// filesScreen shows the version and the files that the program uses.
type filesScreen struct {
	env      *env
	id       int
	files    []File
	known    bool
	selected int
	offset   int
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

func newFilesScreen(e *env) *filesScreen { return &filesScreen{env: e, id: e.nextID()} }

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
		last := len(s.files) - 1
		to, _ := k.Move(msg, s.selected, 0, last)
		s.selected = max(min(to, last), 0)
		switch {
		case key.Matches(msg, k.esc, k.quit):
			return back{}, nil
		case key.Matches(msg, k.copy) && len(s.files) > 0:
			return nil, s.env.copy("the path", s.files[s.selected].Path)
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
	return menuParts{row: s.files[s.selected].Name, ofRow: []key.Binding{s.env.keys.copy}, moves: true}
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
	file := s.files[s.selected]
	below := append([]string{""}, kit.Indent(kit.HardWrap(file.Path, width-4, e.Theme.Link), 1)...)
	below = append(below, kit.Indent(kit.WrapStyled(e.Theme.Muted, file.Note, text), 1)...)
	room := max(height-len(lines)-len(below), 1)
	s.offset = kit.Window(s.offset, s.selected, s.selected+1, len(s.files), room)
	for i := s.offset; i < min(s.offset+room, len(s.files)); i++ {
		lines = append(lines, s.line(i, width))
	}
	return append(lines, below...)
}

// line returns one file: its name, its path, and whether it exists.
func (s *filesScreen) line(i, width int) string {
	const gap, sign = 2, 9
	e, file := s.env, s.files[i]
	name, path := 0, 0
	for _, f := range s.files {
		name, path = max(name, ansi.StringWidth(f.Name)), max(path, ansi.StringWidth(e.words.Path(f.Path)))
	}
	path = min(path, kit.RowWidth(width)-name-gap-gap-sign)
	state := e.Theme.Muted.Render(e.Glyphs.Off + " not yet")
	if file.There {
		state = e.Theme.Success.Render(e.Glyphs.On) + e.Theme.Muted.Render(" there")
	}
	return e.Row(e.Theme.Text.Render(e.Glyphs.Fit(file.Name, name+gap))+
		e.Theme.Muted.Render(e.Glyphs.Fit(e.Glyphs.CutStart(e.words.Path(file.Path), path), path+gap))+state, width, i == s.selected)
}
