package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// handler is a fixture's handler; its arguments are JSON.
type handler func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error)

// add registers a fixture; without a schema it takes no arguments.
func add(server *mcp.Server, name, about, schema string, handle handler) {
	if schema == "" {
		schema = `{"type":"object"}`
	}
	server.AddTool(&mcp.Tool{Name: name, Description: about, InputSchema: json.RawMessage(schema)},
		func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result, err := handle(ctx, request)
			var protocol *jsonrpc.Error
			if err != nil && !errors.As(err, &protocol) {
				return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
			}
			return result, err
		})
}

func says(format string, args ...any) *mcp.CallToolResult {
	return contents(&mcp.TextContent{Text: fmt.Sprintf(format, args...)})
}

func contents(list ...mcp.Content) *mcp.CallToolResult { return &mcp.CallToolResult{Content: list} }

// always is a handler with one answer.
func always(result *mcp.CallToolResult) handler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, nil }
}

// picture is a PNG of a single pixel.
func picture() []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

// silence is a WAV file without a sample: mono, 8 kHz, 8 bits.
func silence() []byte {
	return []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" +
		"\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00")
}

func embedded(uri string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "A resource inside a reply."}}
}

// addContentTools adds the tools that answer with every kind of content.
func addContentTools(server *mcp.Server) {
	text := &mcp.TextContent{Text: "This is a simple text response for testing."}
	pixel := &mcp.ImageContent{Data: picture(), MIMEType: "image/png"}
	add(server, "test_simple_text", "Answers with text.", "", always(contents(text)))
	add(server, "test_image_content", "Answers with an image.", "", always(contents(pixel)))
	add(server, "test_audio_content", "Answers with sound.", "", always(contents(&mcp.AudioContent{Data: silence(), MIMEType: "audio/wav"})))
	add(server, "test_embedded_resource", "Answers with a resource.", "", always(contents(embedded("test://embedded-resource"))))
	add(server, "test_multiple_content_types", "Answers with text, an image and a resource.", "",
		always(contents(text, pixel, embedded("test://mixed-content-resource"))))
	add(server, "test_error_handling", "Fails.", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("this tool always fails, for testing")
	})
	add(server, "test_streaming_elicitation", "Answers with nothing but its result.", "", always(says("Nothing was asked.")))
	add(server, "json_schema_2020_12_tool", "Has a schema that uses much of JSON Schema 2020-12.", richSchema, always(says("Called.")))
	add(server, "test_x_mcp_header", "Has a parameter that is mirrored into a header.", `{"type":"object","properties":{
		"region":{"type":"string","description":"Mirrored into Mcp-Param-Region.","x-mcp-header":"Region"},
		"level":{"type":"integer","description":"Not mirrored."}}}`, always(says("Called.")))
}

// richSchema has the keywords that the suite looks for.
const richSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`
