// Package notes is the profile that has the tools of Memento's MCP server: notes
// with labels, colours, pins, checklists and an archive, kept in a graph of Roam
// (docs/profiles/notes.md).
//
// It holds the tools with their schemas, what a note is on pages and blocks, and
// how errors are said. How a graph is chosen and how Roam is asked it does not know.
package notes

import (
	"slices"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// Name is the name of the profile.
const Name = "notes"

// Profile returns the profile.
func Profile() surface.Profile {
	options := surface.Options{SetUp: "setup", ID: "id"}
	return surface.Profile{
		Name:         Name,
		About:        "notes as Memento has them: labels, pins, checklists, an archive",
		Toolsets:     append([]surface.Toolset{{Name: "core", About: "the nine tools of Memento", On: true}}, append(surface.GraphToolsets(), surface.HistoryToolset(false))...),
		Tools:        slices.Concat(noteTools(), surface.GraphTools(options), surface.HistoryTools()),
		Style:        surface.Bare,
		Verbatim:     true,
		Mirrors:      true,
		Fail:         fail,
		Probe:        "get_labels",
		Instructions: orientation().Instructions,
		Guide:        surface.Guide,
		Resources:    surface.Resources(options),
	}
}

// orientation orients an agent once.
func orientation() surface.Orientation {
	return surface.Orientation{
		One: "The user's notes", Several: "The user's notes",
		Work: say("A note is a page, or a quick note without a title in a daily note; labels are tags.").
			Then("%s lists, %s finds, %s reads one.", problem.ListNotes, problem.Search, problem.ReadPage),
		Care: say("Before you delete a note, or replace its content, say so and ask the user.").Needing(problem.DeletePage),
	}
}
