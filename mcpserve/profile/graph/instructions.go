package graph

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// orientation orients an agent once.
func orientation() surface.Orientation {
	return surface.Orientation{
		One: "A knowledge graph of linked notes", Several: "Knowledge graphs of linked notes",
		Work: say("Nodes are pages; ids are uids, and a page's title works as an id too.").
			Then("Start with %s, %s or %s; follow links with %s and %s; read with %s.", problem.Search, problem.FindTagged, problem.RankNodes, problem.ListNeighbors, problem.FindPath, problem.ReadPage).
			Then("Missing nodes are null, not errors."),
		Care: say("Before you delete a node, say which and ask the user.").Needing(problem.DeletePage),
	}
}
