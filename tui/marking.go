package tui

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// toggleMark marks the graph of a row, or unmarks it, and selects the next row.
func (s *graphList) toggleMark(r row) action {
	marks := &s.marked
	if r.Connected {
		marks = &s.markedOwn
	}
	if refusal := s.refusesMark(r); refusal != "" && !slices.Contains(*marks, r.Graph.Graph) {
		return inform(refusal)
	}
	marks.Toggle(r.Graph.Graph)
	s.list.Next()
	return nil
}

// refusesMark says why a graph can't be marked, "" where it can.
func (s *graphList) refusesMark(r row) string {
	if r.Connected {
		return ""
	}
	if taken := s.env.words.Refusal(s.env.roster, r.Graph); taken != "" {
		return taken
	}
	for _, other := range s.marked {
		if other.Name == r.Name {
			return "The " + string(other.Type) + " graph of this name is marked, and only one of the two can be connected."
		}
	}
	return ""
}

// hasMarks reports whether a graph is marked.
func (s *graphList) hasMarks() bool { return len(s.marked)+len(s.markedOwn) > 0 }

// markedEntries returns the marked graphs that are configured.
func (s *graphList) markedEntries() (entries []configstore.Entry) {
	for _, g := range s.markedOwn {
		entries = append(entries, s.env.roster.Graph(g).Entry)
	}
	return entries
}

// disablesMarked reports whether the key disables the marked graphs: one of them is enabled.
func (s *graphList) disablesMarked() bool {
	return slices.ContainsFunc(s.markedEntries(), func(e configstore.Entry) bool { return !e.Disabled })
}

// markedKey performs a key on the marked graphs that are configured. done reports whether it
// is one.
func (s *graphList) markedKey(press tea.KeyPressMsg) (a action, cmd tea.Cmd, done bool) {
	k := s.env.keys
	switch {
	case len(s.markedOwn) == 0:
		return nil, nil, false
	case key.Matches(press, k.toggle):
		disables := s.disablesMarked()
		entries := slices.DeleteFunc(s.markedEntries(), func(e configstore.Entry) bool { return e.Disabled == disables })
		return nil, s.env.config.setDisabled(entries, disables), true
	case key.Matches(press, k.remove):
		return open{newRemovalQuestion(s.env, s.markedEntries())}, nil, true
	}
	return nil, nil, false
}

// markedKeys are the keys of the marked graphs that are configured.
func (s *graphList) markedKeys() []key.Binding {
	if len(s.markedOwn) == 0 {
		return nil
	}
	k, marked := s.env.keys, kit.Plural(len(s.markedOwn), "marked graph")
	does := "enable "
	if s.disablesMarked() {
		does = "disable "
	}
	return []key.Binding{kit.Relabel(k.toggle, does+marked), kit.Relabel(k.remove, "remove "+marked), kit.Relabel(k.esc, "unmark all")}
}

// connectMarked connects the marked graphs one after another. The marks stay.
func (s *graphList) connectMarked() (action, tea.Cmd) {
	if s.env.roster.ConfigErr != nil {
		return s.env.refuseBrokenConfig(), nil
	}
	if len(s.marked) == 1 {
		return s.env.openConnectForm(s.env.roster.Graph(s.marked[0]), false)
	}
	return open{newConnectQueue(s.env, slices.Clone(s.marked))}, nil
}

// dropStaleMarks unmarks graphs that are connected by now or that Roam no longer
// lists, and those that are connected no longer.
func (s *graphList) dropStaleMarks() {
	if s.env.roster.ConfigErr == nil {
		s.markedOwn = slices.DeleteFunc(s.markedOwn, func(g localapi.Graph) bool { return !s.env.roster.Graph(g).Connected })
	}
	if s.env.roster.Roam.Err != nil {
		return // they may be listed again
	}
	s.marked = slices.DeleteFunc(s.marked, func(g localapi.Graph) bool {
		_, listed := s.env.roster.Roam.Find(g)
		return s.env.roster.Graph(g).Connected || !listed
	})
}

// marksLike returns the marks of graphs that are configured as that of a row is, or are not.
func (s *graphList) marksLike(r row) []localapi.Graph {
	if r.Connected {
		return s.markedOwn
	}
	return s.marked
}

func markedTitle(marks []localapi.Graph) string { return kit.Plural(len(marks), "graph") + " marked" }

func markedSentence(r row) string {
	if r.Connected {
		return "D disables or enables them, x removes them, esc unmarks."
	}
	return "enter asks Roam for one after another. space marks, and takes a mark off."
}

// markedFacts returns the graphs that are marked as that of a row could be, in the order in
// which they are asked for.
func (s *graphList) markedFacts(r row, width, height int) []string {
	e := s.env
	var lines []string
	for i, g := range s.marksLike(r) {
		name := g.Name
		if r.Connected {
			name = e.roster.Graph(g).Entry.Nickname
		}
		lines = append(lines, e.Theme.Muted.Render(e.Glyphs.Fit(fmt.Sprintf("%d", i+1), 4))+e.Glyphs.Cut(name, width-4))
	}
	below := append([]string{""}, kit.WrapStyled(e.Theme.Muted, markedSentence(r), width)...)
	if most := max(height-len(below), 1); len(lines) > most {
		lines = append(lines[:most-1:most-1], e.Theme.Faint.Render(fmt.Sprintf("%s %d more", e.Glyphs.Down, len(lines)-most+1)))
	}
	return append(lines, below...)
}
