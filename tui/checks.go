package tui

import (
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
)

// allowHiddenChecks lets up to most tokens out of sight be checked before it is
// called again.
func (r *root) allowHiddenChecks(most int) tea.Cmd {
	r.work.hiddenChecksLeft = most
	return r.checkTokens()
}

// checkTokens asks Roam about the token that was checked longest ago, those in sight
// first. Each answer asks about the next one, until all are fresh.
func (r *root) checkTokens() tea.Cmd {
	e := r.env
	if r.work.checking || !e.roster.Roam.Answers() || !r.top().mode().polls {
		return nil
	}
	due, ok := e.roster.Due(e.now, r.visibleEntries())
	if !ok && r.work.hiddenChecksLeft > 0 {
		if due, ok = e.roster.Due(e.now, e.roster.Config.Entries); ok {
			r.work.hiddenChecksLeft--
		}
	}
	if !ok {
		return nil
	}
	r.work.checking = true
	return e.checkToken(due, true)
}

// visibleEntries returns the configured graphs that the list shows.
func (r *root) visibleEntries() []configstore.Entry {
	list, ok := r.top().(*graphList)
	if !ok {
		return nil
	}
	rows, _ := list.rowsAndSelected()
	var entries []configstore.Entry
	for line := list.window.from; line < list.window.from+list.window.height; line++ {
		if at, ok := list.layout().rowAt(line); ok && rows[at].Connected {
			entries = append(entries, rows[at].Entry)
		}
	}
	return entries
}

// checkToken returns a command that asks Roam about the token of an entry.
func (e *env) checkToken(entry configstore.Entry, scheduled bool) tea.Cmd {
	ctx, graphs := e.ctx, e.ports.Graphs
	return func() tea.Msg { return checkedMsg{entry, graphs.CheckToken(ctx, entry), scheduled} }
}
