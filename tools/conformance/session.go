//lint:file-ignore SA1019 the suite of 2025-11-25 asks for logging and sampling

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addSessionTools adds the tools that talk to the client while they run.
func addSessionTools(server *mcp.Server) {
	add(server, "test_tool_with_logging", "Logs three messages.", "", logging("started", "working", "done"))
	add(server, "test_logging_tool", "Logs one message.", "", logging("called"))
	add(server, "test_tool_with_progress", "Reports progress three times.", "", progressing)
	add(server, "test_sampling", "Asks the client's model.", `{"type":"object","properties":{"prompt":{"type":"string","description":"What to ask."}},"required":["prompt"]}`, sampling)
	add(server, "test_elicitation", "Asks the user.", `{"type":"object","properties":{"message":{"type":"string","description":"What to ask."}},"required":["message"]}`,
		func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return elicit(ctx, request, argument(request, "message"), `{"type":"object","properties":{"username":{"type":"string","description":"Your name"}},"required":["username"]}`)
		})
	add(server, "test_elicitation_sep1034_defaults", "Asks the user, with defaults.", "", asking(defaultsSchema))
	add(server, "test_elicitation_sep1330_enums", "Asks the user to choose.", "", asking(choicesSchema))
	add(server, "test_reconnection", "Closes its stream before it answers.", "", reconnecting)
	add(server, "test_missing_capability", "Needs a client that can sample.", "", needingSampling)
	add(server, "test_trigger_tool_change", "Changes the list of tools.", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add(server, "test_passing_tool", "Comes and stays.", "", always(says("Called.")))
		return says("The list of tools has changed."), nil
	})
	add(server, "test_trigger_prompt_change", "Changes the list of prompts.", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		addPrompt(server, "test_passing_prompt", "Comes and stays.", nil, func(*mcp.GetPromptRequest) []mcp.Content { return nil })
		return says("The list of prompts has changed."), nil
	})
}

func argument(request *mcp.CallToolRequest, name string) string {
	var arguments map[string]string
	_ = json.Unmarshal(request.Params.Arguments, &arguments) // the schema is checked by the suite's own tools only
	return arguments[name]
}

func logging(messages ...string) handler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, message := range messages {
			if err := request.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: message}); err != nil {
				return nil, err
			}
		}
		return says("Logged."), nil
	}
}

func progressing(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := request.Params.GetProgressToken()
	for _, percent := range []float64{0, 50, 100} {
		err := request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: percent, Total: 100})
		if err != nil {
			return nil, err
		}
	}
	return says("%v", token), nil
}

func sampling(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	answer, err := request.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: argument(request, "prompt")}}},
		MaxTokens: 100,
	})
	if err != nil {
		return nil, fmt.Errorf("ask the client's model: %w", err)
	}
	text, _ := answer.Content.(*mcp.TextContent)
	if text == nil {
		return says("The model answered without text."), nil
	}
	return says("LLM response: %s", text.Text), nil
}

func asking(schema string) handler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return elicit(ctx, request, "Fill this in.", schema)
	}
}

func elicit(ctx context.Context, request *mcp.CallToolRequest, message, schema string) (*mcp.CallToolResult, error) {
	answer, err := request.Session.Elicit(ctx, &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)})
	if err != nil {
		return nil, fmt.Errorf("ask the user: %w", err)
	}
	return says("Elicitation result: action=%s, content=%v", answer.Action, answer.Content), nil
}

// reconnecting closes the stream of its call, and answers when the client has
// had time to come back.
func reconnecting(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if extra := request.Extra; extra != nil && extra.CloseSSEStream != nil {
		extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return says("Answered after the stream was closed."), nil
	}
}

func needingSampling(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if able := request.ClientCapabilities(); able != nil && able.Sampling != nil {
		return says("The client can sample."), nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client has to be able to sample", Data: data}
}

const defaultsSchema = `{"type":"object","properties":{
	"name":{"type":"string","description":"Name","default":"John Doe"},
	"age":{"type":"integer","description":"Age","default":30},
	"score":{"type":"number","description":"Score","default":95.5},
	"status":{"type":"string","description":"Status","enum":["active","inactive","pending"],"default":"active"},
	"verified":{"type":"boolean","description":"Verified","default":true}}}`

const choicesSchema = `{"type":"object","properties":{
	"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
	"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
	"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
	"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
	"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`
