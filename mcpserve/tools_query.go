package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/rawjson"
)

func roamQuery(ctx context.Context, c *call) (json.RawMessage, error) {
	uid, query := strings.TrimSpace(c.args.text("uid")), strings.TrimSpace(c.args.text("query"))
	args := c.args.pick(map[string]any{}, "offset", "offset", "limit", "limit", "maxDepth", "maxDepth")
	switch {
	case uid != "" && query == "":
		args["uid"] = uid // a query block has its own settings for the rest
	case query != "" && uid == "":
		args["query"] = query
		c.args.pick(args, "sort", "sort", "sortOrder", "sortOrder", "includePath", "includePath")
	default:
		return nil, invalid(c.tool.Name, "give exactly one of query and uid.")
	}
	result, err := c.roam(ctx, "data.ai.roamQuery", args)
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"total":0,"results":[]}`), nil
}

// The actions that answer a query, by the keys of what it pulls
// (LOCAL_API.md 2.2).
const (
	plainQuery     = "q"
	qualifiedQuery = "data.fast.q"
)

func datalogQuery(ctx context.Context, c *call) (json.RawMessage, error) {
	args := []any{c.args.text("query")}
	for _, input := range c.args.values("inputs") {
		args = append(args, input)
	}
	action := plainQuery
	if c.args.text("keys") == "qualified" {
		action = qualifiedQuery
	}
	result, err := c.roam(ctx, action, args...)
	var more rawjson.Object
	if action == qualifiedQuery && err != nil && unanswerable(err) {
		result, err = c.roam(ctx, plainQuery, args...)
		more = rawjson.With("keys", "plain").With("note", "This Roam has no qualified keys.")
	}
	if err != nil {
		return nil, err
	}
	if result = bytes.TrimSpace(result); len(result) == 0 {
		result = json.RawMessage("null")
	}
	rows := rawjson.Elements(result)
	if len(rows) == 0 || findsTuple(c.args.text("query")) {
		return rawjson.With("result", result).Append(more).JSON(), nil
	}
	return c.pageOfRows(result, rows).Append(more).JSON(), nil
}

// pageOfRows is a result of many rows. Roam gives them in no order, so where only some
// of them are sent they are sorted as text: the next page goes on there.
func (c *call) pageOfRows(result json.RawMessage, rows []json.RawMessage) rawjson.Object {
	offset := c.args.number("offset", 0)
	if offset == 0 && len(result) < c.server.maxReply/2 {
		return rawjson.With("result", result)
	}
	slices.SortFunc(rows, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	return rawjson.With("result", rawjson.Array(rows[min(offset, len(rows)):])).With("total", len(rows))
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
