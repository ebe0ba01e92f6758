package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/internal/rawjson"
)

// Parameters that several read tools share.
func maxDepthParam(about string) param {
	return param{name: "maxDepth", kind: kindInteger, min: atLeast(0), about: about}
}

// pagingParams ask for results page by page.
func pagingParams() []param {
	return []param{offsetParam(), limitParam()}
}

func offsetParam() param {
	return param{name: "offset", kind: kindInteger, min: atLeast(0), about: "Skip"}
}

func limitParam() param {
	lowest, highest := between(1, 200)
	return param{name: "limit", kind: kindInteger, min: lowest, max: highest, about: "1 to 200"}
}

// resultParams say how results are sorted and shown.
func resultParams() []param {
	return []param{
		{name: "sort", kind: kindString, choices: []string{"created-date", "edited-date", "daily-note-date"}, about: "created-date (default), edited-date, daily-note-date", unlisted: true},
		{name: "sortOrder", kind: kindString, choices: []string{"asc", "desc"}, about: "asc, desc (default)", unlisted: true},
		includePathParam(),
		unlisted(maxDepthParam("levels below each result, default 1")),
	}
}

func includePathParam() param {
	return param{name: "includePath", kind: kindBoolean, about: "default true", unlisted: true}
}

// readTools read pages and blocks, and find them.
func readTools() []tool {
	return slices.Concat(pageTools(), findTools(), queryTools())
}

func pageTools() []tool {
	titleOrUID := func(uid string) []param {
		return []param{
			{name: "title", kind: kindString, title: true, about: "Page title"},
			{name: "uid", kind: kindString, about: uid},
		}
	}
	return []tool{
		{
			name: "get_page", title: "Page", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Reads a page; blocks end in a <roam uid/> tag.",
			params:      append(titleOrUID("Or MM-DD-YYYY"), maxDepthParam("Levels")),
			handle:      getPage,
		},
		{
			name: "get_block", title: "Block", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Reads a block, children and path.",
			params:      []param{uidParam("Block"), maxDepthParam("Levels")},
			handle:      getBlock,
		},
		{
			name: "get_backlinks", title: "Backlinks", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Lists links to a page or block.",
			params: slices.Concat(titleOrUID("By uid"), pagingParams(), resultParams(), []param{
				{name: "search", kind: kindString, about: "only where block, parents, children or page hold this text", unlisted: true},
			}),
			handle: getBacklinks,
		},
		{
			name: "get_comments", title: "Comments", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Reads a block's comments.",
			params: []param{
				{name: "blockUid", kind: kindString, required: true, nonEmpty: true, about: "Block"},
				unlisted(maxDepthParam("levels of each comment, default all")),
			},
			handle: getComments,
		},
	}
}

func findTools() []tool {
	return []tool{
		{
			name: "search", title: "Search", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Finds pages and blocks.",
			params: slices.Concat([]param{
				{name: "query", kind: kindString, required: true, about: "Empty: recents"},
				{name: "scope", kind: kindString, choices: []string{"all", "pages", "blocks"}, about: "all (default), pages, blocks", unlisted: true},
			}, pagingParams(), []param{includePathParam(), unlisted(maxDepthParam("levels below each result, default 0"))}),
			handle: search,
		},
		{
			name: "search_templates", title: "Templates", toolset: "read", effects: reads(), scope: scopeRead, onGraph: true,
			description: "Finds user templates.",
			params:      []param{{name: "query", kind: kindString, about: "Name"}},
			handle:      searchTemplates,
		},
	}
}

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
