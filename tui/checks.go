package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
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

// visibleEntries returns the configured graphs that the list shows.
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

// nextDue returns the enabled entry whose token was checked longest ago, or nil if
// all were checked within checkInterval.
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

// checkToken returns a command that asks Roam about the token of an entry.
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

// recordTokenStatus writes Roam's answer to the configuration if it is news. An error
// is ignored, since the screen shows the answer.
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
		return // without reading the file
	}
	_ = store.SetTokenStatus(ctx, entry.Graph(), entry.Token, info.Status, level)
}
