package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
)

// Parameters that several read tools share.
func maxDepthParam(about string) param {
	return param{name: "maxDepth", kind: kindInteger, min: atLeast(0), about: about}
}

// readTools read pages and blocks.
func readTools() []tool {
	lowLimit, highLimit := between(1, 200)
	return []tool{
		{
			name: "get_page", title: "Get page", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Reads a page with its blocks as Markdown; each block ends in a <roam uid=…/> tag. found is false where there is no such page.",
			params: []param{
				{name: "title", kind: kindString, about: "Exact title. Give title or uid."},
				{name: "uid", kind: kindString, about: "Uid; a daily note's is MM-DD-YYYY."},
				maxDepthParam("Levels of blocks; default all."),
			},
			handle: getPage,
		},
		{
			name: "get_block", title: "Get block", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Reads a block with its children and the path to it. found is false where there is no such block.",
			params: []param{
				{name: "uid", kind: kindString, required: true, nonEmpty: true, about: "The block's uid."},
				maxDepthParam("Levels below the block; default all."),
			},
			handle: getBlock,
		},
		{
			name: "get_backlinks", title: "Get backlinks", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Lists the blocks that link to a page or block. Page on with nextOffset, not by counting.",
			params: []param{
				{name: "title", kind: kindString, about: "Page title. Give title or uid."},
				{name: "uid", kind: kindString, about: "Uid of page or block."},
				{name: "offset", kind: kindInteger, min: atLeast(0), about: "0, or nextOffset of the reply before."},
				{name: "limit", kind: kindInteger, min: lowLimit, max: highLimit, about: "Default 20."},
				{name: "sort", kind: kindString, choices: []string{"created-date", "edited-date", "daily-note-date"}, about: "Default created-date."},
				{name: "sortOrder", kind: kindString, choices: []string{"asc", "desc"}, about: "Default desc."},
				{name: "search", kind: kindString, about: "Only where block, parents, children or page hold this text."},
				{name: "includePath", kind: kindBoolean, about: "Default true."},
				maxDepthParam("Levels below each block; default 1."),
			},
			handle: getBacklinks,
		},
		{
			name: "search", title: "Search", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Finds pages and blocks by words. An empty query lists what was opened and edited last.",
			params: []param{
				{name: "query", kind: kindString, required: true, about: "Words to find; may be empty."},
				{name: "scope", kind: kindString, choices: []string{"all", "pages", "blocks"}, about: "Default all."},
				{name: "offset", kind: kindInteger, min: atLeast(0), about: "Results to skip."},
				{name: "limit", kind: kindInteger, min: lowLimit, max: highLimit, about: "Default 20."},
				{name: "includePath", kind: kindBoolean, about: "Default true."},
				maxDepthParam("Levels below each result; default 0."),
			},
			handle: search,
		},
	}
}

func notFound() json.RawMessage { return json.RawMessage(`{"found":false}`) }

// found passes a page or block on, or says that there is none: Roam answers
// null, nothing, or an object without uid.
func found(result json.RawMessage) json.RawMessage {
	var uid string
	if json.Unmarshal(get(members(result), "uid"), &uid) != nil || uid == "" {
		return notFound()
	}
	return result
}

// listOr passes a list on, or the empty one where Roam answered nothing.
func listOr(result json.RawMessage, empty string) json.RawMessage {
	result = bytes.TrimSpace(result)
	if !isObject(result) {
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
	return nil, invalid(c.tool.name, "give title or uid.")
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
