package tui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// panel stands in for Roam's approval dialog while this program hosts the sandbox.
type panel struct {
	env        *env
	requests   []AccessRequest
	promotedAt time.Time // when an answer brought up the first request
}

// promotedPause is how long a request takes no key after an answer has brought it up.
// A second press of the same key was not meant for it.
const promotedPause = 500 * time.Millisecond

func (p *panel) visible() bool { return len(p.requests) > 0 }

func (p *panel) keys() []key.Binding {
	k := p.env.keys
	return []key.Binding{k.allow, k.allowReadOnly, k.deny, k.never}
}

// update answers the first request if the key is one of the panel's.
func (p *panel) update(msg tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	k := p.env.keys
	var decision Decision
	switch {
	case key.Matches(msg, k.allow):
		decision = Allow
	case key.Matches(msg, k.allowReadOnly):
		decision = AllowReadOnly
	case key.Matches(msg, k.deny):
		decision = Deny
	case key.Matches(msg, k.never):
		decision = Never
	default:
		return false, nil
	}
	if p.env.now.Sub(p.promotedAt) < promotedPause {
		return true, nil
	}
	id, desk := p.requests[0].ID, p.env.ports.Desk
	p.requests, p.promotedAt = p.requests[1:], time.Time{} // before the desk reports it
	if p.visible() {
		p.promotedAt = p.env.now
	}
	return true, func() tea.Msg { return answeredMsg{desk.Answer(id, decision)} }
}

// view returns the panel. Without its keys it says how to get at them.
func (p *panel) view(width int, hasKeys bool) []string {
	e, request := p.env, p.requests[0]
	inner := width - 4
	lines := kit.WrapStyled(e.Theme.Text, request.Sentence(e.Glyphs), inner)
	if more := len(p.requests) - 1; more > 0 {
		lines = append(lines, e.Theme.Muted.Render(kit.Plural(more, "more request")+" after this one"))
	}
	if hasKeys {
		lines = append(lines, withoutMargin(e.KeyLines(p.keys(), inner+2))...)
	} else {
		lines = append(lines, e.Theme.Muted.Render("Leave this screen to answer."))
	}
	return e.Box("Roam (sandbox)", lines, width)
}

// withoutMargin returns key lines without the margin that KeyLines gives them.
func withoutMargin(lines []string) []string {
	for i, line := range lines {
		lines[i] = line[1:]
	}
	return lines
}
