package tui

import (
	"context"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// textsMsg reports that a person is to be asked whether the history may hold texts of
// a graph that was just connected.
type textsMsg struct{ graph localapi.Graph }

// askAboutTexts returns a command that finds out whether to ask.
func (e *env) askAboutTexts(entry configstore.Entry) tea.Cmd {
	ctx, graphs := e.ctx, e.ports.Graphs
	return func() tea.Msg {
		if !graphs.AsksAboutTexts(ctx, entry) {
			return nil
		}
		return textsMsg{entry.Graph()}
	}
}

// newTextsQuestion asks whether the history may hold texts of an encrypted graph.
func newTextsQuestion(e *env, nickname string) screen {
	return newQuestion(e, question{
		title: "History of " + nickname,
		text:  strings.Join(e.words.Encrypted(nickname), "\n"),
		safe:  "Keep no texts", other: "Keep texts",
		confirm: func() (action, tea.Cmd) { return back{}, e.setTexts(nickname, configstore.On) },
		decline: func() tea.Cmd { return e.setTexts(nickname, configstore.Off) },
	})
}

func (e *env) setTexts(nickname string, texts configstore.Switch) tea.Cmd {
	_, cmd := e.writeConfig(strings.Join(e.words.TextsSet(e.roster.Config, nickname, texts), " "), func(ctx context.Context, graphs *manage.Manager) error {
		return graphs.SetHistory(ctx, nickname, texts)
	})
	return cmd
}

// textsKey returns the key that keeps texts of a graph, or none.
func (e *env) textsKey(r row) key.Binding {
	if e.roster.Config.TextsOf(r.Entry) == configstore.Off {
		return kit.Relabel(e.keys.texts, "keep texts")
	}
	return e.keys.texts
}

// toggleTexts keeps texts of a graph, or none, as was not so before.
func (e *env) toggleTexts(r row) (action, tea.Cmd) {
	switch {
	case e.roster.Config.History.Texts == configstore.Off:
		return inform(e.words.NoTexts()), nil
	case r.Entry.History == configstore.Off:
		return nil, e.setTexts(r.Entry.Nickname, configstore.On)
	}
	return nil, e.setTexts(r.Entry.Nickname, configstore.Off)
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
