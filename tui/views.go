package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"roam-mcp/internal/localapi"
)

// view is one of the screens that a digit leads to. Their screens are kept once they were
// opened, with what was selected and filtered there. What one began goes on while another
// is looked at; it follows nothing meanwhile.
type view uint8

const (
	viewGraphs view = iota
	viewClients
	viewActivity
	viewHistory
	viewDoctor
	views // how many there are
)

// viewNames are what the header calls the views.
func viewNames() [views]string {
	return [views]string{"Graphs", "Clients", "Activity", "History", "Doctor"}
}

// viewSet has the screens of the views that were opened.
type viewSet struct {
	env  *env
	kept [views]screen // nil: not opened yet, and always that of the graphs
}

// follower is a screen of a view that follows something, or looks at it: not while another
// view is looked at.
type follower interface {
	pause()
	resume() tea.Cmd
}

// open returns the screen of a view that was not opened yet, or what says that there is
// none.
func (s *viewSet) open(v view) (screen, action) {
	e := s.env
	switch v {
	case viewClients:
		return newClientsScreen(e), nil
	case viewActivity:
		return newActivityScreen(e), nil
	case viewHistory:
		if e.ports.History == nil {
			return nil, inform(e.words.NoHistory())
		}
		return newHistoryScreen(e, localapi.Graph{}), nil
	case viewDoctor:
		if e.ports.Doctor == nil {
			return nil, inform("There is nothing to check here.")
		}
		return newDoctorScreen(e), nil
	case viewGraphs, views:
	}
	return nil, nil
}

// of returns the view that the screens of a stack belong to.
func (s *viewSet) of(stack []screen) view {
	if len(stack) > 1 {
		if v := slices.Index(s.kept[:], stack[1]); v >= 0 {
			return view(v)
		}
	}
	return viewGraphs
}

// hidden returns the screens of the views that are not on a stack.
func (s *viewSet) hidden(stack []screen) []screen {
	var out []screen
	for _, kept := range s.kept {
		if kept != nil && !slices.Contains(stack, kept) {
			out = append(out, kept)
		}
	}
	return out
}

// needsLook reports whether a view shows something that is wrong, as far as that is known.
func (s *viewSet) needsLook(v view) bool {
	e := s.env
	switch v {
	case viewGraphs:
		return e.roster.ConfigErr != nil || len(e.roster.Config.Problems) > 0 || e.roster.Roam.Err != nil ||
			slices.ContainsFunc(e.roster.Config.Entries, e.roster.Revoked)
	case viewClients:
		return e.path.clientNext() || e.path.clients != nil && e.path.clients.unwell
	case viewActivity:
		return e.serving.needsLook()
	case viewHistory:
		history, ok := s.kept[v].(*historyScreen)
		return ok && (history.err != nil || len(history.notices) > 0)
	case viewDoctor:
		examined, ok := s.kept[v].(*doctorScreen)
		return ok && examined.report != nil && !examined.report.Well()
	case views:
	}
	return false
}
