package graphtools

import "roam-mcp/mcpserve/surface"

// Guide is what the reply with guidelines says besides them, in profiles whose notes have
// content in markdown.
func Guide(g surface.Guidelines) []surface.GuideEntry {
	steps := say("You have the guidelines now; do not call this again for this graph.")
	if g.Unselected {
		steps = steps.Then("This connection keeps no selection: send the ticket below with every call to this graph.")
	}
	return []surface.GuideEntry{
		{Name: "nextSteps", Value: steps},
		{Name: "content", Value: say("Content is markdown. [[Page]], #tag and #[[two words]] link to a page, and make it where it is missing. " +
			"[ ] and [x] at the start of a block are a task. Keep ((uid)) where it stands; what follows it in <ref> is its text.")},
	}
}
