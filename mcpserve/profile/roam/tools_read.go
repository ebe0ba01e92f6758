package roam

import (
	"slices"

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
		},
		{
			Name: "get_block", Task: task.ReadBlock, Title: "Block", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a block, children and path."),
			Cuts:        cutOne(),
			Params:      []surface.Param{uidParam("Block"), maxDepthParam("Levels")},
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
		},
		{
			Name: "get_comments", Task: task.ReadComments, Title: "Comments", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a block's comments."),
			Cuts:        []surface.Cut{surface.CutList{Field: "comments", Rest: byUID(), UIDs: "parentUid", Markdown: cutResult("")}},
			Params: []surface.Param{
				{Name: "blockUid", Kind: surface.String, Required: true, NonEmpty: true, About: say("Block")},
				surface.NotListed(maxDepthParam("levels of each comment, default all")),
			},
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
		},
		{
			Name: "search_templates", Task: task.FindTemplates, Title: "Templates", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds user templates."),
			Cuts:        []surface.Cut{surface.CutList{Field: "results", Rest: byUID(), UIDs: "uid", Markdown: cutResult("")}},
			Params:      []surface.Param{{Name: "query", Kind: surface.String, About: say("Name")}},
		},
	}
}
