package graph

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// The values of the parameter metric.
const (
	metricIn       = "in_degree"
	metricOut      = "out_degree"
	metricPageRank = "pagerank"
)

// linkTools are answered from the mirror alone.
func linkTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "find_path", Task: problem.FindPath, Title: "Find path", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds the shortest way from one node to another along links. null: there is none."),
			Params: []surface.Param{
				{Name: "source", Kind: surface.String, Named: true, Required: true, About: say("Start node ID")},
				{Name: "target", Kind: surface.String, Named: true, Required: true, About: say("End node ID")},
				{Name: "undirected", Kind: surface.Boolean, Default: false, About: say("Follow links both ways")},
			},
			Run: findPath,
		},
		{
			Name: "get_hubs", Task: problem.RankNodes, Title: "Get hubs", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Ranks nodes by how many link to them, how many they link to, or PageRank."),
			Params: []surface.Param{
				{Name: "metric", Kind: surface.String, Choices: []string{metricIn, metricOut, metricPageRank}, Default: metricIn, About: say("Centrality metric")},
				limitParam(50, 10, "Maximum results"),
				offsetParam(),
			},
			Cuts: cutList(problem.RankNodes),
			Run:  getHubs,
		},
	}
}
