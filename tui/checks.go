package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
)

// allowHiddenChecks lets so many tokens out of sight be checked from now on.
func (r *root) allowHiddenChecks(most int) tea.Cmd {
	r.work.hiddenChecksLeft = most
	return r.checkTokens()
}

// checkTokens asks Roam about the token that was checked longest ago, one at a
// time; each answer starts the next until all are fresh. Those in sight come
// first.
func (r *root) checkTokens() tea.Cmd {
	e := r.env
	if r.work.checking || !e.roam.known || e.roam.err != nil || !r.top().mode().polls {
		return nil
	}
	due := e.nextDue(r.visibleEntries())
	if due == nil && r.work.hiddenChecksLeft > 0 {
		if due = e.nextDue(e.config.Entries); due != nil {
			r.work.hiddenChecksLeft--
		}
	}
	if due == nil {
		return nil
	}
	r.work.checking = true
	return e.checkToken(*due, true)
}

// visibleEntries are the configured graphs that the list shows.
func (r *root) visibleEntries() []configstore.Entry {
	list, ok := r.top().(*graphList)
	if !ok {
		return nil
	}
	rows, _ := list.rowsAndSelected()
	var entries []configstore.Entry
	for line := list.window.from; line < list.window.from+list.window.height; line++ {
		if at, ok := list.layout().rowAt(line); ok && rows[at].configured {
			entries = append(entries, rows[at].entry)
		}
	}
	return entries
}

// nextDue is the enabled entry whose token was checked longest ago; nil where
// all were checked lately.
func (e *env) nextDue(entries []configstore.Entry) *configstore.Entry {
	var due *configstore.Entry
	oldest := e.now.Add(-checkInterval)
	for i, entry := range entries {
		if at := e.checks[keyOf(entry)].at; !entry.Disabled && !at.After(oldest) {
			due, oldest = &entries[i], at
		}
	}
	return due
}

// checkToken asks Roam about the token of an entry.
func (e *env) checkToken(entry configstore.Entry, round bool) tea.Cmd {
	ctx, roam, store, now := e.ctx, e.ports.Roam, e.ports.Store, e.ports.Now
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		started := now()
		info := roam.TokenInfo(ctx, entry.Graph(), entry.Token)
		ended := now()
		recordTokenStatus(ctx, store, entry, info)
		return checkedMsg{keyOf(entry), tokenCheck{info: info, at: ended, took: ended.Sub(started)}, round}
	}
}

// recordTokenStatus keeps what Roam said in the configuration, where it is news. That the note
// can't be written is none: the screen shows the answer itself.
func recordTokenStatus(ctx context.Context, store Store, entry configstore.Entry, info localapi.TokenInfo) {
	level := info.AccessLevel
	switch info.Status {
	case localapi.TokenActive:
	case localapi.TokenRevoked:
		level = ""
	case localapi.TokenUnknown, "":
		return
	}
	if entry.LastKnownTokenStatus == info.Status && (level == "" || level == entry.AccessLevel) {
		return // the file is not even read
	}
	_ = store.SetTokenStatus(ctx, entry.Graph(), entry.Token, info.Status, level)
}
