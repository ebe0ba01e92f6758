package roam

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// Parameters that several read tools share.
func maxDepthParam(about string) surface.Param {
	return surface.Param{Name: "maxDepth", Kind: surface.Integer, Min: surface.AtLeast(0), About: problem.Say("%s", about)}
}

// pagingParams ask for results page by page.
func pagingParams() []surface.Param {
	return []surface.Param{offsetParam(), limitParam()}
}

func offsetParam() surface.Param {
	return surface.Param{Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), About: say("Skip")}
}

func limitParam() surface.Param {
	lowest, highest := surface.Between(1, 200)
	return surface.Param{Name: "limit", Kind: surface.Integer, Min: lowest, Max: highest, About: say("1 to 200")}
}

// resultParams say how results are sorted and shown.
func resultParams() []surface.Param {
	return []surface.Param{
		{Name: "sort", Kind: surface.String, Choices: []string{"created-date", "edited-date", "daily-note-date"}, About: say("created-date (default), edited-date, daily-note-date"), Unlisted: true},
		{Name: "sortOrder", Kind: surface.String, Choices: []string{"asc", "desc"}, About: say("asc, desc (default)"), Unlisted: true},
		includePathParam(),
		surface.NotListed(maxDepthParam("levels below each result, default 1")),
	}
}

func includePathParam() surface.Param {
	return surface.Param{Name: "includePath", Kind: surface.Boolean, About: say("default true"), Unlisted: true}
}

// readTools read pages and blocks, and find them.
func readTools() []surface.Tool {
	return slices.Concat(pageTools(), findTools(), queryTools())
}

func pageTools() []surface.Tool {
	titleOrUID := func(uid string) []surface.Param {
		return []surface.Param{
			{Name: "title", Kind: surface.String, Title: true, About: say("Page title")},
			{Name: "uid", Kind: surface.String, About: problem.Say("%s", uid)},
		}
	}
	return []surface.Tool{
		{
			Name: "get_page", Task: task.ReadPage, Title: "Page", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a page; blocks end in a <roam uid/> tag."),
			Cuts:        cutOne(),
			Params:      append(titleOrUID("Or MM-DD-YYYY"), maxDepthParam("Levels")),
			Run:         surface.JSON(getPage),
		},
		{
			Name: "get_block", Task: task.ReadBlock, Title: "Block", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a block, children and path."),
			Cuts:        cutOne(),
			Params:      []surface.Param{uidParam("Block"), maxDepthParam("Levels")},
			Run:         surface.JSON(getBlock),
		},
		{
			Name: "get_backlinks", Task: task.ReadBacklinks, Title: "Backlinks", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists links to a page or block."),
			Cuts: cutResults("results", func(_ surface.Arguments, kept int) problem.Hint {
				return say("%s again with the same offset and limit %d, and go on from its nextOffset.", task.ReadBacklinks, kept)
			}),
			Params: slices.Concat(titleOrUID("By uid"), pagingParams(), resultParams(), []surface.Param{
				{Name: "search", Kind: surface.String, About: say("only where block, parents, children or page hold this text"), Unlisted: true},
			}),
			Run: surface.JSON(getBacklinks),
		},
		{
			Name: "get_comments", Task: task.ReadComments, Title: "Comments", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a block's comments."),
			Cuts:        []surface.Cut{surface.CutList{Field: "comments", Rest: byUID(), UIDs: "parentUid", Markdown: cutResult("")}},
			Params: []surface.Param{
				{Name: "blockUid", Kind: surface.String, Required: true, NonEmpty: true, About: say("Block")},
				surface.NotListed(maxDepthParam("levels of each comment, default all")),
			},
			Run: surface.JSON(getComments),
		},
	}
}

func findTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "search", Task: task.Search, Title: "Search", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds pages and blocks."),
			Cuts:        cutResults("results", nextPage(task.Search, " with")),
			Params: slices.Concat([]surface.Param{
				{Name: "query", Kind: surface.String, Required: true, About: say("Empty: recents")},
				{Name: "scope", Kind: surface.String, Choices: []string{"all", "pages", "blocks"}, About: say("all (default), pages, blocks"), Unlisted: true},
			}, pagingParams(), []surface.Param{includePathParam(), surface.NotListed(maxDepthParam("levels below each result, default 0"))}),
			Run: surface.JSON(search),
		},
		{
			Name: "search_templates", Task: task.FindTemplates, Title: "Templates", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds user templates."),
			Cuts:        []surface.Cut{surface.CutList{Field: "results", Rest: byUID(), UIDs: "uid", Markdown: cutResult("")}},
			Params:      []surface.Param{{Name: "query", Kind: surface.String, About: say("Name")}},
			Run:         surface.JSON(searchTemplates),
		},
	}
}

// foundOr returns a page or block, or the word that there is none.
func foundOr(thing rawjson.Object, err error) (json.RawMessage, error) {
	return orEmpty(thing, rawjson.With("found", false)), err
}

// listed returns a list of Roam's, or one that is empty.
func listed(list rawjson.Object, err error) (json.RawMessage, error) {
	return orEmpty(list, rawjson.With("total", 0).With("results", []string{})), err
}

// pageOrBlock returns what to read, by its uid where both are given.
func pageOrBlock(c surface.Call) (ops.PageRef, error) {
	ref := ops.PageRef{UID: c.Args().Text("uid"), Title: c.Args().Text("title")}
	if ref == (ops.PageRef{}) {
		return ref, surface.Invalid(c.ToolName(), "give title or uid.")
	}
	return ref, nil
}

// listingOf returns how results are to be sorted and shown.
func listingOf(c surface.Call) ops.Listing {
	return ops.Listing{
		Offset: optional[int](c.Args(), "offset"), Limit: optional[int](c.Args(), "limit"),
		Sort: c.Args().Text("sort"), SortOrder: c.Args().Text("sortOrder"),
		IncludePath: optional[bool](c.Args(), "includePath"), MaxDepth: maxDepth(c),
	}
}

func maxDepth(c surface.Call) *int { return optional[int](c.Args(), "maxDepth") }

func getPage(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	page, err := pageOrBlock(c)
	if err != nil {
		return nil, err
	}
	return foundOr(c.Graph().ReadPage(ctx, page, maxDepth(c)))
}

func getBlock(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	return foundOr(c.Graph().ReadBlock(ctx, c.Args().Text("uid"), maxDepth(c)))
}

func getBacklinks(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	of, err := pageOrBlock(c)
	if err != nil {
		return nil, err
	}
	return listed(c.Graph().Backlinks(ctx, of, c.Args().Text("search"), listingOf(c)))
}

func search(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	offset, limit, includePath := c.Args().Number("offset", 0), c.Args().Number("limit", 20), c.Args().Flag("includePath", true)
	return listed(c.Graph().Search(ctx, c.Args().Text("query"), cmp.Or(c.Args().Text("scope"), "all"),
		ops.Listing{Offset: &offset, Limit: &limit, IncludePath: &includePath, MaxDepth: maxDepth(c)}))
}

func getComments(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	comments, err := c.Graph().Comments(ctx, c.Args().Text("blockUid"), maxDepth(c))
	return orEmpty(comments, rawjson.With("total", 0).With("comments", []string{})), err
}

func searchTemplates(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	templates, err := c.Graph().Templates(ctx, c.Args().Text("query"))
	return orEmpty(templates, rawjson.With("results", []string{})), err
}
