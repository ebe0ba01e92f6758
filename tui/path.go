package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/clients"
)

// clientsMsg reports how the clients on this computer stand.
type clientsMsg struct{ configured bool }

// lookAtClients returns a command that finds out whether a client is configured, or nil
// where none can be.
func (e *env) lookAtClients() tea.Cmd {
	if e.ports.Clients == nil {
		return nil
	}
	ctx, port := e.ctx, e.ports.Clients
	return func() tea.Msg {
		return clientsMsg{slices.ContainsFunc(port.Look(ctx), func(s ClientStatus) bool { return s.State == clients.Configured })}
	}
}

// lacksClient reports whether no client on this computer starts roam-mcp, as far as that
// is known.
func (e *env) lacksClient() bool { return e.clients != nil && !e.clients.configured }

// onTheWay reports whether something is missing between nothing and a client that works.
func (e *env) onTheWay() bool {
	return e.roster.ConfigKnown && e.roster.ConfigErr == nil && (len(e.roster.Config.Entries) == 0 || e.lacksClient())
}

// pathLine returns the steps from nothing to a client that works, and which are done:
// "1 Roam ✓  ›  2 graph ✓  ›  3 client ○". The next one is marked.
func (e *env) pathLine() string {
	t, g := e.Theme, e.Glyphs
	var parts []string
	next := true
	for _, step := range []struct {
		name string
		done bool
	}{
		{"1 Roam", e.roster.Roam.Answers()},
		{"2 graph", len(e.roster.Config.Entries) > 0},
		{"3 client", e.clients != nil && e.clients.configured},
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

// pathAbove returns the lines with the pathLine above them, by cells to the right, while
// the person is on that way and there is room.
func (e *env) pathAbove(lines []string, by, height int) []string {
	if !e.onTheWay() || len(lines)+2 > height {
		return lines
	}
	return append([]string{strings.Repeat(" ", by) + e.pathLine(), ""}, lines...)
}
