package graph

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

func writeTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "create_node", Task: problem.CreatePage, Title: "Create node", Toolset: toolsetCore, Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Creates a page from markdown. directory goes in front of its title: meetings/Review. A page that has content is left alone: NODE_EXISTS."),
			Params: []surface.Param{
				{Name: "title", Kind: surface.String, Required: true, NonEmpty: true, Title: true, About: say("Node title (becomes filename for DocStore)")},
				{Name: "content", Kind: surface.String, Markdown: true, Required: true, About: say("Full text content (markdown)")},
				{Name: "tags", Kind: surface.Strings, Tags: true, Default: []string{}, About: say("Classification tags")},
				{Name: "directory", Kind: surface.String, About: say("Optional: subdirectory path (e.g., 'notes/drafts')")},
			},
			Output: []surface.Param{},
			Cuts:   cutNode(),
			Run:    createNode,
		},
		{
			Name: "update_node", Task: problem.UpdatePage, Title: "Update node", Toolset: toolsetCore, Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Changes a page's title, content or declared tags; give at least one. Links follow a new title, the id stays, and so do blocks whose text stays."),
			Params: []surface.Param{
				{Name: "id", Kind: surface.String, Named: true, Required: true, About: say("Node ID to update")},
				{Name: "title", Kind: surface.String, NonEmpty: true, Title: true, About: say("New title (renames file for DocStore)")},
				{Name: "content", Kind: surface.String, Markdown: true, About: say("New content (replaces entirely)")},
				{Name: "tags", Kind: surface.Strings, Tags: true, About: say("New tags (replaces existing)")},
			},
			Output: []surface.Param{},
			Cuts:   cutNode(),
			Run:    updateNode,
		},
		{
			Name: "delete_node", Task: problem.DeletePage, Title: "Delete node", Toolset: toolsetCore, Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes a page with all its blocks; links to it become plain text. Ask the user first."),
			Params: []surface.Param{
				{Name: "id", Kind: surface.String, Named: true, Required: true, About: say("Node ID to delete")},
			},
			Output: []surface.Param{},
			Run:    surface.JSON(deleteNode),
		},
	}
}
