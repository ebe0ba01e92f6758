package roam

import (
	"slices"

	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
)

// queryTools run queries: Roam's own and Datalog.
func queryTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "roam_query", Task: task.RunQuery, Title: "Query", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Runs a Roam query."),
			Cuts:        cutResults("results", nextPage(task.RunQuery, " with")),
			Params: slices.Concat([]surface.Param{
				{Name: "query", Kind: surface.String, About: say("{and: [[A]] [[B]]}")},
				{Name: "uid", Kind: surface.String, About: say("Query block")},
				offsetParam(), surface.NotListed(limitParam()),
			}, resultParams()),
		},
		{
			Name: "datalog_query", Task: task.RunDatalog, Title: "Datalog", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Datalog; hidden blocks included."),
			Cuts:        []surface.Cut{surface.CutList{Field: "result", Rest: nextPage(task.RunDatalog, " with the same query and")}},
			Params: []surface.Param{
				{Name: "query", Kind: surface.String, Required: true, NonEmpty: true, About: say("[:find …]")},
				{Name: "inputs", Kind: surface.Values, About: say("For :in after $")},
				{Name: "keys", Kind: surface.String, Choices: []string{"plain", "qualified"}, Unlisted: true,
					About: say("of pulled maps: plain (default; string, uid: those of one name collide, :as tells them apart) or qualified (:block/string)")},
				offsetParam(),
			},
		},
	}
}
