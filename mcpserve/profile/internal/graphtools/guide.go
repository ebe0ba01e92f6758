package graphtools

import (
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// Choosing adds to a text that names several graphs how one is chosen. once says when its
// guidelines are to be read, as the end of a sentence.
func Choosing(text problem.Hint, s surface.Situation, once string) problem.Hint {
	tickets := ""
	if s.Writes {
		tickets = " They also return the ticket that every write to that graph needs."
	}
	return text.Then("Select one with %s, or name one in graph; ask the user where it is not clear which.", task.SelectGraph).
		Or("Name one in graph; ask the user where it is not clear which.").
		Then("%s and %s return the graph's guidelines: read them once per graph, %s.%s", task.SelectGraph, task.ReadGuidelines, once, tickets)
}

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
