package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"

	"roam-mcp/internal/rawjson"
)

func notFound() json.RawMessage { return json.RawMessage(`{"found":false}`) }

// found passes a page or block on, or says that there is none: Roam answers
// null, nothing, or an object without uid.
func found(result json.RawMessage) json.RawMessage {
	var uid string
	if json.Unmarshal(rawjson.Parse(result).Get("uid"), &uid) != nil || uid == "" {
		return notFound()
	}
	return result
}

// listOr passes a list on, or the empty one where Roam answered nothing.
func listOr(result json.RawMessage, empty string) json.RawMessage {
	result = bytes.TrimSpace(result)
	if !rawjson.IsObject(result) {
		return json.RawMessage(empty)
	}
	return result
}

// pageOrBlock are the arguments that name what to read: the uid where both are
// given.
func (c *call) pageOrBlock() (map[string]any, error) {
	uid, title := c.args.text("uid"), c.args.text("title")
	switch {
	case uid != "":
		return map[string]any{"uid": uid}, nil
	case title != "":
		return map[string]any{"title": title}, nil
	}
	return nil, invalid(c.tool.Name, "give title or uid.")
}

func getPage(ctx context.Context, c *call) (json.RawMessage, error) {
	args, err := c.pageOrBlock()
	if err != nil {
		return nil, err
	}
	result, err := c.roam(ctx, "data.ai.getPage", c.args.pick(args, "maxDepth", "maxDepth"))
	if err != nil {
		return nil, err
	}
	return found(result), nil
}

func getBlock(ctx context.Context, c *call) (json.RawMessage, error) {
	result, err := c.roam(ctx, "data.ai.getBlock", c.args.pick(map[string]any{}, "uid", "uid", "maxDepth", "maxDepth"))
	if err != nil {
		return nil, err
	}
	return found(result), nil
}

func getBacklinks(ctx context.Context, c *call) (json.RawMessage, error) {
	args, err := c.pageOrBlock()
	if err != nil {
		return nil, err
	}
	c.args.pick(args, "offset", "offset", "limit", "limit", "sort", "sort", "sortOrder", "sortOrder",
		"search", "search", "includePath", "includePath", "maxDepth", "maxDepth")
	result, err := c.roam(ctx, "data.ai.getBacklinks", args)
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"total":0,"results":[]}`), nil
}

func search(ctx context.Context, c *call) (json.RawMessage, error) {
	scope := c.args.text("scope")
	if scope == "" {
		scope = "all"
	}
	args := map[string]any{
		"query":       c.args.text("query"),
		"scope":       scope,
		"offset":      c.args.number("offset", 0),
		"limit":       c.args.number("limit", 20),
		"includePath": c.args.flag("includePath", true),
	}
	result, err := c.roam(ctx, "data.ai.search", c.args.pick(args, "maxDepth", "maxDepth"))
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"total":0,"results":[]}`), nil
}

func getComments(ctx context.Context, c *call) (json.RawMessage, error) {
	args := c.args.pick(map[string]any{}, "blockUid", "uid", "maxDepth", "maxDepth")
	result, err := c.roam(ctx, "data.ai.getComments", args)
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"total":0,"comments":[]}`), nil
}

func searchTemplates(ctx context.Context, c *call) (json.RawMessage, error) {
	result, err := c.roam(ctx, "data.ai.searchTemplates", c.args.pick(map[string]any{}, "query", "query"))
	if err != nil {
		return nil, err
	}
	if list := bytes.TrimSpace(result); len(list) > 0 && list[0] == '[' { // builds of early 2026
		return rawjson.With("results", list).JSON(), nil
	}
	return listOr(result, `{"results":[]}`), nil
}
