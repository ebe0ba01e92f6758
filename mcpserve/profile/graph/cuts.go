package graph

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// cutList cuts a reply that is an array, which the same tool goes on with.
func cutList(does problem.Task) []surface.Cut {
	return []surface.Cut{surface.CutArray{Rest: surface.NextOffset(does)}}
}

// cutNodes cuts the list in a field of a reply, which the same tool goes on with.
func cutNodes(does problem.Task, field string) []surface.Cut {
	return []surface.Cut{surface.CutMembers{Field: field, Rest: surface.NextOffset(does)}}
}

// cutNode cuts a reply that is one node: its neighbors, which have a tool of their own, and
// then its content.
func cutNode() []surface.Cut {
	return []surface.Cut{
		surface.CutMembers{Field: "neighbors", Rest: fromFirst(problem.ListNeighbors)},
		surface.CutContent{Field: "content"},
	}
}

// fromFirst is surface.NextOffset for a list that begins with its first element, whatever
// the argument offset of the call is about.
func fromFirst(does problem.Task) surface.Rest {
	next := surface.NextOffset(does)
	return func(_ surface.Arguments, kept int) problem.Hint { return next(surface.Arguments{}, kept) }
}
