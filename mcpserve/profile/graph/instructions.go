package graph

import (
	"roam-mcp/mcpserve/profile/internal/graphtools"
	"roam-mcp/mcpserve/task"
)

// orientation orients an agent once.
func orientation() graphtools.Orientation {
	return graphtools.Orientation{
		One: "A knowledge graph of linked notes", Several: "Knowledge graphs of linked notes",
		Work: say("Nodes are pages; ids are uids, and a page's title works as an id too.").
			Then("Start with %s, %s or %s; follow links with %s and %s; read with %s.", task.Search, task.FindTagged, task.RankNodes, task.ListNeighbors, task.FindPath, task.ReadPage).
			Then("Missing nodes are null, not errors."),
		Care: say("Before you delete a node, say which and ask the user.").Needing(task.DeletePage),
	}
}
