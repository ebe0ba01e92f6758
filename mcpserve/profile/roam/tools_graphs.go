package roam

import (
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// graphTools choose a graph and read its guidelines. The server runs them.
func graphTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "list_graphs", Task: task.ListGraphs, Title: "List graphs", Toolset: "graphs", Effects: surface.Reads(), Choosing: true,
			Description: say("Lists the Roam graphs that can be used, with nickname, name and access level."),
			Cuts: []surface.Cut{surface.CutList{Field: "graphs",
				Rest: surface.Always(say("The others can be used as well; the user sees their nicknames with: %s", problem.Run("graphs")))}},
		},
		{
			Name: "select_graph", Task: task.SelectGraph, Title: "Select graph", Toolset: "graphs", Effects: surface.Reads(), Scope: surface.ScopeRead, Choosing: true,
			Description: say("Selects the graph for the calls that follow, and returns its guidelines and the ticket that writes need. Read the guidelines before anything else in the graph."),
			Params: []surface.Param{
				{Name: "graph", Kind: surface.String, Required: true, NonEmpty: true, About: say("Nickname or name of the graph.")},
			},
			Cuts: cutGuidelines(),
		},
		{
			Name: "current_graph", Task: task.CurrentGraph, Title: "Current graph", Toolset: "graphs", Effects: surface.Reads(), Choosing: true, OnGraph: true,
			Description: say("Tells which graph is selected, and what may be done there."),
		},
		{
			Name: "get_graph_guidelines", Task: task.ReadGuidelines, Title: "Guidelines", Toolset: "graphs", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("The user's rules for this graph, Roam's syntax, today's page. Call once, first."),
			Cuts:        cutGuidelines(),
		},
		{
			Name: "setup_new_graph", Task: task.SetUpGraph, Title: "Set up graph", Toolset: "graphs", Effects: surface.Appends(), Scope: surface.ScopeSetup,
			Description: say("Asks the user to connect a graph or to renew its token. Without graph: lists them."),
			Params: []surface.Param{
				{Name: "graph", Kind: surface.String, About: say("Name in Roam")},
				{Name: "nickname", Kind: surface.String, About: say("Ask the user")},
				{Name: "accessLevel", Kind: surface.String, Choices: accessLevels(), About: say("The user decides")},
			},
			Cuts: []surface.Cut{surface.CutLongestList{Fields: []string{"available_graphs", "already_configured"},
				Rest: say("The graphs that are left out can be named as well: ask the user for the name.")}},
		},
	}
}

// accessLevels are what a token can be asked for.
func accessLevels() []string {
	var levels []string
	for _, level := range localapi.RequestableLevels() {
		levels = append(levels, string(level))
	}
	return levels
}
