package roam

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// queryTools run queries: Roam's own and Datalog.
func queryTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "roam_query", Task: problem.RunQuery, Title: "Query", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds blocks by what they and their parents link to, as Roam's query blocks do."),
			Cuts:        cutResults(nextPage(problem.RunQuery, " with")),
			Params: slices.Concat([]surface.Param{
				{Name: "query", Kind: surface.String, About: say("{and: [[A]] {or: [[B]] [[C]]} {not: [[D]]} {between: [[last week]] [[today]]}}")},
				{Name: "uid", Kind: surface.String, UID: true, About: say("Block with a {{query}}, run with its settings")},
				offsetParam(), limitParam(),
			}, resultParams()),
			Run: surface.JSON(roamQuery),
		},
		{
			Name: "datalog_query", Task: problem.RunDatalog, Title: "Datalog", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Runs Datalog, where no other tool answers. Attributes: :node/title, :block/uid string children parents page refs order heading, :create/time :edit/time (ms), :create/user. Any case: [(re-pattern \"(?i)x\") ?r] [(re-find ?r ?s)]. Shows hidden blocks."),
			Cuts:        []surface.Cut{surface.CutList{Field: "result", Rest: nextPage(problem.RunDatalog, " with the same query and")}},
			Params: []surface.Param{
				{Name: "query", Kind: surface.String, Required: true, NonEmpty: true, About: say("[:find ?t (count ?b) :where [?b :block/refs ?p] [?p :node/title ?t]]")},
				{Name: "inputs", Kind: surface.Values, About: say("Array for :in after $: [1650000000000, \"text\"]")},
				{Name: "orderBy", Kind: surface.String, About: say("Columns of :find: \"2 desc, 1\"")},
				offsetParam(), rowLimitParam(),
			},
			Run: surface.JSON(datalogQuery),
		},
	}
}

func roamQuery(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	uid, query := strings.TrimSpace(c.Args().Text("uid")), strings.TrimSpace(c.Args().Text("query"))
	switch {
	case uid != "" && query == "":
		return counted(c)(c.Graph().RoamQueryBlock(ctx, uid, listingOf(c)))
	case query != "" && uid == "":
		return counted(c)(c.Graph().RoamQuery(ctx, query, listingOf(c)))
	}
	return nil, surface.Invalid(c.ToolName(), "give exactly one of query and uid.")
}

// rowLimitParam asks for so many rows of a query.
func rowLimitParam() surface.Param {
	lowest, highest := surface.Between(1, 10_000)
	return surface.Param{Name: "limit", Kind: surface.Integer, Min: lowest, Max: highest, Clamp: true, About: say("Rows; default all")}
}

func datalogQuery(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	query := c.Args().Text("query")
	var order []ops.OrderBy
	if by := unlessBlank(c, "orderBy"); by != "" {
		var err error
		if order, err = ops.ColumnsOf(query).ParseOrder(by); err != nil {
			return nil, surface.Invalid(c.ToolName(), "orderBy is %s; it takes %s.", textsafe.Quote(by), err)
		}
	}
	found, err := c.Graph().Datalog(ctx, ops.Datalog{Query: query, Inputs: c.Args().Values("inputs")})
	if err != nil {
		return nil, err
	}
	reply := rawjson.With("result", found.Result)
	// Roam gives rows in no order, so where only some of them are sent they are
	// sorted: the next page goes on there.
	offset, limit := c.Args().Number("offset", 0), c.Args().Number("limit", len(found.Rows))
	some := offset > 0 || limit < len(found.Rows) || !surface.Fits(found.Result, c.MaxReply()/2)
	if len(found.Rows) > 0 && (some || order != nil) {
		rows := found.Sorted(order)
		first := min(offset, len(rows))
		last := min(first+limit, len(rows))
		reply = rawjson.With("result", rawjson.Array(rows[first:last])).With("total", len(rows))
		if last < len(rows) {
			reply = reply.With("nextOffset", last)
		}
	}
	return reply.JSON(), nil
}
