package tui

import (
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/problem"
)

// newRemovalQuestion asks before a graph is removed.
func newRemovalQuestion(e *env, entry configstore.Entry) screen {
	revoking := "in Roam until you revoke it there: Settings > Graph > Local API Tokens."
	if e.options.Sandbox {
		revoking = "in the sandbox until you type in its terminal: revoke " + entry.Name
	}
	return newQuestion(e, question{
		title: "Remove " + entry.Nickname,
		text: "Remove " + entry.Nickname + " (" + entry.Name + ") from " + e.configPath() + "?\n" +
			"Agents lose it at once. Its token stays valid " + revoking + "\n" +
			"u puts it back while this program runs.",
		safe: "Keep it", other: "Remove it",
		confirm: func() (action, tea.Cmd) {
			ctx, store := e.ctx, e.ports.Store
			return home{}, e.trackWrite(func() tea.Msg {
				removed, err := store.Remove(ctx, entry.Nickname)
				config, loadErr := store.Load(ctx)
				msg := configWrittenMsg{err: err, config: config, loadErr: loadErr, done: "Removed " + entry.Nickname + ". u puts it back."}
				if err == nil {
					msg.removed = &removed
				}
				return msg
			})
		},
	})
}

// lastRemoved returns the entry that putBack restores.
func (e *env) lastRemoved() (configstore.Removed, bool) {
	if len(e.removed) == 0 {
		return configstore.Removed{}, false
	}
	return e.removed[len(e.removed)-1], true
}

// putBack undoes the newest removal. It is off the list at once, so that the next
// press undoes the one before it.
func (e *env) putBack() (action, tea.Cmd) {
	removed, ok := e.lastRemoved()
	if !ok {
		return inform("Nothing was removed since the program started."), nil
	}
	e.removed = e.removed[:len(e.removed)-1]
	ctx, store := e.ctx, e.ports.Store
	return nil, e.trackWrite(func() tea.Msg {
		err := store.PutBack(ctx, removed)
		config, loadErr := store.Load(ctx)
		return configWrittenMsg{err: err, config: config, loadErr: loadErr, putBack: &removed}
	})
}

// putBackNotice returns what became of an undone removal. After an error it is on the
// list again, unless the graph has been connected anew.
func (e *env) putBackNotice(removed configstore.Removed, err error) notice {
	if err != nil {
		if problem.CodeOf(err) != configstore.CodeGraphConfigured {
			e.removed = append(e.removed, removed)
		}
		return e.errorNotice(err)
	}
	text := removed.Entry.Nickname + " is back."
	if next, ok := e.lastRemoved(); ok {
		text += " u puts " + next.Entry.Nickname + " back too."
	}
	return notice{text, noticeSuccess}
}
