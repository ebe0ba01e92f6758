// Package graph is the profile that shows a Roam graph as a knowledge graph of
// linked notes, with the tools, shapes and errors of Roux: prompts and agents
// that were written for it go on working (docs/profiles/graph.md).
//
// A node is a page, and its id the page's uid. What is shown of a node is read
// live; what is counted or ranked is the mirror's. How a graph is chosen and how
// Roam is asked it does not know.
package graph

import (
	"slices"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// Name is the name of the profile.
const Name = "graph"

// The toolsets that are the profile's own.
const (
	toolsetCore = "core"
	toolsetMore = "more"
)

// Profile returns the profile.
func Profile() surface.Profile {
	shared := surface.Options{SetUp: "setup", ID: "id"}
	return surface.Profile{
		Name:  Name,
		About: "linked notes with paths, hubs and tags, as Roux has them",
		Toolsets: slices.Concat(
			[]surface.Toolset{{Name: toolsetCore, About: "find, read, connect and write notes", On: true}},
			surface.GraphToolsets(),
			[]surface.Toolset{{Name: toolsetMore, About: "lists of notes, names to ids, orphans, clusters"}, surface.HistoryToolset(false)},
		),
		Tools:        slices.Concat(readTools(), linkTools(), tagTools(), writeTools(), surface.GraphTools(shared), moreTools(), surface.HistoryTools()),
		Style:        surface.Bare,
		Verbatim:     true,
		Mirrors:      true,
		Fail:         fail,
		Instructions: orientation().Instructions,
		Guide:        surface.Guide,
		Resources:    surface.Resources(shared),
	}
}

// say makes the texts that models read, with tools as tasks.
func say(format string, args ...any) problem.Hint { return problem.Say(format, args...) }
