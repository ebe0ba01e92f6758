// Package outline is the profile that has the tools of the Logseq skill: pages,
// blocks, properties and queries, with capabilities that can be asked for
// (docs/profiles/outline.md).
//
// It holds the tools with their schemas, how pages and blocks are shown, and how
// errors are said. How a graph is chosen and how Roam is asked it does not know.
package outline

import (
	"slices"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// Name is the name of the profile.
const Name = "outline"

// toolsetCore has the tools of the Logseq skill.
const toolsetCore = "core"

// Profile returns the profile.
func Profile() surface.Profile {
	shared := surface.Options{SetUp: "setup", ID: paramPage}
	return surface.Profile{
		Name:         Name,
		About:        "pages, blocks and queries, as the Logseq skill has them",
		Toolsets:     append([]surface.Toolset{{Name: toolsetCore, About: "the fourteen tools of the Logseq skill", On: true}}, append(surface.GraphToolsets(), surface.HistoryToolset(false))...),
		Tools:        slices.Concat(pageTools(), blockTools(), queryTools(), systemTools(), surface.GraphTools(shared), surface.HistoryTools()),
		ShowsTexts:   true,
		Style:        surface.Bare,
		Verbatim:     true,
		Mirrors:      true,
		Fail:         fail,
		Explain:      explain,
		Probe:        "list_pages",
		Instructions: orientation().Instructions,
		Guide:        guide,
		Resources:    surface.Resources(shared),
	}
}

// say makes the texts that models read, with tools as tasks.
func say(format string, args ...any) problem.Hint { return problem.Say(format, args...) }
