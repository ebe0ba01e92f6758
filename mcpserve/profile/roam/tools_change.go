package roam

import (
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
)

// blockLook are the parameters of update_block beside the uid.
func blockLook() []surface.Param {
	lowest, highest := surface.Between(0, 3)
	return []surface.Param{
		{Name: "string", Kind: surface.String, About: say("Whole new text")},
		{Name: "heading", Kind: surface.Integer, Min: lowest, Max: highest, About: say("0 to 3")},
		{Name: "open", Kind: surface.Boolean, About: say("false folds it"), Unlisted: true},
		viewTypeParam(),
		{Name: "textAlign", Kind: surface.String, Choices: []string{"left", "center", "right", "justify"}, About: say("left, center, right, justify"), Unlisted: true},
	}
}

// changeTools change what is there.
func changeTools() []surface.Tool {
	uid := uidParam("Block")
	return []surface.Tool{
		{
			Name: "update_block", Task: task.UpdateBlock, Title: "Update block", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Changes a block. Read it first."),
			Params:      append([]surface.Param{uid}, blockLook()...),
			Output:      anyReply(),
			Cuts:        cutWritten(),
		},
		{
			Name: "update_blocks", Task: task.UpdateBlocks, Title: "Update blocks", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("%s, up to 25.", task.UpdateBlock),
			Params: []surface.Param{
				{Name: "updates", Kind: surface.Objects, Required: true, About: say("As %s", task.UpdateBlock), Fields: append([]surface.Param{uid}, blockLook()...)},
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
		},
		{
			Name: "move_block", Task: task.MoveBlock, Title: "Move block", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Moves a block and its children."),
			Params: []surface.Param{
				uid,
				{Name: "parentUid", Kind: surface.String, Required: true, NonEmpty: true, About: say("New parent")},
				{Name: "order", Kind: surface.Order, Required: true, About: say("first, last, number")},
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
		},
		{
			Name: "update_page", Task: task.UpdatePage, Title: "Update page", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Renames a page everywhere."),
			Params: []surface.Param{
				uidParam("Page"),
				{Name: "title", Kind: surface.String, Title: true, NonEmpty: true, About: say("New title")},
				surface.NotListed(viewTypeParam()),
				{Name: "mergePages", Kind: surface.Boolean, About: say("true merges into the page that has the title"), Unlisted: true},
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
		},
	}
}
