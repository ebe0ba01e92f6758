package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addResources(server *mcp.Server) {
	contents := map[string]*mcp.ResourceContents{
		"test://static-text":      {MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		"test://static-binary":    {MIMEType: "image/png", Blob: picture()},
		"test://watched-resource": {MIMEType: "text/plain", Text: "This one may be subscribed to."},
	}
	for uri, content := range contents {
		content.URI = uri
		server.AddResource(&mcp.Resource{Name: strings.TrimPrefix(uri, "test://"), URI: uri, MIMEType: content.MIMEType, Description: "A fixture."},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
			})
	}
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json", Description: "A fixture."}, readTemplate)
}

func readTemplate(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := request.Params.URI
	id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
	text, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(text)}}}, nil
}

// addPrompt registers a prompt whose messages are the user's.
func addPrompt(server *mcp.Server, name, about string, arguments []*mcp.PromptArgument, says func(*mcp.GetPromptRequest) []mcp.Content) {
	server.AddPrompt(&mcp.Prompt{Name: name, Description: about, Arguments: arguments},
		func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return promptOf(says(request)...), nil
		})
}

func promptOf(contents ...mcp.Content) *mcp.GetPromptResult {
	result := &mcp.GetPromptResult{Description: "A fixture.", Messages: []*mcp.PromptMessage{}}
	for _, content := range contents {
		result.Messages = append(result.Messages, &mcp.PromptMessage{Role: "user", Content: content})
	}
	return result
}

func required(names ...string) []*mcp.PromptArgument {
	var list []*mcp.PromptArgument
	for _, name := range names {
		list = append(list, &mcp.PromptArgument{Name: name, Description: "Needed.", Required: true})
	}
	return list
}

func addPrompts(server *mcp.Server) {
	addPrompt(server, "test_simple_prompt", "Says one thing.", nil, func(*mcp.GetPromptRequest) []mcp.Content {
		return []mcp.Content{&mcp.TextContent{Text: "This is a simple prompt for testing."}}
	})
	addPrompt(server, "test_prompt_with_arguments", "Repeats its arguments.", required("arg1", "arg2"), func(request *mcp.GetPromptRequest) []mcp.Content {
		given := request.Params.Arguments
		return []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", given["arg1"], given["arg2"])}}
	})
	addPrompt(server, "test_prompt_with_embedded_resource", "Holds a resource.", required("resourceUri"), func(request *mcp.GetPromptRequest) []mcp.Content {
		return []mcp.Content{embedded(request.Params.Arguments["resourceUri"]), &mcp.TextContent{Text: "Read the resource above."}}
	})
	addPrompt(server, "test_prompt_with_image", "Holds an image.", nil, func(*mcp.GetPromptRequest) []mcp.Content {
		return []mcp.Content{&mcp.ImageContent{Data: picture(), MIMEType: "image/png"}, &mcp.TextContent{Text: "Look at the image above."}}
	})
	server.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks for a context first."},
		func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if given := acceptedText(request.Params.InputResponses, "user_context", "context"); given != "" {
				return promptOf(&mcp.TextContent{Text: "Context: " + given}), nil
			}
			return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": form("What is it about?", "context", "string")}}, nil
		})
}
