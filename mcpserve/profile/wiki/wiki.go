// Package wiki is the profile that has the tools of Wiki-AI's MCP server: markdown notes
// at paths, with folders, tags, a search language, backlinks by line and versions, kept
// in a graph of Roam (docs/profiles/wiki.md).
//
// It holds the tools with their schemas, what a note is on a page, and the sentences of
// the answers. How a graph is chosen, how Roam is asked and where versions are kept it
// does not know.
package wiki

import (
	"slices"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// Name is the name of the profile.
const Name = "wiki"

// The toolsets that are the profile's own.
const (
	toolsetCore = "core"
	toolsetMore = "more"
)

// Profile returns the profile.
func Profile() surface.Profile {
	options := surface.Options{SetUp: "setup", ID: "path"}
	return surface.Profile{
		Name:  Name,
		About: "a wiki as Wiki-AI has it: notes at paths, a search language, history",
		Toolsets: slices.Concat(
			[]surface.Toolset{{Name: toolsetCore, About: "the thirteen tools of Wiki-AI", On: true}},
			surface.GraphToolsets(),
			[]surface.Toolset{{Name: toolsetMore, About: "edits of a part of a note"}, surface.HistoryToolset(false)},
		),
		Tools:        slices.Concat(noteTools(), findTools(), versionTools(), surface.GraphTools(options), moreTools(), surface.HistoryTools()),
		Style:        surface.Prose,
		Verbatim:     true,
		Mirrors:      true,
		Fail:         fail,
		Probe:        "list_tags",
		Instructions: orientation().Instructions,
		Guide:        surface.Guide,
		Resources:    surface.Resources(options),
	}
}

// say makes the texts that models read, with tools as tasks.
func say(format string, args ...any) problem.Hint { return problem.Say(format, args...) }

// orientation orients an agent once.
func orientation() surface.Orientation {
	return surface.Orientation{
		One: "A wiki of markdown notes at paths such as projects/apollo", Several: "Wikis of markdown notes at paths such as projects/apollo",
		Work: say("%s and %s find notes, %s reads one, [[path]] links to one.", problem.Browse, problem.Search, problem.ReadPage).
			Then("Search takes words, \"phrases\", title: tag: folder:, AND OR -, parentheses.").
			Then("Changes are kept: %s, %s, %s.", problem.ReadHistory, problem.CompareVersions, problem.RestoreVersion),
		Care: say("Before you delete a note, or replace its content, say so and ask the user.").Needing(problem.DeletePage),
	}
}
