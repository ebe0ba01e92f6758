package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

// roam is Roam Desktop, as the program asks and opens it.
type roam struct {
	env      *env
	polling  bool
	polledAt time.Time
}

// openedMsg reports that Roam was asked to open.
type openedMsg struct{ err error }

// poll asks Roam for its graphs.
func (r *roam) poll() tea.Cmd {
	r.polling = true
	ctx, graphs := r.env.ctx, r.env.ports.Graphs
	return func() tea.Msg { return polledMsg{graphs.LookAtRoam(ctx)} }
}

// due reports whether it is time to poll.
func (r *roam) due() bool { return !r.polling && r.env.now.Sub(r.polledAt) >= pollInterval }

// answered takes the end of a poll.
func (r *roam) answered(status manage.RoamStatus) {
	r.polling, r.polledAt = false, r.env.now
	r.env.roster.SetRoam(status)
}

// checkToken returns a command that asks Roam about the token of an entry.
func (r *roam) checkToken(entry configstore.Entry, scheduled bool) tea.Cmd {
	ctx, graphs := r.env.ctx, r.env.ports.Graphs
	return func() tea.Msg { return checkedMsg{entry, graphs.CheckToken(ctx, entry), scheduled} }
}

// open opens Roam, or says why it can't.
func (r *roam) open(graph localapi.Graph) (action, tea.Cmd) {
	if r.env.options.Sandbox {
		return inform("The sandbox stands in for Roam; there is nothing to open."), nil
	}
	if r.env.ports.OpenRoam == nil {
		return inform("This machine has nothing that opens links. Start Roam Desktop by hand."), nil
	}
	ctx, openRoam := r.env.ctx, r.env.ports.OpenRoam
	return inform("Opening Roam Desktop."), func() tea.Msg {
		return openedMsg{openRoam(ctx, graph)}
	}
}

// status returns Roam's state in a few words.
func (r *roam) status() string {
	sign, words := r.state()
	return r.env.Theme.Muted.Render(r.env.words.Roam()) + "  " + sign + words
}

// shortStatus is status in fewer words.
func (r *roam) shortStatus() string {
	_, words := r.state()
	return r.sign() + words
}

// sign returns Roam's state as a sign alone.
func (r *roam) sign() string {
	name := "Roam"
	if r.env.options.Sandbox {
		name = "sandbox"
	}
	sign, _ := r.state()
	return r.env.Theme.Muted.Render(name) + " " + sign
}

// state returns the sign of Roam's state, and the words behind it.
func (r *roam) state() (sign, words string) {
	t, g := r.env.Theme, r.env.Glyphs
	if !r.env.roster.Roam.Known {
		return t.Muted.Render(g.Busy), t.Muted.Render(" looking")
	}
	if r.env.roster.Roam.Err == nil {
		return t.Success.Render(g.On), t.Muted.Render(" running")
	}
	switch problem.CodeOf(r.env.roster.Roam.Err) {
	case localapi.CodeDisabled:
		return t.Warning.Render(g.Warning), t.Warning.Render(" Local API disabled")
	case localapi.CodeNotRoam, localapi.CodeOtherUser:
		return t.Warning.Render(g.Warning), t.Warning.Render(" something else answers")
	case localapi.CodeVersionMismatch:
		return t.Warning.Render(g.Warning), t.Warning.Render(" another version of the API")
	case localapi.CodeConnectionFailed:
		return t.Muted.Render(g.Off), t.Muted.Render(" not running")
	}
	return t.Warning.Render(g.Warning), t.Warning.Render(" no answer")
}
