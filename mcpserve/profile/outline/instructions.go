package outline

import (
	"roam-mcp/mcpserve/profile/internal/graphtools"
	"roam-mcp/mcpserve/task"
)

// orientation orients an agent once.
func orientation() graphtools.Orientation {
	return graphtools.Orientation{
		One: "The user's outline of pages and blocks", Several: "The user's outlines of pages and blocks",
		Work: say("A page has a name; a block has a uid, block_uuid, and its text is stored as it is sent.").
			Then("%s tells what can be done, and why not.", task.TellCapabilities).
			Then("%s finds, %s reads a page whole. Search before you create.", task.Search, task.ReadPage),
		Care: say("One fact a block; add rather than rewrite. Before you delete what has references, say so and ask the user.").Needing(task.DeleteBlock),
	}
}
