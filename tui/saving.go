package tui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/exchange"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// saving keeps a granted token. The zero value: none is granted.
type saving struct {
	id   int          // of the write under way, or 0
	kept *manage.Kept // what became of the token; nil before that is known
}

// saved reports whether the token is in the configuration.
func (s *saving) saved() bool { return s.kept != nil && s.kept.Err == nil }

// unsaved reports whether leaving would lose the token.
func (s *saving) unsaved() bool { return s.id != 0 || s.kept != nil && s.kept.Lost() }

// begin keeps the token. That is not cut short when the screen is left.
func (s *saving) begin(e *env, keep func(context.Context, *manage.Manager) manage.Kept) tea.Cmd {
	var cmd tea.Cmd
	s.id, cmd = e.config.write(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		kept := keep(ctx, graphs)
		return configWrittenMsg{kept: &kept, err: kept.Err}
	})
	return cmd
}

// saveLateGrant keeps a token that Roam granted in the moment in which its exchange
// was left. Where the program is about to end, Run looks after it.
func (r *root) saveLateGrant(msg exchangeClosedMsg) tea.Cmd {
	s := msg.screen
	if msg.machine.State != exchange.Granted || s.machine.State == exchange.Granted || r.quitting {
		return nil
	}
	s.machine = msg.machine
	words := r.env.words
	_, cmd := r.env.config.write(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		kept := graphs.Keep(ctx, s.authorization, msg.machine.Grant)
		return configWrittenMsg{late: true, done: words.LateGrant(kept), err: kept.Err}
	})
	return cmd
}

func (s *saving) update(msg tea.Msg) {
	if written, ok := msg.(configWrittenMsg); ok && written.id == s.id && s.id != 0 {
		s.id, s.kept = 0, written.kept
	}
}

func (s *saving) keys(e *env) []key.Binding {
	k := e.keys
	again := kit.Relabel(k.test, "try again")
	switch {
	case s.id != 0 || s.kept == nil || s.saved():
		return []key.Binding{k.esc}
	case s.kept.Lost():
		return []key.Binding{again, kit.Relabel(k.esc, "leave")}
	}
	return []key.Binding{again, k.esc}
}

// retry keeps a token once more that could not be saved.
func (s *saving) retry(e *env) tea.Cmd {
	kept := *s.kept
	return s.begin(e, func(ctx context.Context, graphs *manage.Manager) manage.Kept { return graphs.Retry(ctx, kept) })
}
