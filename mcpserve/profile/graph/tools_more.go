package graph

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// The values of the parameter strategy.
const (
	strategyExact    = "exact"
	strategyFuzzy    = "fuzzy"
	strategySemantic = "semantic"
)

// defaultThreshold is the least score of what is taken for a name.
const defaultThreshold = 0.7

// moreTools are those of later versions of Roux, and two that need no more than
// the link graph.
func moreTools() []surface.Tool {
	one, hundred := surface.Between(1, 100)
	zeroth, first := surface.Between(0, 1)
	tag := surface.Param{Name: "tag", Kind: surface.String, About: say("Only nodes with this tag")}
	path := surface.Param{Name: "path", Kind: surface.String, About: say("Only titles that begin with this path, as projects or projects/")}
	return []surface.Tool{
		{
			Name: "list_nodes", Task: problem.ListPages, Title: "List nodes", Toolset: toolsetMore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists ids and titles of the nodes that have content, by title."),
			Params:      []surface.Param{tag, path, limitParam(1000, 100, "Maximum results"), offsetParam()},
			Cuts:        cutNodes(problem.ListPages, "nodes"),
			Run:         surface.JSON(listNodes),
		},
		{
			Name: "resolve_nodes", Task: problem.ResolveNames, Title: "Resolve nodes", Toolset: toolsetMore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds the node that each name means: the same title or id (exact), a title spelled alike (fuzzy), or by meaning (semantic). match is an id, or null."),
			Params: []surface.Param{
				{Name: "names", Kind: surface.Strings, Named: true, Required: true, Min: one, Max: hundred, About: say("Names to resolve")},
				{Name: "strategy", Kind: surface.String, Choices: []string{strategyExact, strategyFuzzy, strategySemantic}, Default: strategyFuzzy},
				{Name: "threshold", Kind: surface.Number, Min: zeroth, Max: first, Default: defaultThreshold, About: say("Least score of a match")},
				tag, path,
			},
			Cuts: cutList(problem.ResolveNames),
			Run:  surface.JSON(resolveNodes),
		},
		{
			Name: "nodes_exist", Task: problem.CheckPages, Title: "Nodes exist", Toolset: toolsetMore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Tells for each id whether there is such a page."),
			Params:      []surface.Param{{Name: "ids", Kind: surface.Strings, Named: true, Required: true, Min: one, Max: hundred, About: say("Node IDs")}},
			Run:         surface.JSON(nodesExist),
		},
		{
			Name: "get_orphans", Task: problem.FindOrphans, Title: "Get orphans", Toolset: toolsetMore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists the nodes without any link, in or out."),
			Params:      []surface.Param{limitParam(1000, 100, "Maximum results"), offsetParam()},
			Cuts:        cutNodes(problem.FindOrphans, "nodes"),
			Run:         surface.JSON(getOrphans),
		},
		{
			Name: "get_clusters", Task: problem.FindClusters, Title: "Get clusters", Toolset: toolsetMore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists the groups of nodes that links connect, greatest first, each with its size and its 20 most linked nodes."),
			Params:      []surface.Param{limitParam(50, 10, "Maximum results"), offsetParam()},
			Cuts:        cutNodes(problem.FindClusters, "clusters"),
			Run:         surface.JSON(getClusters),
		},
	}
}
