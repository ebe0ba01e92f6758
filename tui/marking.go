package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

// toggleMark marks the graph of a row, or unmarks it, and selects the next row.
func (s *graphList) toggleMark(r row, at int) action {
	if i := slices.Index(s.marked, r.Graph.Graph); i >= 0 {
		s.marked = slices.Delete(s.marked, i, i+1)
		s.selectRow(at + 1)
		return nil
	}
	if taken := s.env.words.Refusal(s.env.roster, r.Graph); taken != "" {
		return inform(taken)
	}
	for _, other := range s.marked {
		if other.Name == r.Name {
			return inform("The " + string(other.Type) + " graph of this name is marked, and only one of the two can be connected.")
		}
	}
	s.marked = append(s.marked, r.Graph.Graph)
	s.selectRow(at + 1)
	return nil
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
// lists.
func (s *graphList) dropStaleMarks() {
	if s.env.roster.Roam.Err != nil {
		return // they may be listed again
	}
	s.marked = slices.DeleteFunc(s.marked, func(g localapi.Graph) bool {
		_, listed := s.env.roster.Roam.Find(g)
		return s.env.roster.Graph(g).Connected || !listed
	})
}

func (s *graphList) markedTitle() string { return kit.Plural(len(s.marked), "graph") + " marked" }

func (s *graphList) markedSentence() string {
	return "enter asks Roam for one after another. space marks, and takes a mark off."
}

// markedFacts returns the marked graphs in the order in which they are asked for.
func (s *graphList) markedFacts(width, height int) []string {
	e := s.env
	var lines []string
	for i, g := range s.marked {
		lines = append(lines, e.Theme.Muted.Render(e.Glyphs.Fit(fmt.Sprintf("%d", i+1), 4))+e.Glyphs.Cut(g.Name, width-4))
	}
	below := append([]string{""}, kit.WrapStyled(e.Theme.Muted, s.markedSentence(), width)...)
	if most := max(height-len(below), 1); len(lines) > most {
		lines = append(lines[:most-1:most-1], e.Theme.Faint.Render(fmt.Sprintf("%s %d more", e.Glyphs.Down, len(lines)-most+1)))
	}
	return append(lines, below...)
}
