//lint:file-ignore SA1019 the suite asks for sampling and roots

package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sealer signs the state that a call of several rounds hands to the client.
type sealer []byte

func newSealer() sealer {
	key := make(sealer, 32)
	_, _ = rand.Read(key) // never fails
	return key
}

func (s sealer) seal(state string) string {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte(state))
	return state + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s sealer) open(sealed string) (string, error) {
	state, _, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(s.seal(state)), []byte(sealed)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request state was changed on its way"}
	}
	return state, nil
}

// form asks the user for one value.
func form(message, name, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"` + name + `":{"type":"` + kind + `"}},"required":["` + name + `"]}`)}
}

func nameForm() *mcp.ElicitParams { return form("What is your name?", "name", "string") }

func question(text string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}

// accepted is what the user filled in; nil where nothing was.
func accepted(responses mcp.InputResponseMap, key string) map[string]any {
	if answer, ok := responses[key].(*mcp.ElicitResult); ok && answer != nil && answer.Action == "accept" {
		return answer.Content
	}
	return nil
}

func acceptedText(responses mcp.InputResponseMap, key, name string) string {
	text, _ := accepted(responses, key)[name].(string)
	return text
}

// sampled is the text of the model's answer.
func sampled(responses mcp.InputResponseMap, key string) string {
	if answer, ok := responses[key].(*mcp.CreateMessageWithToolsResult); ok && answer != nil {
		for _, content := range answer.Content {
			if text, ok := content.(*mcp.TextContent); ok {
				return text.Text
			}
		}
	}
	return ""
}

func roots(responses mcp.InputResponseMap, key string) (*mcp.ListRootsResult, bool) {
	answer, ok := responses[key].(*mcp.ListRootsResult)
	return answer, ok && answer != nil
}

// wants asks the client for more before the call can be answered.
func wants(state string, requests mcp.InputRequestMap) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: requests, RequestState: state}
}

// addRoundTools adds the tools that need several rounds (2026-07-28).
func addRoundTools(server *mcp.Server) {
	seal := newSealer()
	round := func(name, about string, answer func(*mcp.CallToolParamsRaw) (*mcp.CallToolResult, error)) {
		add(server, "test_input_required_result_"+name, about, "", func(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return answer(request.Params)
		})
	}
	round("elicitation", "Asks for a name.", func(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
		if name := acceptedText(p.InputResponses, "user_name", "name"); name != "" {
			return says("Hello, %s!", name), nil
		}
		return wants("", mcp.InputRequestMap{"user_name": nameForm()}), nil
	})
	round("sampling", "Asks the client's model.", func(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
		if text := sampled(p.InputResponses, "capital_question"); text != "" {
			return says("The model says: %s", text), nil
		}
		return wants("", mcp.InputRequestMap{"capital_question": question("What is the capital of France?")}), nil
	})
	round("list_roots", "Asks for the client's roots.", func(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
		if answer, ok := roots(p.InputResponses, "client_roots"); ok {
			return says("%d roots", len(answer.Roots)), nil
		}
		return wants("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}), nil
	})
	round("request_state", "Sends a state around.", seal.confirm)
	round("tampered_state", "Refuses a state that was changed.", seal.confirm)
	round("multiple_inputs", "Asks for three things at once.", seal.askThree)
	round("multi_round", "Asks twice.", seal.askTwice)
	add(server, "test_input_required_result_capabilities", "Asks for what the client can give.", "", askWhatIsPossible)
}

func (s sealer) confirm(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	if p.RequestState != "" {
		if _, err := s.open(p.RequestState); err != nil {
			return nil, err
		}
		if accepted(p.InputResponses, "confirm") != nil {
			return says("state-ok"), nil
		}
	}
	return wants(s.seal("confirming"), mcp.InputRequestMap{"confirm": form("Is that right?", "ok", "boolean")}), nil
}

func (s sealer) askThree(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	name, greeting := acceptedText(p.InputResponses, "user_name", "name"), sampled(p.InputResponses, "greeting")
	if visible, ok := roots(p.InputResponses, "client_roots"); ok && name != "" && greeting != "" {
		return says("%s %s: %d roots", greeting, name, len(visible.Roots)), nil
	}
	return wants(s.seal("three"), mcp.InputRequestMap{
		"user_name": nameForm(), "greeting": question("Say hello."), "client_roots": &mcp.ListRootsParams{},
	}), nil
}

// askTwice keeps the first answer in the state, since the server keeps nothing.
func (s sealer) askTwice(p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	if p.RequestState == "" {
		return wants(s.seal("first"), mcp.InputRequestMap{"step1": form("Step 1: what is your name?", "name", "string")}), nil
	}
	state, err := s.open(p.RequestState)
	if err != nil {
		return nil, err
	}
	if state == "first" {
		name := base64.RawURLEncoding.EncodeToString([]byte(acceptedText(p.InputResponses, "step1", "name")))
		return wants(s.seal("second "+name), mcp.InputRequestMap{"step2": form("Step 2: which colour do you like?", "color", "string")}), nil
	}
	name, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(state, "second "))
	if err != nil {
		return nil, err
	}
	return says("%s likes %s", name, acceptedText(p.InputResponses, "step2", "color")), nil
}

func askWhatIsPossible(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(request.Params.InputResponses) > 0 {
		return says("Thank you."), nil
	}
	able := request.ClientCapabilities()
	if able == nil {
		able = &mcp.ClientCapabilities{}
	}
	requests := mcp.InputRequestMap{}
	if able.Elicitation != nil {
		requests["user_name"] = nameForm()
	}
	if able.Sampling != nil {
		requests["greeting"] = question("Say hello.")
	}
	if able.RootsV2 != nil {
		requests["client_roots"] = &mcp.ListRootsParams{}
	}
	if len(requests) == 0 {
		return says("The client can be asked for nothing."), nil
	}
	return wants("", requests), nil
}
