package roam

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/ops"
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
			Run: surface.JSON(roamQuery),
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
			Run: surface.JSON(datalogQuery),
		},
	}
}

func roamQuery(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	uid, query := strings.TrimSpace(c.Args().Text("uid")), strings.TrimSpace(c.Args().Text("query"))
	switch {
	case uid != "" && query == "":
		return listed(c.Graph().RoamQueryBlock(ctx, uid, listingOf(c)))
	case query != "" && uid == "":
		return listed(c.Graph().RoamQuery(ctx, query, listingOf(c)))
	}
	return nil, surface.Invalid(c.ToolName(), "give exactly one of query and uid.")
}

func datalogQuery(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	found, err := c.Graph().Datalog(ctx, ops.Datalog{
		Query: c.Args().Text("query"), Inputs: c.Args().Values("inputs"), Qualified: c.Args().Text("keys") == "qualified",
	})
	if err != nil {
		return nil, err
	}
	reply := rawjson.With("result", found.Result)
	// Roam gives rows in no order, so where only some of them are sent they are
	// sorted: the next page goes on there.
	if offset := c.Args().Number("offset", 0); len(found.Rows) > 0 && (offset > 0 || len(found.Result) >= c.MaxReply()/2) {
		rows := found.SortedRows()
		reply = rawjson.With("result", rawjson.Array(rows[min(offset, len(rows)):])).With("total", len(rows))
	}
	if found.Unqualified {
		reply = reply.With("keys", "plain").With("note", "This Roam has no qualified keys.")
	}
	return reply.JSON(), nil
}
