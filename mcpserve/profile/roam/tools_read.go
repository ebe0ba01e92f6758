package roam

import (
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// Parameters that several read tools share.
func maxDepthParam(about string) surface.Param {
	return surface.Param{Name: "maxDepth", Kind: surface.Integer, Min: surface.AtLeast(0), Clamp: true, About: problem.Say("%s", about)}
}

// afterParam asks for the next part of what was too long for one reply.
func afterParam() surface.Param {
	return surface.Param{Name: surface.ParamAfter, Kind: surface.String, About: say("next of the last part: reads on")}
}

// plainParam asks for text without uids.
func plainParam() surface.Param {
	return surface.Param{Name: "plain", Kind: surface.Boolean, About: say("Text to paste, no uids")}
}

// maxTokensParam asks for a shorter reply than the server would send.
func maxTokensParam() surface.Param {
	return surface.Param{Name: surface.ParamMaxTokens, Kind: surface.Integer, About: say("Shorter reply")}
}

// pagingParams ask for results page by page.
func pagingParams() []surface.Param {
	return []surface.Param{offsetParam(), limitParam()}
}

func offsetParam() surface.Param {
	return surface.Param{Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), Clamp: true, About: say("Results to skip")}
}

func limitParam() surface.Param {
	lowest, highest := surface.Between(1, 200)
	return surface.Param{Name: "limit", Kind: surface.Integer, Min: lowest, Max: highest, Clamp: true, Default: 20, About: say("Up to 200")}
}

// resultParams say how results are sorted and shown.
func resultParams() []surface.Param {
	return []surface.Param{
		{Name: "sort", Kind: surface.String, Choices: []string{"created-date", "edited-date", "daily-note-date"}, Default: "created-date"},
		{Name: "sortOrder", Kind: surface.String, Choices: []string{"asc", "desc"}, Default: "desc", About: say("desc: newest first")},
		includePathParam(),
		maxDepthParam("Levels below each; default 1"),
	}
}

func includePathParam() surface.Param {
	return surface.Param{Name: "includePath", Kind: surface.Boolean, Default: true, About: say("Show parents")}
}

// readTools read pages and blocks, and find them.
func readTools() []surface.Tool {
	return slices.Concat(pageTools(), findTools(), linkTools(), changesTools(), queryTools())
}

func pageTools() []surface.Tool {
	titleOrUID := func(uid string) []surface.Param {
		return []surface.Param{
			{Name: "title", Kind: surface.String, Title: true, Page: true, About: say("Title or day: today, 2026-11-22")},
			{Name: "uid", Kind: surface.String, UID: true, Page: true, About: problem.Say("%s", uid)},
		}
	}
	most := maxPages
	return []surface.Tool{
		{
			Name: "get_page", Task: problem.ReadPage, Title: "Page", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a page as nested bullets. Each block ends in <roam uid=\"…\"/>, the uid that other tools take."),
			Cuts:        cutOne(problem.ReadPage),
			Params: append(titleOrUID("Instead of title"),
				surface.Param{Name: "pages", Kind: surface.Strings, Page: true, Max: &most, About: say("Several titles or uids")},
				plainParam(),
				surface.Param{Name: "linkedReferences", Kind: surface.Boolean, Default: true, About: say("Preview of backlinks")},
				maxDepthParam("Levels; default all"), afterParam(), maxTokensParam()),
			Run: surface.JSON(getPage),
		},
		{
			Name: "get_block", Task: problem.ReadBlock, Title: "Block", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a block: text, all below, path. Use it before you change or delete one."),
			Cuts:        cutOne(problem.ReadBlock),
			Params:      []surface.Param{uidParam("The block"), plainParam(), maxDepthParam("Levels below; default all"), afterParam(), maxTokensParam()},
			Run:         surface.JSON(getBlock),
		},
		{
			Name: "get_backlinks", Task: problem.ReadBacklinks, Title: "Backlinks", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists what links to a page ([[Title]], #tag, Title::) or to a block. For words without a link use %s.", problem.Search),
			Cuts: cutResults(func(_ surface.Arguments, kept int) problem.Hint {
				return say("%s again with the same offset and limit %d, and go on from its nextOffset.", problem.ReadBacklinks, kept)
			}),
			Params: slices.Concat(titleOrUID("Or a uid, of a block too"), pagingParams(), resultParams(), []surface.Param{
				{Name: "search", Kind: surface.String, About: say("Only with this text in or around them")},
			}),
			Run: surface.JSON(getBacklinks),
		},
		{
			Name: "get_comments", Task: problem.ReadComments, Title: "Comments", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads the comments on a block, which are no children of it."),
			Cuts:        []surface.Cut{surface.CutList{Field: "comments", Rest: byUID(), UIDs: "parentUid", Markdown: cutResult("")}},
			Params: []surface.Param{
				{Name: "blockUid", Kind: surface.String, UID: true, Required: true, NonEmpty: true, About: say("The block")},
				maxDepthParam("Levels; default all"),
			},
			Run: surface.JSON(getComments),
		},
	}
}

func findTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "search", Task: problem.Search, Title: "Search", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds pages and blocks that answer: all words first, else most of them (lacks says which miss: try other words with OR). For links use %s, dates %s, counts %s.", problem.ReadBacklinks, problem.RunQuery, problem.RunDatalog),
			Cuts:        cutResults(nextPage(problem.Search, " with")),
			Params: slices.Concat([]surface.Param{
				{Name: "query", Kind: surface.String, About: say("Words wanted, best match first; \"phrase\", -word, a OR b, word*, title:x*, unlinked:\"Page\"; empty: recent ones")},
				{Name: "scope", Kind: surface.String, Choices: []string{"all", "pages", "blocks"}, Default: "all"},
				{Name: "page", Kind: surface.String, Title: true, Page: true, About: say("Only blocks of this page")},
			}, pagingParams(), []surface.Param{includePathParam(), maxDepthParam("Levels below each; default 0")}),
			Run: surface.JSON(searchBlocks),
		},
		{
			Name: "search_templates", Task: problem.FindTemplates, Title: "Templates", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds the user's templates, to fill in and create."),
			Cuts:        []surface.Cut{surface.CutList{Field: "results", Rest: byUID(), UIDs: "uid", Markdown: cutResult("")}},
			Params:      []surface.Param{{Name: "query", Kind: surface.String, About: say("Of the name; none: all")}},
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
	return orEmpty(withPaths(list), rawjson.With("total", 0).With("results", []string{})), err
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
		Offset: surface.Optional[int](c.Args(), "offset"), Limit: surface.Optional[int](c.Args(), "limit"),
		Sort: c.Args().Text("sort"), SortOrder: c.Args().Text("sortOrder"),
		IncludePath: surface.Optional[bool](c.Args(), "includePath"), MaxDepth: maxDepth(c),
	}
}

func maxDepth(c surface.Call) *int { return surface.Optional[int](c.Args(), "maxDepth") }

func getBacklinks(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	of, err := pageOrBlock(c)
	if err != nil {
		return nil, err
	}
	found, err := c.Graph().Backlinks(ctx, of, c.Args().Text("search"), listingOf(c))
	if total, _ := numberOf(found, "total"); err == nil && total == 0 && !c.Args().Has("search") {
		return notLinked(ctx, c, of)
	}
	if total, _ := numberOf(found, "total"); err == nil && c.Args().Number("offset", 0) == 0 && found.Get("nextOffset") == nil {
		shown := len(rawjson.Elements(found.Get("results")))
		found = found.With("total", min(total, shown)) // Roam counts hidden ones, and leaves them out
	}
	return listed(found, err)
}

func getComments(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	comments, err := c.Graph().Comments(ctx, c.Args().Text("blockUid"), maxDepth(c))
	return orEmpty(comments, rawjson.With("total", 0).With("comments", []string{})), err
}

func searchTemplates(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	templates, err := c.Graph().Templates(ctx, c.Args().Text("query"))
	return orEmpty(templates, rawjson.With("results", []string{})), err
}
