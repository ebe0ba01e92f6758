package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/tui/wording"
)

// newRemovalQuestion asks before a graph is removed.
func newRemovalQuestion(e *env, entry configstore.Entry) screen {
	return newQuestion(e, question{
		title: "Remove " + entry.Nickname,
		text:  strings.Join(e.words.Removal(entry), "\n"),
		safe:  "Keep it", other: "Remove it",
		confirm: func() (action, tea.Cmd) {
			_, cmd := e.writeConfigWith(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
				removed, err := graphs.Remove(ctx, entry.Nickname)
				msg := configWrittenMsg{err: err, done: wording.Removed(entry.Nickname) + e.without(ctx, entry.Nickname)}
				if err == nil {
					msg.removed = &removed
				}
				return msg
			})
			return home{}, cmd
		},
	})
}

// putBack undoes the newest removal.
func (e *env) putBack() (action, tea.Cmd) {
	removed, ok := e.removed.Take()
	if !ok {
		return inform(wording.NothingRemoved), nil
	}
	_, cmd := e.writeConfigWith(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		return configWrittenMsg{err: graphs.PutBack(ctx, removed), putBack: &removed}
	})
	return nil, cmd
}

// putBackNotice returns what became of an undone removal.
func (e *env) putBackNotice(removed configstore.Removed, err error) notice {
	e.removed.Return(removed, err)
	if err != nil {
		return e.errorNotice(err)
	}
	text := wording.PutBack(removed.Entry.Nickname)
	if next, ok := e.removed.Last(); ok {
		text += " u puts " + next.Entry.Nickname + " back too."
	}
	return notice{text, noticeSuccess}
}
