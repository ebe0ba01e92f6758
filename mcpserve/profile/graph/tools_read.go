package graph

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// The descriptions of parameters are the seed's own: hosts and prompts may hold
// its schemas. What is true of Roam stands in the descriptions of the tools.

func readTools() []surface.Tool {
	noDepth, oneDepth := surface.Between(0, 1)
	return []surface.Tool{
		{
			Name: "search", Task: problem.Search, Title: "Search", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds nodes by meaning, best first, each with a score from 0 to 1."),
			Params: []surface.Param{
				{Name: "query", Kind: surface.String, Required: true, NonEmpty: true, About: say("Natural language search query")},
				limitParam(50, 10, "Maximum results to return"),
				{Name: "threshold", Kind: surface.Number, Min: noDepth, Max: oneDepth, About: say("Least score")},
				offsetParam(),
			},
			Cuts: cutList(problem.Search),
			Run:  search,
		},
		{
			Name: "get_node", Task: problem.ReadPage, Title: "Get node", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a node: content, tags, links; with depth 1 its neighbors too. An id is the uid of a page or block, a title, or a day such as today. null: there is none."),
			Params: []surface.Param{
				{Name: "id", Kind: surface.String, Named: true, Required: true, About: say("Node ID (file path for DocStore)")},
				{Name: "depth", Kind: surface.Integer, Min: noDepth, Max: oneDepth, Default: 0, About: say("0 = node only, 1 = include neighbors")},
				{Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), About: say("Characters of content to skip")},
			},
			Cuts: cutNode(),
			Run:  getNode,
		},
		{
			Name: "get_neighbors", Task: problem.ListNeighbors, Title: "Get neighbors", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists the nodes that a node links to, then those that link to it, most links first."),
			Params: []surface.Param{
				{Name: "id", Kind: surface.String, Named: true, Required: true, About: say("Source node ID")},
				{Name: "direction", Kind: surface.String, Choices: []string{directionIn, directionOut, directionBoth}, Default: directionBoth, About: say("in = nodes linking here, out = nodes linked to, both = all")},
				limitParam(50, 20, "Maximum neighbors to return"),
				offsetParam(),
			},
			Cuts: cutList(problem.ListNeighbors),
			Run:  getNeighbors,
		},
	}
}

// tagTools choose nodes by their tags.
func tagTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "search_by_tags", Task: problem.FindTagged, Title: "Search by tags", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds nodes by their tags: those of a Tags:: line, and #tags in the text. Case, blanks, - and _ make no difference."),
			Params: []surface.Param{
				{Name: "tags", Kind: surface.Strings, Tags: true, Required: true, Min: surface.AtLeast(1), About: say("Tags to match")},
				{Name: "mode", Kind: surface.String, Choices: []string{modeAny, modeAll}, Default: modeAny, About: say("any = OR matching, all = AND matching")},
				limitParam(100, 20, "Maximum results"),
				offsetParam(),
			},
			Cuts: cutList(problem.FindTagged),
			Run:  searchByTags,
		},
		{
			Name: "random_node", Task: problem.DrawPage, Title: "Random node", Toolset: toolsetCore, Effects: surface.Effects{ReadOnly: true}, Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Draws a node that has content, or null."),
			Params: []surface.Param{
				{Name: "tags", Kind: surface.Strings, Tags: true, About: say("Optional: limit to nodes with these tags (any match)")},
			},
			Cuts: cutNode(),
			Run:  randomNode,
		},
	}
}

// The values of the parameters direction and mode.
const (
	directionIn   = "in"
	directionOut  = "out"
	directionBoth = "both"

	modeAny = "any"
	modeAll = "all"
)

func limitParam(most, otherwise int, about string) surface.Param {
	low, high := surface.Between(1, most)
	return surface.Param{Name: "limit", Kind: surface.Integer, Min: low, Max: high, Default: otherwise, About: say("%s", about)}
}

// offsetParam goes on where a list was cut, or where its limit was reached.
func offsetParam() surface.Param {
	return surface.Param{Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), About: say("Results to skip")}
}
