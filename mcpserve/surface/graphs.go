package surface

import (
	"cmp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
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
func GraphTools(o Options) []Tool {
	return []Tool{
		{
			Name: "list_graphs", Task: problem.ListGraphs, Title: "List graphs", Toolset: GraphToolset, Effects: Reads(), Choosing: true,
			Description: say("Lists the Roam graphs that can be used, with nickname, name and access level."),
			Cuts: []Cut{CutList{Field: "graphs",
				Rest: Always(say("The others can be used as well; the user sees their nicknames with: %s", problem.Run("graphs")))}},
		},
		{
			Name: "select_graph", Task: problem.SelectGraph, Title: "Select graph", Toolset: GraphToolset, Effects: Reads(), Scope: ScopeRead, Choosing: true,
			Description: say("Selects the graph for the calls that follow, and returns its guidelines and the ticket that writes need. Read the guidelines before anything else in the graph."),
			Params: []Param{
				{Name: "graph", Kind: String, Required: true, NonEmpty: true, About: say("Nickname or name of the graph.")},
			},
			Cuts: o.cutGuidelines(),
		},
		{
			Name: "current_graph", Task: problem.CurrentGraph, Title: "Current graph", Toolset: GraphToolset, Effects: Reads(), Choosing: true, OnGraph: true,
			Description: say("Tells which graph is selected, and what may be done there."),
		},
		{
			Name: "get_graph_guidelines", Task: problem.ReadGuidelines, Title: "Guidelines", Toolset: GraphToolset, Effects: Reads(), Scope: ScopeRead, OnGraph: true,
			Description: say("The user's rules for this graph, Roam's syntax, today's page. Call once, first."),
			Cuts:        o.cutGuidelines(),
		},
		{
			Name: "setup_new_graph", Task: problem.SetUpGraph, Title: "Set up graph", Toolset: cmp.Or(o.SetUp, GraphToolset), Effects: Appends(), Scope: ScopeSetup,
			Description: say("Asks the user to connect a graph or to renew its token. Without graph: lists them."),
			Params: []Param{
				{Name: "graph", Kind: String, About: say("Name in Roam")},
				{Name: "nickname", Kind: String, About: say("Ask the user")},
				{Name: "accessLevel", Kind: String, Choices: accessLevels(), About: say("The user decides")},
			},
			Cuts: []Cut{CutLongestList{Fields: []string{"available_graphs", "already_configured"},
				Rest: say("The graphs that are left out can be named as well: ask the user for the name.")}},
		},
	}
}

// GraphToolsets returns the toolsets of profiles whose tool that connects graphs has one
// of its own, with SetUp "setup".
func GraphToolsets() []Toolset {
	return []Toolset{
		{Name: GraphToolset, About: "choose a graph, read its guidelines", On: true},
		{Name: "setup", About: "connect graphs"},
	}
}

// cutGuidelines cuts the user's rules, which stand on a page that can be read.
func (o Options) cutGuidelines() []Cut {
	return []Cut{
		CutText{Field: "guidelines", Rest: say("%s with %s %q reads them block by block.", problem.ReadPage, cmp.Or(o.ID, "title"), GuidelinesTitle)},
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
