package graph

import (
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
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
		surface.CutMembers{Field: "neighbors", Rest: surface.NextOffset(task.ListNeighbors)},
		surface.CutContent{Field: "content", Rest: say("%s with offset, the number of characters that were read, reads on.", task.ReadPage)},
	}
}
