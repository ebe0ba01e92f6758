package tui

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/tui/kit"
)

// clientsMsg reports how the clients on this computer stand: whether one is configured, and
// whether something is wrong with one.
type clientsMsg struct{ configured, unwell bool }

// clientsStand sums up how clients stand.
func clientsStand(all []install.Status, now time.Time) (m clientsMsg) {
	for _, s := range all {
		m.configured = m.configured || s.State == clients.Configured
		switch ClientLine(s.Status, s.Proven, now).Sign {
		case SignWarning, SignFailed:
			m.unwell = true
		case SignNone, SignOff, SignDone, SignBusy, SignStalled:
		}
	}
	return m
}

// path is the way from nothing to a client that works: Roam, a graph, a client.
type path struct {
	env *env
	// clients is how the clients on this computer stand; nil before that is known.
	clients *clientsMsg
}

// look returns a command that finds out whether a client is configured, or nil
// where none can be.
func (p *path) look() tea.Cmd {
	if p.env.ports.Clients == nil {
		return nil
	}
	ctx, port, now := p.env.ctx, p.env.ports.Clients, p.env.now
	return func() tea.Msg { return clientsStand(port.Look(ctx), now) }
}

// lacksClient reports whether no client on this computer starts roam-mcp, as far as that
// is known.
func (p *path) lacksClient() bool { return p.clients != nil && !p.clients.configured }

// unfinished reports whether something is missing between nothing and a client that works.
func (p *path) unfinished() bool {
	return p.env.roster.ConfigKnown && p.env.roster.ConfigErr == nil && (len(p.env.roster.Config.Entries) == 0 || p.lacksClient())
}

// line returns the steps from nothing to a client that works, and which are done:
// "Roam ✓  ›  graph ✓  ›  client ○". The next one is marked.
func (p *path) line() string {
	t, g := p.env.Theme, p.env.Glyphs
	var parts []string
	next := true
	for _, step := range []struct {
		name string
		done bool
	}{
		{"Roam", p.env.roster.Roam.Answers()},
		{"graph", len(p.env.roster.Config.Entries) > 0},
		{"client", p.clients != nil && p.clients.configured},
	} {
		switch {
		case step.done:
			parts = append(parts, t.Muted.Render(step.name)+" "+t.Success.Render(g.Marked))
		case next:
			parts, next = append(parts, t.Accent.Render(step.name+" "+g.Off)), false
		default:
			parts = append(parts, t.Muted.Render(step.name+" "+g.Off))
		}
	}
	return strings.Join(parts, t.Faint.Render("  "+g.Pointer+"  "))
}

// above returns the lines below the line of the steps, by cells to the right, while a step is
// missing and there is room.
func (p *path) above(lines []string, by, height int) []string {
	if !p.unfinished() || len(lines)+2 > height {
		return lines
	}
	return append([]string{strings.Repeat(" ", by) + p.line(), ""}, lines...)
}

// clientNext reports whether the next step is to connect a client.
func (p *path) clientNext() bool { return p.lacksClient() && len(p.env.roster.Config.Entries) > 0 }

// clientsKey returns the key that leads to the clients.
func (p *path) clientsKey() key.Binding {
	if p.clientNext() {
		return kit.Relabel(p.env.keys.clients, "connect a client")
	}
	return p.env.keys.clients
}
