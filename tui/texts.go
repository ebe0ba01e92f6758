package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// textsMsg reports that a person is to be asked whether the history may hold texts of
// a graph that was just connected.
type textsMsg struct {
	graph localapi.Graph
	said  localapi.Encryption
}

// askAboutTexts returns a command that finds out whether to ask.
func (r *roam) askAboutTexts(entry configstore.Entry) tea.Cmd {
	ctx, graphs := r.env.ctx, r.env.ports.Graphs
	return func() tea.Msg {
		said, asks := graphs.AsksAboutTexts(ctx, entry)
		if !asks {
			return nil
		}
		return textsMsg{entry.Graph(), said}
	}
}

// newTextsQuestion asks whether the history may hold texts of a graph of which Roam says
// so much.
func newTextsQuestion(e *env, nickname string, said localapi.Encryption) screen {
	return newQuestion(e, question{
		title: "History of " + nickname,
		text:  strings.Join(e.words.AskAboutTexts(nickname, said), "\n"),
		safe:  "Keep no texts", other: "Keep texts",
		confirm: func() (action, tea.Cmd) { return back{}, e.config.setTexts(nickname, configstore.On) },
		decline: func() tea.Cmd { return e.config.setTexts(nickname, configstore.Off) },
	})
}

// askAboutTexts asks about the texts of a graph that are not kept because Roam does not
// say whether it is encrypted. It does so when the notices are first read, before a person
// is about to press other keys, and once for each graph, since the answer is kept.
func (s *historyScreen) askAboutTexts() action {
	first := !s.asked
	s.asked = true
	if !first || s.list.Filter.Typing {
		return nil
	}
	for _, n := range s.notices {
		if entry, ok := s.textsUnsaid(n); ok && (s.of == history.Graph{} || s.of == n.Graph) {
			return open{newTextsQuestion(s.env, entry.Nickname, localapi.EncryptionUnsaid)}
		}
	}
	return nil
}

// textsUnsaid returns the graph of a notice that is to be asked about.
func (s *historyScreen) textsUnsaid(n history.Notice) (configstore.Entry, bool) {
	graph := localapi.Graph{Name: n.Graph.Name, Type: localapi.GraphType(n.Graph.Type)}
	entry, _ := s.env.roster.Config.FindGraph(graph)
	return entry, n.Code == history.CodeTextsUnsaid && s.env.roster.Config.TextsUnsaid(graph)
}

// historyNote returns what is kept of what agents write, below the lines of a form
// where there is room for it.
func (e *env) historyNote(lines []string, width, height int) []string {
	note := kit.Paragraph(e.Theme.Muted, strings.Join(e.words.History(e.roster.Config), " "), width)
	if len(note) == 0 || len(lines)+1+len(note) > height {
		return lines
	}
	return append(append(lines, ""), note...)
}
