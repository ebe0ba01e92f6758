// Package roam is the profile that has all that Roam can do, in Roam's own words:
// pages, blocks, references, daily notes. It is served where no other is named.
//
// It holds the tools with their schemas and descriptions, how their arguments
// become operations and how the results are said, and the prompts, instructions
// and resources. How a graph is chosen and how Roam is asked it does not know.
package roam

import (
	"slices"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// Name is the name of the profile.
const Name = "roam"

// Profile returns the profile.
func Profile() surface.Profile {
	finding := slices.Concat(readTools(), writeTools())
	for i := range finding {
		switch finding[i].Task {
		case problem.Search, problem.FindTemplates, problem.RunDatalog: // what finds is not to be found first
		default:
			finding[i].Explain = findFirst
		}
	}
	return surface.Profile{
		Name:  Name,
		About: "all that Roam can do, in Roam's words",
		Toolsets: []surface.Toolset{
			{Name: "graphs", About: "choose a graph, read its guidelines", On: true},
			{Name: "read", About: "pages, blocks, backlinks, search", On: true},
			{Name: "write", About: "create, update, move, delete", On: true},
			surface.HistoryToolset(true),
			{Name: "desktop", About: "what is open in Roam, and opening more", On: true},
			{Name: "files", About: "files in a graph"},
			{Name: "discover", About: "search by meaning, link suggestions"},
			{Name: "developer", About: "Roam extensions under development"},
		},
		Tools:        slices.Concat(surface.GraphTools(surface.Options{}), finding, surface.HistoryTools(), desktopTools(), fileTools(), discoverTools(), developerTools()),
		Style:        surface.Labelled,
		ShowsTexts:   true,
		Instructions: instructions,
		Guide:        guide,
		Prompts:      prompts(),
		Resources:    surface.Resources(surface.Options{}),
	}
}

// say makes the texts that models read, with tools as tasks.
func say(format string, args ...any) problem.Hint { return problem.Say(format, args...) }

// findFirst says of what is not there, of tools that work on pages and blocks
// that they are told of, how to find it.
func findFirst(e *problem.Error) *problem.Error {
	if e.Code != localapi.CodeNotFound || e.Status() < 500 {
		return e
	}
	told := *e
	told.Hint = say("Do not send it again as it is: find what is meant with %s.", problem.Search)
	told.Next = problem.Search
	return &told
}

// unlessBlank returns a text, empty where it holds nothing but space.
func unlessBlank(c surface.Call, name string) string {
	if text := c.Args().Text(name); strings.TrimSpace(text) != "" {
		return text
	}
	return ""
}

// orderOf returns a place among siblings: the last one where the caller sent none.
func orderOf(args surface.Arguments) ops.Order {
	return ops.Order{First: args["order"] == "first", Index: surface.Optional[int](args, "order")}
}
