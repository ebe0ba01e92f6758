package roam

import (
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
)

// fileTools read and change the files of a graph (LOCAL_API.md 2.6, 3.4).
func fileTools() []surface.Tool {
	address := surface.Param{Name: "url", Kind: surface.String, Required: true, NonEmpty: true, About: say("The file's address, as a block has it.")}
	return []surface.Tool{
		{
			Name: "file_get", Task: task.ReadFile, Title: "Get file", Toolset: "files", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a file that was uploaded to the graph, decrypted where the graph is encrypted: an image as such, a text as text, anything else as base64."),
			Cuts:        []surface.Cut{surface.DropField{Field: "base64", Rest: restOfFile()}, surface.CutText{Field: "text", Rest: restOfFile()}},
			Params:      []surface.Param{address},
		},
		{
			Name: "file_upload", Task: task.UploadFile, Title: "Upload file", Toolset: "files", Effects: surface.Effects{OpenWorld: true}, Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Uploads a file of up to 32 MiB; give exactly one of filePath, url and base64. To show it, create a block with the embed of the reply."),
			Params: []surface.Param{
				{Name: "filePath", Kind: surface.String, About: say("Whole path of a file on the machine where roam-mcp runs.")},
				{Name: "url", Kind: surface.String, About: say("Address on the public internet to fetch it from, http or https.")},
				{Name: "base64", Kind: surface.String, About: say("The file's bytes.")},
				{Name: "mimetype", Kind: surface.String, About: say("Media type; found out where left out.")},
				{Name: "filename", Kind: surface.String, About: say("Name; default: that of path or address.")},
			},
			Output: []surface.Param{
				{Name: "url", Kind: surface.String},
				{Name: "embed", Kind: surface.String},
				{Name: "mimetype", Kind: surface.String},
				{Name: "bytes", Kind: surface.Integer},
			},
		},
		{
			Name: "file_delete", Task: task.DeleteFile, Title: "Delete file", Toolset: "files", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes an uploaded file for good; blocks that show it stay, and show nothing. Ask the user first."),
			Params:      []surface.Param{address},
			Output:      []surface.Param{{Name: "success", Kind: surface.Boolean}, {Name: "deleted", Kind: surface.Boolean}},
		},
	}
}
