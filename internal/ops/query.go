package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"roam-mcp/internal/rawjson"
)

// RoamQuery runs a query of Roam's own language: total and results, nil where
// Roam sends nothing.
func (g Reads) RoamQuery(ctx context.Context, query string, listing Listing) (rawjson.Object, error) {
	found, err := g.askObject(ctx, "data.ai.roamQuery", listing.into(request{"query": query}))
	return found, invalidQuery(err, "", adviceOnQuery)
}

// RoamQueryBlock runs the query of a query block, which has settings of its own
// for sorting and paths.
func (g Reads) RoamQueryBlock(ctx context.Context, uid string, listing Listing) (rawjson.Object, error) {
	listing.Sort, listing.SortOrder, listing.IncludePath = "", "", nil
	return g.askObject(ctx, "data.ai.roamQuery", listing.into(request{"uid": uid}))
}

// plainQuery is the action that answers a Datalog query (LOCAL_API.md 2.2).
const plainQuery = "q"

// Datalog is a Datalog query.
type Datalog struct {
	Query  string
	Inputs []json.RawMessage // for what :in has after $
}

// Found is the answer to a Datalog query.
type Found struct {
	Result json.RawMessage // null where Roam sends nothing
	// Rows are the elements of a result that is a list of rows; nil for one row or
	// one value. Roam gives them in no order.
	Rows    []json.RawMessage
	Columns Columns
}

// Datalog runs a Datalog query. Hidden blocks are among what it finds.
func (g Reads) Datalog(ctx context.Context, query Datalog) (Found, error) {
	args := []any{query.Query}
	for _, input := range query.Inputs {
		args = append(args, input)
	}
	result, err := g.ask(ctx, plainQuery, args...)
	if err != nil {
		return Found{}, invalidQuery(err, query.Query, adviceOnDatalog)
	}
	found := Found{Result: rawjson.Encode(json.RawMessage(bytes.TrimSpace(result))), Columns: ColumnsOf(query.Query)}
	if !findsTuple(query.Query) {
		found.Rows = rawjson.Elements(found.Result)
	}
	return found, nil
}

// findsTuple reports whether a query finds one row alone, as [?a ?b] does: its
// values are no rows.
func findsTuple(query string) bool {
	query = strings.TrimSpace(query)
	_, spec, _ := strings.Cut(query, ":find")
	spec = strings.TrimSpace(spec)
	if strings.HasPrefix(query, "{") { // in a map, what is found stands in brackets of its own
		spec = strings.TrimSpace(strings.TrimPrefix(spec, "["))
	}
	if !strings.HasPrefix(spec, "[") {
		return false
	}
	depth := 0
	for i, r := range spec {
		switch r {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			if depth--; depth == 0 {
				return !strings.HasSuffix(strings.TrimSpace(spec[:i]), "...")
			}
		}
	}
	return false
}
