package tui

import (
	"charm.land/bubbles/v2/key"

	"roam-mcp/tui/kit"
)

// welcome returns what the program is for and the steps to a client that works, above the
// list until there is such a client.
func (s *graphList) welcome(width, height int) []string {
	e := s.env
	if s.list.Filter.On() || !e.path.unfinished() {
		return nil
	}
	steps := " " + e.path.line()
	if len(e.roster.Config.Entries) > 0 {
		return []string{steps, ""}
	}
	lines := kit.Indent(kit.WrapStyled(e.Theme.Strong, e.words.Purpose(), min(width-2, kit.ProseWidth)), 1)
	if height >= kit.RoomyHeight {
		lines = append(lines, "")
	}
	return append(lines, steps, "")
}

// empty returns how the list gets its first graph, or why nothing is in it.
func (s *graphList) empty(width int) []string {
	e := s.env
	sentences := func(lines ...string) []string {
		var out []string
		for _, line := range lines {
			out = append(out, kit.Indent(kit.WrapStyled(e.Theme.Text, line, min(width-2, kit.ProseWidth)), 1)...)
		}
		return out
	}
	listed := len(e.rows())
	switch {
	case s.list.Filter.Text != "":
		return sentences("No graph has “"+s.list.Filter.Text+"” in its name or nickname.", "esc shows all of them.")
	case !e.roster.ConfigKnown || !e.roster.Roam.Known:
		return sentences("Looking for Roam and your graphs" + e.Glyphs.Ellipsis)
	case e.roster.ConfigErr != nil:
		return nil
	}
	var lines []string
	switch {
	case listed > 0:
		lines = append(lines, "Roam lists "+kit.Plural(listed, "graph")+". Choose one to begin with; space marks several.")
	case e.roster.Roam.Err == nil:
		lines = append(lines, "Roam lists no graph. Sign in to Roam, or press c to ask for somebody's public graph by its name.")
	case e.ports.Graphs.Official != nil:
		lines = append(lines, "i takes over the graphs of the official tools, if you use them.")
	}
	if !e.options.Sandbox {
		lines = append(lines, "b tries all this in a sandbox first: a Roam of its own, with sample graphs.")
	}
	return sentences(lines...)
}

// sandboxKey returns the key that leads to the sandbox, or out of it.
func (s *graphList) sandboxKey() key.Binding {
	b := s.env.keys.sandbox
	if s.env.options.Sandbox {
		b = kit.Relabel(b, "leave the sandbox")
	}
	return b
}

// firstSandboxKey is the sandboxKey where it is among the first keys: no graph is connected
// yet.
func (s *graphList) firstSandboxKey() key.Binding {
	b := s.sandboxKey()
	b.SetEnabled(len(s.env.roster.Config.Entries) == 0)
	return b
}

// otherWorld leads to the sandbox, or out of it.
func (s *graphList) otherWorld() action {
	if s.env.options.Sandbox {
		return switchWorld{LeaveSandbox}
	}
	return switchWorld{EnterSandbox}
}
