package outline

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// The parameters of more than one tool.
const (
	paramPage       = "page_name"
	paramBlock      = "block_uuid"
	paramContent    = "content"
	paramProperties = "properties"
	paramPosition   = "position"
	paramSibling    = "sibling_block_uuid"
)

// The places among siblings, or among the children of a block or page.
const (
	placeBefore = "before"
	placeAfter  = "after"
	placeFirst  = "first"
	placeLast   = "last"
)

// The forms in which a page is shown.
const (
	formatText = "text"
	formatJSON = "json"
)

// pageTools are those that work on pages, and the search, in the seed's order.
func pageTools() []surface.Tool {
	listLow, listHigh := surface.Between(1, 10_000)
	hitsLow, hitsHigh := surface.Between(1, 100)
	return []surface.Tool{
		{
			Name: "list_pages", Task: problem.ListPages, Title: "List pages", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists pages by name, empty ones too."),
			Params: []surface.Param{
				{Name: "include_journals", Kind: surface.Boolean, Default: false, About: say("Daily notes too.")},
				{Name: "limit", Kind: surface.Integer, Min: listLow, Max: listHigh, Clamp: true, About: say("How many at most.")},
				offsetParam("How many to leave out from the start."),
			},
			Cuts: []surface.Cut{surface.CutMembers{Field: "pages", Rest: surface.NextOffset(problem.ListPages)}},
			Run:  listPages,
		},
		{
			Name: "get_page_content", Task: problem.ReadPage, Title: "Get page content", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a page: its text as it is stored, or its blocks with their uids (format json)."),
			Params: []surface.Param{
				pageParam(true, "Name of the page, in any case; a day such as 2024-01-15 or today; or its uid."),
				{Name: "format", Kind: surface.String, Choices: []string{formatText, formatJSON}, Default: formatText, About: say("text: an outline, where lines indented by 4 more go on a block's text; json: blocks.")},
				{Name: "include_properties", Kind: surface.Boolean, Default: true, About: say("Lines key:: value of the page.")},
				{Name: "include_blocks", Kind: surface.Boolean, Default: true, About: say("Its blocks.")},
				depthParam("block_depth", "Levels of blocks; 1: the top level; -1: all."),
				offsetParam("Blocks of the top level to leave out from the start."),
			},
			Cuts: []surface.Cut{
				surface.CutMembers{Field: "blocks", Rest: surface.NextOffset(problem.ReadPage)},
				surface.CutContent{Field: "text", Rest: say("%s reads a block by itself; format json tells its uid.", problem.ReadBlock)},
			},
			Run: getPageContent,
		},
		{
			Name: "create_page", Task: problem.CreatePage, Title: "Create page", Toolset: toolsetCore, Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Creates a page from markdown. A name that is taken is INVALID_INPUT."),
			Params: []surface.Param{
				{Name: "title", Kind: surface.String, Required: true, NonEmpty: true, Title: true, About: say("Name of the page.")},
				{Name: paramContent, Kind: surface.String, Markdown: true, About: say("Markdown; bullets become blocks.")},
				propertiesParam("Become lines key:: value in front."),
				{Name: "create_first_block", Kind: surface.Boolean, Default: false, About: say("An empty block where there is no content.")},
			},
			Output: outputParams("page_name", "page_uuid"),
			Cuts:   cutMade(),
			Run:    createPage,
		},
		{
			Name: "update_page", Task: problem.UpdatePage, Title: "Update page", Toolset: toolsetCore, Effects: appendsToo(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Adds content at the end of a page, and sets properties; give at least one. null deletes a property."),
			Params: []surface.Param{
				pageParam(true, "Name of the page."),
				{Name: "content_append", Kind: surface.String, Markdown: true, About: say("Markdown; bullets become blocks.")},
				propertiesParam("Those to set; the others stay."),
			},
			Output: outputParams("page_name"),
			Cuts:   cutMade(),
			Run:    updatePage,
		},
		{
			Name: "delete_page", Task: problem.DeletePage, Title: "Delete page", Toolset: toolsetCore, Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes a page with all its blocks; links to it become text. Refused without force where other pages mention it. Ask the user first."),
			Params: []surface.Param{
				pageParam(true, "Name of the page."),
				{Name: "force", Kind: surface.Boolean, Default: false, About: say("Although it is mentioned, or a daily note.")},
			},
			Output: outputParams("page_name"),
			Run:    deletePage,
		},
		{
			Name: "search", Task: problem.Search, Title: "Search", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds blocks and pages by words, with Roam's own search, and uploaded files by name."),
			Params: []surface.Param{
				{Name: "query", Kind: surface.String, Required: true, NonEmpty: true, About: say("Words, or parts of words.")},
				{Name: "limit", Kind: surface.Integer, Min: hitsLow, Max: hitsHigh, Clamp: true, Default: 20, About: say("How many at most.")},
				{Name: "include_blocks", Kind: surface.Boolean, Default: true, About: say("Blocks.")},
				{Name: "include_pages", Kind: surface.Boolean, Default: true, About: say("Pages, by name.")},
				{Name: "include_files", Kind: surface.Boolean, Default: false, About: say("Uploaded files, by file name.")},
			},
			Run: searchBlocks,
		},
	}
}

// blockTools are those that work on blocks.
func blockTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "get_block", Task: problem.ReadBlock, Title: "Get block", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a block: its text as it is stored, properties, page, parent, and what is below it."),
			Params: []surface.Param{
				blockParam(),
				{Name: "include_children", Kind: surface.Boolean, Default: true, About: say("The blocks below it.")},
				depthParam("depth", "Levels below it; -1: all."),
				offsetParam("Blocks directly below it to leave out from the start."),
			},
			Cuts: []surface.Cut{surface.CutMembers{Field: "children", Rest: surface.NextOffset(problem.ReadBlock)}},
			Run:  getBlock,
		},
		{
			Name: "create_block", Task: problem.CreateBlocks, Title: "Create block", Toolset: toolsetCore, Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Creates one block; its text is stored as it is. Give a parent, a page or a sibling. A page that is missing is created."),
			Params: []surface.Param{
				placeParam("parent_block_uuid", "Uid of the block, or page, that it goes below."),
				pageParam(false, "Page that it goes on."),
				{Name: paramContent, Kind: surface.String, Required: true, About: say("Text of the block.")},
				positionParam(),
				siblingParam(),
				propertiesParam("Become lines key:: value below it."),
			},
			Output: outputParams(paramBlock, "page_name", "parent_uuid"),
			Run:    createBlock,
		},
		{
			Name: "update_block", Task: problem.UpdateBlock, Title: "Update block", Toolset: toolsetCore, Effects: appendsToo(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Changes the text of a block, its properties, or both. null deletes a property."),
			Params: []surface.Param{
				blockParam(),
				{Name: paramContent, Kind: surface.String, About: say("The new text.")},
				propertiesParam("Those to set; the others stay."),
				{Name: "replace_content", Kind: surface.Boolean, Default: true, About: say("false: content goes behind the text, on a line of its own.")},
			},
			Output: outputParams(paramBlock),
			Run:    updateBlock,
		},
		{
			Name: "delete_block", Task: problem.DeleteBlock, Title: "Delete block", Toolset: toolsetCore, Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes a block; references to it become text. Refused without recursive where it has children. Ask the user first."),
			Params: []surface.Param{
				blockParam(),
				{Name: "recursive", Kind: surface.Boolean, Default: false, About: say("With all below it.")},
			},
			Output: outputParams(paramBlock),
			Run:    deleteBlock,
		},
		{
			Name: "move_block", Task: problem.MoveBlock, Title: "Move block", Toolset: toolsetCore, Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Moves a block with all below it. Give a parent, a page or a sibling."),
			Params: []surface.Param{
				blockParam(),
				placeParam("target_parent_uuid", "Uid of the block, or page, that it goes below."),
				{Name: "target_page_name", Kind: surface.String, Named: true, About: say("Page that it goes to.")},
				positionParam(),
				siblingParam(),
			},
			Output: outputParams(paramBlock, "parent_uuid"),
			Run:    moveBlock,
		},
	}
}

// queryTools are those that run queries.
func queryTools() []surface.Tool {
	rowsLow, rowsHigh := surface.Between(1, 1000)
	timeLow, timeHigh := surface.Between(100, 60_000)
	return []surface.Tool{{
		Name: "datascript_query", Task: problem.RunDatalog, Title: "DataScript query", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
		Description: say("Runs a Datalog query, with the attributes of Roam (:node/title, :block/string) or those of Logseq (:block/marker, :block/content); not both."),
		Cuts:        []surface.Cut{surface.CutMembers{Field: "results", Rest: askForLess}},
		Params: []surface.Param{
			{Name: "query", Kind: surface.String, Required: true, NonEmpty: true, About: say("[:find … :where …]")},
			{Name: "inputs", Kind: surface.Values, About: say("Values for what :in has after $.")},
			{Name: "limit", Kind: surface.Integer, Min: rowsLow, Max: rowsHigh, Clamp: true, Default: 100, About: say("Rows at most.")},
			{Name: "timeout_ms", Kind: surface.Integer, Min: timeLow, Max: timeHigh, Clamp: true, Default: 10_000, About: say("Time at most.")},
		},
		Run: datascriptQuery,
	}}
}

// systemTools are those that say what there is.
func systemTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "ping", Task: problem.Ping, Title: "Ping", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true, Diagnoses: true,
			Description: say("Tells whether Roam answers now. It is never an error, and opens nothing."),
			Run:         ping,
		},
		{
			Name: "get_capabilities", Task: problem.TellCapabilities, Title: "Get capabilities", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true, Diagnoses: true,
			Description: say("Tells which capabilities are enabled; of the others why not, and how the user can get them. Call once, first."),
			Run:         getCapabilities,
		},
	}
}

func pageParam(required bool, about string) surface.Param {
	return surface.Param{Name: paramPage, Kind: surface.String, Required: required, NonEmpty: true, Named: true, About: say("%s", about)}
}

func blockParam() surface.Param {
	return surface.Param{Name: paramBlock, Kind: surface.String, Required: true, NonEmpty: true, UID: true, About: say("Uid of the block.")}
}

// placeParam is what a block goes below.
func placeParam(name, about string) surface.Param {
	return surface.Param{Name: name, Kind: surface.String, NonEmpty: true, UID: true, Page: true, About: say("%s", about)}
}

func siblingParam() surface.Param {
	return surface.Param{Name: paramSibling, Kind: surface.String, NonEmpty: true, UID: true, About: say("Uid of the block that it goes before or after.")}
}

func positionParam() surface.Param {
	return surface.Param{Name: paramPosition, Kind: surface.String, Choices: []string{placeBefore, placeAfter, placeFirst, placeLast},
		About: say("before and after need a sibling; first and last (the default) a parent or a page.")}
}

func propertiesParam(about string) surface.Param {
	return surface.Param{Name: paramProperties, Kind: surface.Object, About: say("%s", about)}
}

func depthParam(name, about string) surface.Param {
	return surface.Param{Name: name, Kind: surface.Integer, Min: surface.AtLeast(-1), Default: -1, About: say("%s", about)}
}

func offsetParam(about string) surface.Param {
	return surface.Param{Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), Default: 0, About: say("%s", about)}
}

// outputParams are the fields of a write's reply: names are texts, such as a uid.
func outputParams(names ...string) []surface.Param {
	fields := []surface.Param{{Name: "success", Kind: surface.Boolean, Required: true}}
	for _, name := range names {
		fields = append(fields, surface.Param{Name: name, Kind: surface.String, Required: true})
	}
	return append(fields, surface.Param{Name: "warnings", Kind: surface.Strings})
}

// cutMade cuts the uids of the blocks that a write has made.
func cutMade() []surface.Cut {
	return []surface.Cut{surface.CutMembers{Field: fieldBlocks, Rest: func(surface.Arguments, int) problem.Hint {
		return say("%s with format json tells all", problem.ReadPage)
	}}}
}

// appendsToo are the hints of what changes and adds: done twice, it has added twice.
func appendsToo() surface.Effects { return surface.Effects{Destructive: true} }
