package outline

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// orientation orients an agent once.
func orientation() surface.Orientation {
	return surface.Orientation{
		One: "The user's outline of pages and blocks", Several: "The user's outlines of pages and blocks",
		Work: say("A page has a name; a block has a uid, block_uuid, and its text is stored as it is sent.").
			Then("%s tells what can be done, and why not.", problem.TellCapabilities).
			Then("%s finds, %s reads a page whole. Search before you create.", problem.Search, problem.ReadPage),
		Care: say("One fact a block; add rather than rewrite. Before you delete what has references, say so and ask the user.").Needing(problem.DeleteBlock),
	}
}

// guide says what the reply with guidelines says besides them.
func guide(g surface.Guidelines) []surface.GuideEntry {
	return surface.GuideOf(g, say("Text is stored as it is, in Roam's markup. [[Page]], #tag and #[[two words]] link to a page, and make it where it is missing. "+
		"A task begins with {{[[TODO]]}} or {{[[DONE]]}}; [ ] and [x] stay as they are. Keep ((uid)) where it stands."))
}
