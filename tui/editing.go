package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// editedMsg reports that the editor of the configuration has ended.
type editedMsg struct{ err error }

// editConfig opens the configuration in the person's editor, at the fault if there is one.
// What is saved there is followed as any change of the file.
func (e *env) editConfig() (action, tea.Cmd) {
	if e.ports.EditConfig == nil {
		return inform("Open " + e.words.ConfigPath() + " in an editor."), nil
	}
	line := 0
	if told, ok := problem.As(e.roster.ConfigErr); ok && told.Place != nil {
		line = told.Place.Line
	}
	editor, err := e.ports.EditConfig(line)
	if err != nil {
		return e.complain(err), nil
	}
	return nil, tea.ExecProcess(editor, func(err error) tea.Msg { return editedMsg{err} })
}

// excerpt returns what stands at the place of an error in a file, and below it a mark at
// the fault; nothing where that is not known.
func (e *env) excerpt(err error, width int) []string {
	told, ok := problem.As(err)
	if !ok || told.Place == nil || told.Place.Text == "" {
		return nil
	}
	// The mark stays in sight however narrow the window is.
	text, mark := []rune(kit.Sanitize(told.Place.Text)), told.Place.Mark
	if over := mark - (width - 4); over > 0 && over < len(text) {
		text, mark = text[over:], mark-over
	}
	before := strings.Repeat(" ", ansi.StringWidth(string(text[:min(mark, len(text))])))
	return []string{e.Theme.Muted.Render(e.Glyphs.Cut(string(text), width)), before + e.Theme.Danger.Render("^")}
}
