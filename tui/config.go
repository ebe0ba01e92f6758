package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// configWriter changes the configuration, and puts back what was removed from it.
type configWriter struct {
	env     *env
	removed manage.Removals
}

// configWrittenMsg reports that a change of the configuration has ended.
type configWrittenMsg struct {
	id      int
	err     error
	config  configstore.Config
	loadErr error
	// done is the sentence that says what was done.
	done string
	// removed are the graphs that were removed; putBack is set after an attempt to undo that.
	removed []configstore.Removed
	putBack *configstore.Removed
	// kept is set after a token was granted, which its screen reports.
	kept *manage.Kept
	// renamed is set after a rename which entries of clients have to follow.
	renamed []change
	// late is set where a token was granted as its screen was left.
	late bool
}

// write returns a command that changes the configuration and reads it back.
func (c *configWriter) write(change func(context.Context, *manage.Manager) configWrittenMsg) (id int, cmd tea.Cmd) {
	id = c.env.nextID()
	ctx, graphs := c.env.ctx, c.env.ports.Graphs
	return id, c.env.trackWrite(func() tea.Msg {
		msg := change(ctx, graphs)
		msg.id = id
		msg.config, msg.loadErr = graphs.Load(ctx)
		return msg
	})
}

// rename returns the write that gives a graph another nickname, and its id; 0 where the
// typed one is none or the old one.
func (c *configWriter) rename(from, typed string) (id int, cmd tea.Cmd) {
	to, err := configstore.NormalizeNickname(typed)
	if err != nil || to == from {
		return 0, nil
	}
	return c.write(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		msg := configWrittenMsg{done: c.env.words.Renamed(from, to), err: graphs.Rename(ctx, from, to)}
		if c.env.ports.Clients == nil || msg.err != nil {
			return msg
		}
		plans, err := c.env.ports.Clients.PlanRename(ctx, from, to)
		for _, plan := range plans {
			msg.renamed = append(msg.renamed, change{client: plan.Client, plan: plan})
		}
		if err != nil {
			msg.done += " Not every client follows: " + c.env.words.Error(err)
		}
		return msg
	})
}

// without says which clients name a graph that agents can't reach any more; "" for none.
func (c *configWriter) without(ctx context.Context, nickname string) string {
	if c.env.ports.Clients == nil {
		return ""
	}
	said := c.env.ports.Clients.Without(ctx, nickname)
	if len(said) == 0 {
		return ""
	}
	return " " + kit.Sanitize(strings.Join(said, " "))
}

// setDisabled disables graphs, or enables them, one after another.
func (c *configWriter) setDisabled(entries []configstore.Entry, disabled bool) tea.Cmd {
	_, cmd := c.write(func(ctx context.Context, graphs *manage.Manager) (msg configWrittenMsg) {
		var done []string
		left := ""
		for _, entry := range entries {
			if msg.err = graphs.SetDisabled(ctx, entry.Nickname, disabled); msg.err != nil {
				return msg
			}
			done = append(done, entry.Nickname)
			if disabled {
				left += c.without(ctx, entry.Nickname)
			}
		}
		msg.done = DisabledText(done[0], disabled)
		if len(done) > 1 {
			msg.done = AllDisabledText(done, disabled)
		}
		msg.done += left
		return msg
	})
	return cmd
}

// remove removes graphs, one after another.
func (c *configWriter) remove(entries []configstore.Entry) tea.Cmd {
	_, cmd := c.write(func(ctx context.Context, graphs *manage.Manager) (msg configWrittenMsg) {
		var done []string
		left := ""
		for _, entry := range entries {
			removed, err := graphs.Remove(ctx, entry.Nickname)
			if err != nil {
				msg.err = err
				return msg
			}
			msg.removed, done = append(msg.removed, removed), append(done, entry.Nickname)
			left += c.without(ctx, entry.Nickname)
		}
		msg.done = RemovedText(done[0])
		if len(done) > 1 {
			msg.done = AllRemovedText(done)
		}
		msg.done += left
		return msg
	})
	return cmd
}

// newRemovalQuestion asks before graphs are removed.
func newRemovalQuestion(e *env, entries []configstore.Entry) screen {
	q := question{
		title: "Remove " + entries[0].Nickname,
		safe:  "Keep it", other: "Remove it",
		confirm: func() (action, tea.Cmd) { return home{}, e.config.remove(entries) },
	}
	text := e.words.Removal(entries[0])
	if len(entries) > 1 {
		q.title, q.safe, q.other = "Remove "+kit.Plural(len(entries), "graph"), "Keep them", "Remove them"
		text = e.words.RemovalOfAll(nicknames(entries))
	}
	q.text = strings.Join(text, "\n")
	return newQuestion(e, q)
}

// nicknames returns those of entries.
func nicknames(entries []configstore.Entry) (out []string) {
	for _, entry := range entries {
		out = append(out, entry.Nickname)
	}
	return out
}

// putBack undoes the newest removal.
func (c *configWriter) putBack() (action, tea.Cmd) {
	removed, ok := c.removed.Take()
	if !ok {
		return inform(NothingRemovedText), nil
	}
	_, cmd := c.write(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		return configWrittenMsg{err: graphs.PutBack(ctx, removed), putBack: &removed}
	})
	return nil, cmd
}

// putBackNotice returns what became of an undone removal.
func (c *configWriter) putBackNotice(removed configstore.Removed, err error) notice {
	c.removed.Return(removed, err)
	if err != nil {
		return c.env.errorNotice(err)
	}
	text := PutBackText(removed.Entry.Nickname)
	if next, ok := c.removed.Last(); ok {
		text += " u puts " + next.Entry.Nickname + " back too."
	}
	return notice{text, noticeSuccess}
}

func (c *configWriter) setTexts(nickname string, texts configstore.Switch) tea.Cmd {
	done := strings.Join(c.env.words.TextsSet(c.env.roster.Config, nickname, texts), " ")
	_, cmd := c.write(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		return configWrittenMsg{done: done, err: graphs.SetHistory(ctx, nickname, texts)}
	})
	return cmd
}

// toggleTexts keeps texts of a graph, or none, as was not so before.
func (c *configWriter) toggleTexts(entry configstore.Entry) (action, tea.Cmd) {
	switch {
	case c.env.roster.Config.History.Texts == configstore.Off:
		return inform(c.env.words.NoTexts()), nil
	case entry.History == configstore.Off:
		return nil, c.setTexts(entry.Nickname, configstore.On)
	}
	return nil, c.setTexts(entry.Nickname, configstore.Off)
}

// edit opens the configuration in the person's editor, at the fault if there is one.
// What is saved there is followed as any change of the file.
func (c *configWriter) edit() (action, tea.Cmd) {
	if c.env.ports.EditConfig == nil {
		return inform("Open " + c.env.words.ConfigPath() + " in an editor."), nil
	}
	line := 0
	if told, ok := problem.As(c.env.roster.ConfigErr); ok && told.Place != nil {
		line = told.Place.Line
	}
	editor, err := c.env.ports.EditConfig(line)
	if err != nil {
		return c.env.complain(err), nil
	}
	return nil, tea.ExecProcess(editor, func(err error) tea.Msg { return editedMsg{err} })
}

// editedMsg reports that the editor of the configuration has ended.
type editedMsg struct{ err error }

// state is what notices about the configuration depend on.
func (c *configWriter) state() string {
	return fmt.Sprint(c.env.roster.ConfigErr, c.env.roster.OthersCanRead())
}
