// Package commontools holds what every profile has alike: the tools that choose a graph,
// read its guidelines and connect graphs, those for an agent's own changes, and the
// resources of each graph.
//
// It promises the same names, texts and schemas in all profiles. The server runs the
// tools.
package commontools

import (
	"cmp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// GraphToolset is the name of the toolset of the tools that choose graphs and read
// guidelines.
const GraphToolset = "graphs"

// GuidelinesTitle is the page that the guidelines of a graph stand on.
const GuidelinesTitle = "roam/agent guidelines"

// Options are what differs between profiles. The zero value is for those of one toolset
// whose tool that reads pages takes title and uid.
type Options struct {
	SetUp string // toolset of the tool that connects graphs; empty: GraphToolset
	// ID is the parameter of the tool that reads pages which takes titles and uids alike;
	// empty: it has title and uid.
	ID string
}

// GraphTools returns the tools that choose, read the guidelines of, and connect graphs.
func GraphTools(o Options) []surface.Tool {
	return []surface.Tool{
		{
			Name: "list_graphs", Task: problem.ListGraphs, Title: "List graphs", Toolset: GraphToolset, Effects: surface.Reads(), Choosing: true,
			Description: say("Lists the Roam graphs that can be used, with nickname, name and access level."),
			Cuts: []surface.Cut{surface.CutList{Field: "graphs",
				Rest: surface.Always(say("The others can be used as well; the user sees their nicknames with: %s", problem.Run("graphs")))}},
		},
		{
			Name: "select_graph", Task: problem.SelectGraph, Title: "Select graph", Toolset: GraphToolset, Effects: surface.Reads(), Scope: surface.ScopeRead, Choosing: true,
			Description: say("Selects the graph for the calls that follow, and returns its guidelines and the ticket that writes need. Read the guidelines before anything else in the graph."),
			Params: []surface.Param{
				{Name: "graph", Kind: surface.String, Required: true, NonEmpty: true, About: say("Nickname or name of the graph.")},
			},
			Cuts: o.cutGuidelines(),
		},
		{
			Name: "current_graph", Task: problem.CurrentGraph, Title: "Current graph", Toolset: GraphToolset, Effects: surface.Reads(), Choosing: true, OnGraph: true,
			Description: say("Tells which graph is selected, and what may be done there."),
		},
		{
			Name: "get_graph_guidelines", Task: problem.ReadGuidelines, Title: "Guidelines", Toolset: GraphToolset, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("The user's rules for this graph, Roam's syntax, today's page. Call once, first."),
			Cuts:        o.cutGuidelines(),
		},
		{
			Name: "setup_new_graph", Task: problem.SetUpGraph, Title: "Set up graph", Toolset: cmp.Or(o.SetUp, GraphToolset), Effects: surface.Appends(), Scope: surface.ScopeSetup,
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

// GraphToolsets returns the toolsets of profiles whose tool that connects graphs has one
// of its own, with SetUp "setup".
func GraphToolsets() []surface.Toolset {
	return []surface.Toolset{
		{Name: GraphToolset, About: "choose a graph, read its guidelines", On: true},
		{Name: "setup", About: "connect graphs"},
	}
}

// cutGuidelines cuts the user's rules, which stand on a page that can be read.
func (o Options) cutGuidelines() []surface.Cut {
	return []surface.Cut{
		surface.CutText{Field: "guidelines", Rest: say("%s with %s %q reads them block by block.", problem.ReadPage, cmp.Or(o.ID, "title"), GuidelinesTitle)},
	}
}

// say makes the texts that models read, with tools as tasks.
func say(format string, args ...any) problem.Hint { return problem.Say(format, args...) }

// accessLevels are what a token can be asked for.
func accessLevels() []string {
	var levels []string
	for _, level := range localapi.RequestableLevels() {
		levels = append(levels, string(level))
	}
	return levels
}
