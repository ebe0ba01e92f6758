package roam

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// maxImage is how large an image may be to be shown, in bytes: it counts apart
// from the reply's text, and clients refuse results above 1 MB.
const maxImage = 700 << 10

// fileTools read and change the files of a graph (LOCAL_API.md 2.6, 3.4).
func fileTools() []surface.Tool {
	address := surface.Param{Name: "url", Kind: surface.String, Required: true, NonEmpty: true, About: say("The file's address, as a block has it.")}
	shown := address
	shown.About = say("The file's address, as a block has it; also a shortened data: address.")
	return []surface.Tool{
		{
			Name: "file_get", Task: problem.ReadFile, Title: "Get file", Toolset: "files", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads a file that was uploaded to the graph, decrypted where the graph is encrypted: an image as such, a text as text, anything else as base64."),
			Cuts:        []surface.Cut{surface.DropField{Field: "base64", Rest: restOfFile()}, surface.CutText{Field: "text", Rest: restOfFile()}},
			Params:      []surface.Param{shown},
			Run:         getFile,
		},
		{
			Name: "file_upload", Task: problem.UploadFile, Title: "Upload file", Toolset: "files", Effects: surface.Effects{OpenWorld: true}, Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Uploads a file of up to 32 MiB; give exactly one of filePath, url and base64. To show it, create a block with the embed of the reply."),
			Params: []surface.Param{
				{Name: "filePath", Kind: surface.String, About: say("Whole path of a file where roam-mcp runs, in a folder that the server was started with (--files-from); without one, none is read.")},
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
			Run: surface.JSON(uploadFile),
		},
		{
			Name: "file_delete", Task: problem.DeleteFile, Title: "Delete file", Toolset: "files", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes an uploaded file for good; blocks that show it stay, and show nothing. Ask the user first."),
			Params:      []surface.Param{address},
			Output:      []surface.Param{{Name: "success", Kind: surface.Boolean}, {Name: "deleted", Kind: surface.Boolean}},
			Run:         surface.JSON(deleteFile),
		},
	}
}

// fileAddress returns the address of the file that a call is about.
func fileAddress(c surface.Call) (string, error) {
	address, ok := ops.FileAddress(c.Args().Text("url"))
	if !ok {
		return "", surface.Invalid(c.ToolName(), "url is %s; it takes the address of an uploaded file, which begins with https://.", textsafe.Quote(address))
	}
	return address, nil
}

func getFile(ctx context.Context, c surface.Call) (surface.Reply, error) {
	address, err := fileAddress(c)
	if text := c.Args().Text("url"); ops.IsData(text) {
		address, err = text, nil
	}
	if err != nil {
		return surface.Reply{}, err
	}
	file, err := c.Graph().ReadFile(ctx, address)
	if err != nil {
		return surface.Reply{}, err
	}
	content := file.Content
	object := rawjson.With("mimetype", file.MediaType)
	if file.Name != "" {
		object = object.With("filename", file.Name)
	}
	object = object.With("bytes", len(content))
	var shown []surface.Image
	switch kind := ops.ImageForModels(content); {
	case kind != "" && len(content) <= maxImage:
		shown = append(shown, surface.Image{Data: content, MediaType: kind})
	case kind != "":
		object = object.With("truncated", surface.Truncated{BytesLeft: len(content), Rest: c.World().Say(restOfFile())})
	case ops.IsText(content) && utf8.Valid(content):
		object = object.With("text", string(content))
	default:
		object = object.With("base64", base64.StdEncoding.EncodeToString(content))
	}
	return surface.Reply{JSON: object.JSON(), Images: shown}, nil
}

func uploadFile(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	given, err := c.Args().OnlyOne(c.ToolName(), "filePath", "url", "base64")
	if err != nil {
		return nil, err
	}
	source := ops.FileSource{MediaType: c.Args().Text("mimetype"), Name: c.Args().Text("filename")}
	switch text := c.Args().Text(given); given {
	case "filePath":
		source.Path = text
	case "url":
		source.Address = text
	default:
		source.Base64 = text
	}
	file, err := c.Graph().UploadFile(ctx, source)
	return rawjson.With("url", file.Address).
		With("embed", file.Embed).
		With("mimetype", file.MediaType).
		With("bytes", file.Bytes).JSON(), err
}

func deleteFile(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	address, err := fileAddress(c)
	if err != nil {
		return nil, err
	}
	reply, err := c.Graph().RemoveFile(ctx, address)
	if err != nil {
		return nil, err
	}
	return rawjson.Parse(reply).
		With("success", true).
		With("deleted", true).
		With("note", "Roam does not tell whether there was such a file.").JSON(), nil
}
