package roam

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// discoverTools find what words alone do not.
func discoverTools() []surface.Tool {
	lowLimit, highLimit := surface.Between(1, 200)
	return []surface.Tool{
		{
			Name: "semantic_search", Task: problem.SearchByMeaning, Title: "Semantic search", Toolset: "discover", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds pages and blocks by meaning, best first. Most graphs have it switched off: use search unless the user wants this."),
			Cuts: []surface.Cut{surface.CutList{
				Field:    "results",
				Rest:     surface.Always(say("%s again with a smaller maxDepth shows more results at once.", problem.SearchByMeaning)),
				Markdown: cutResult("; a smaller maxDepth shows the outline first"),
			}},
			Params: []surface.Param{
				{Name: "query", Kind: surface.String, Required: true, NonEmpty: true, About: say("What to find, in plain words.")},
				{Name: "k", Kind: surface.Integer, Min: lowLimit, Max: highLimit, Clamp: true, Default: 25, About: say("Results")},
				{Name: "scope", Kind: surface.String, Choices: []string{"all", "pages", "blocks"}, Default: "all", About: say("Look in titles, blocks or both")},
				includePathParam(),
				maxDepthParam("Levels below each result; default 2."),
			},
			Run: surface.JSON(semanticSearch),
		},
		{
			Name: "suggest_links", Task: problem.SuggestLinks, Title: "Suggest links", Toolset: "discover", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds words that name a page without linking to it, in a page, a block with all below it, or a text. Each suggestion has the block's uid, the words as they stand, and the link to put in their place; only words are compared, so judge which are meant."),
			Cuts: []surface.Cut{surface.CutList{Field: "suggestions",
				Rest: surface.Always(say("%s again with the uid of a single block, or a part of the text.", problem.SuggestLinks))}},
			Params: []surface.Param{
				{Name: "text", Kind: surface.String, About: say("Text to look in. Give exactly one of text, uid and title.")},
				{Name: "uid", Kind: surface.String, UID: true, Page: true, About: say("Page or block to look in.")},
				{Name: "title", Kind: surface.String, Title: true, Page: true, About: say("Exact title of a page to look in.")},
				{Name: "maxResults", Kind: surface.Integer, Min: lowLimit, Max: highLimit, Clamp: true, Default: 20, About: say("Suggestions per reply")},
			},
			Run: surface.JSON(suggestLinks),
		},
	}
}

func semanticSearch(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	found, err := c.Graph().SearchByMeaning(ctx, ops.SemanticQuery{
		Query: c.Args().Text("query"), Results: surface.Optional[int](c.Args(), "k"), Scope: c.Args().Text("scope"),
		IncludePath: surface.Optional[bool](c.Args(), "includePath"), MaxDepth: maxDepth(c),
	})
	return orEmpty(withPaths(found), rawjson.With("results", []string{})), err
}

func suggestLinks(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	place, err := c.Args().OnlyOne(c.ToolName(), "text", "uid", "title")
	if err != nil {
		return nil, err
	}
	value, most := c.Args().Text(place), surface.Optional[int](c.Args(), "maxResults")
	switch place {
	case "uid":
		return foundOr(c.Graph().SuggestLinksIn(ctx, ops.PageRef{UID: value}, most))
	case "title":
		return foundOr(c.Graph().SuggestLinksIn(ctx, ops.PageRef{Title: value}, most))
	}
	suggested, err := c.Graph().SuggestLinks(ctx, value, most)
	return orEmpty(suggested, rawjson.With("suggestions", []string{})), err
}
