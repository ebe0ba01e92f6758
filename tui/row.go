package tui

import (
	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// row is a graph of the list.
type row struct {
	manage.Graph
	// The case-folded texts to search and sort by.
	foldedNickname, foldedName string
}

// rows returns the graphs of the roster. The caller must not change it.
func (e *env) rows() []row {
	if e.rowCacheRevision == e.roster.Revision() {
		return e.rowCache
	}
	graphs := e.roster.Graphs()
	e.rowCache, e.rowCacheRevision = make([]row, len(graphs)), e.roster.Revision()
	for i, g := range graphs {
		e.rowCache[i] = row{g, configstore.FoldNickname(g.Entry.Nickname), configstore.FoldNickname(g.Name)}
	}
	e.widest = widestOf(e.rowCache)
	return e.rowCache
}

// stateSign returns the sign and the word for the state of a graph.
func (e *env) stateSign(g manage.Graph) kit.Sign {
	glyphs, t := e.Glyphs, e.Theme
	state := e.roster.State(g)
	glyph, style := glyphs.Off, t.Muted
	switch state {
	case manage.StateOpen:
		style = t.Text
	case manage.StateNotConnected, manage.StateNotOpen, manage.StateAPIDisabled, manage.StateRoamAway:
	case manage.StateDisabled:
		glyph = glyphs.None
	case manage.StateNoToken:
		glyph, style = glyphs.Warning, t.Warning
	case manage.StateRevoked:
		glyph, style = glyphs.Failed, t.Danger
	case manage.StateChecking:
		glyph = glyphs.Busy
	case manage.StateConnected:
		glyph, style = glyphs.On, t.Success
	case manage.StateUnchecked:
		glyph, style = glyphs.Warning, t.Warning
	}
	return kit.NewSign(glyph, state.String(), style)
}
