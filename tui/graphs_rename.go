package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/tui/kit"
)

// renaming is a nickname that is typed in its row.
type renaming struct {
	entry   configstore.Entry
	input   *kit.LineInput
	writing int // id of the write that ends it if it succeeds, or 0
}

func newRenaming(entry configstore.Entry) *renaming {
	return &renaming{entry: entry, input: kit.NewLineInput(entry.Nickname, configstore.MaxNicknameLength)}
}

// problem returns a sentence on what is wrong with the nickname, or "".
func (n *renaming) problem(e *env) string {
	return e.words.Nickname(e.roster, n.entry.Graph()).Check(n.input.Value())
}

// sentence says what the keys do, or why enter does nothing.
func (n *renaming) sentence(e *env) string {
	if problem := n.problem(e); problem != "" {
		return e.Glyphs.Failed + " " + problem
	}
	return "enter renames, esc leaves it as it was."
}

// renameKey handles a key while a nickname is typed.
func (s *graphList) renameKey(press tea.KeyPressMsg) tea.Cmd {
	n, k := s.renaming, s.env.keys
	switch {
	case key.Matches(press, k.esc):
		s.renaming = nil
	case n.writing != 0:
	case key.Matches(press, k.enter):
		return s.rename()
	default:
		n.input.Update(press)
	}
	return nil
}

// rename writes the nickname, unless it is the old one or is refused.
func (s *graphList) rename() (cmd tea.Cmd) {
	n := s.renaming
	if n.problem(s.env) != "" {
		return nil
	}
	if n.writing, cmd = s.env.config.rename(n.entry.Nickname, n.input.Value()); n.writing == 0 {
		s.renaming = nil
	}
	return cmd
}

// renameWritten ends the renaming once its nickname is saved, or lets it be mended.
func (s *graphList) renameWritten(msg configWrittenMsg) {
	if n := s.renaming; n != nil && n.writing != 0 && n.writing == msg.id {
		n.writing = 0
		if msg.err == nil {
			s.renaming = nil
		}
	}
}

// renamedRow returns the row whose nickname is typed.
func (s *graphList) renamedRow(c listColumns, width int) string {
	e := s.env
	const least = 24
	field := min(max(c.nickname, least), kit.RowWidth(width))
	return " " + e.Theme.Accent.Render(e.Glyphs.Bar) + " " + s.renaming.input.View(e.Look, field) +
		"  " + e.Theme.Muted.Render(e.Glyphs.Cut(s.renaming.entry.Name, max(kit.RowWidth(width)-field-2, 0)))
}
