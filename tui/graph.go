package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/localapi"
)

// graph is the screen of one configured graph: what is known of it, and what can
// be done with it.
type graph struct {
	env   *env
	graph localapi.Graph
}

var _ screen = (*graph)(nil)

func newGraph(e *env, g localapi.Graph) *graph { return &graph{env: e, graph: g} }

func (s *graph) row() (row, bool) {
	entry, ok := s.env.config.FindGraph(s.graph)
	opened, _ := s.env.listed(s.graph)
	return row{graph: s.graph, configured: ok, entry: entry, open: opened}, ok
}

func (s *graph) title() string {
	if r, ok := s.row(); ok {
		return s.env.glyphs.cut(r.entry.Nickname, 32)
	}
	return s.graph.Name
}

func (s *graph) mode() mode { return mode{lendsKeys: true, polls: true} }

func (s *graph) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k := s.env.keys
	switch {
	case key.Matches(press, k.esc):
		return back{}, nil
	case key.Matches(press, k.enter):
		return nil, nil
	case key.Matches(press, k.open):
		return s.env.openRoam(s.graph)
	}
	if r, ok := s.row(); ok {
		return s.env.actOn(r, press)
	}
	return nil, nil
}

func (s *graph) keys() []key.Binding {
	k := s.env.keys
	r, ok := s.row()
	if !ok {
		return []key.Binding{k.esc}
	}
	out := []key.Binding{k.test, k.rename, s.env.toggleKey(r), k.reauthorize, k.remove}
	if s.env.ports.OpenRoam != nil && !s.env.options.Sandbox {
		out = append(out, named(k.open, "open in Roam"))
	}
	return append(out, k.esc)
}

func (s *graph) view(width, _ int) []string {
	r, ok := s.row()
	if !ok {
		return render(s.env.theme.text, " This graph is no longer in "+s.env.configPath()+".", width-2)
	}
	return indent(s.env.facts(r, min(width-4, proseWidth)), 2)
}

// facts are all that is known of a graph, one labelled fact after another.
func (e *env) facts(r row, width int) []string {
	const label = 10
	var out []string
	add := func(name, value string, style interface{ Render(...string) string }) {
		for i, line := range wrap(value, width-label) {
			head := ""
			if i == 0 {
				head = name
			}
			out = append(out, e.theme.muted.Render(e.glyphs.fit(head, label))+style.Render(line))
		}
	}
	st := e.stateOf(r)
	add("State", st.glyph+" "+st.word, st.style)
	add("Graph", r.graph.Name, e.theme.text)
	kind := map[localapi.GraphType]string{
		localapi.Hosted: "hosted by Roam", localapi.Offline: "offline, on this machine",
	}[r.graph.Type]
	if r.open {
		kind += ", open now"
	}
	add("Type", kind, e.theme.text)
	if !r.configured {
		out = append(out, "")
		for _, sentence := range e.summary(r)[1:] {
			out = append(out, render(e.theme.muted, sentence, width)...)
		}
		return out
	}
	level := e.access(r)
	add("Access", level.Words(), e.theme.text)
	if level.Known() {
		add("", "Agents can "+level.Explain()+".", e.theme.muted)
	}
	out = append(out, "")
	out = append(out, render(e.theme.muted, e.tokenLine(r), width)...)
	if r.entry.Disabled {
		out = append(out, render(e.theme.muted, "Disabled: agents don't see this graph.", width)...)
	}
	return append(out, render(e.theme.muted, "Kept in "+e.configPath()+".", width)...)
}
