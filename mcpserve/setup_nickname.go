package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// setupNickname is the one that the agent gave, the one the graph has, the one
// that the person gives at the client, or one made from the graph's name.
func (c *call) setupNickname(ctx context.Context, request exchange.Request, entry configstore.Entry) (string, error) {
	given := c.args.Text("nickname")
	if given == "" {
		given = entry.Nickname
	}
	if given == "" {
		suggested := c.view.config.UniqueNickname(localapi.DefaultNickname(request.Graph.Name))
		said, err := c.elicit(ctx, nicknameQuestion, nicknameForm(request, suggested))
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", &problem.Error{Code: localapi.CodeTimeout, Message: "The user did not say what nickname the graph should have. Nothing was requested.", Hint: problem.Say("Ask for it, then call again with nickname.")}
		}
		if err != nil {
			return "", err
		}
		if said == nil {
			return suggested, nil
		}
		if said.Action != "accept" {
			return "", &problem.Error{Code: localapi.CodeCancelled, Message: "The user did not want to connect the graph. Nothing was requested.", Hint: problem.Say("Do not ask again by yourself.")}
		}
		if given, _ = said.Content[nicknameQuestion].(string); strings.TrimSpace(given) == "" {
			given = suggested
		}
	}
	nickname, err := configstore.NormalizeNickname(given)
	if err != nil {
		return "", err
	}
	return nickname, c.view.config.CheckNickname(request.Graph, nickname)
}

func nicknameForm(request exchange.Request, suggested string) *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Mode: "form",
		Message: fmt.Sprintf("An agent asks to connect the Roam graph %s with %s access: it could %s. Choose a nickname for the graph; then Roam asks you to allow it.",
			request.Graph.Name, request.AccessLevel.Words(), request.AccessLevel.Explain()),
		RequestedSchema: json.RawMessage(fmt.Sprintf(
			`{"type":"object","properties":{"nickname":{"type":"string","title":"Nickname","description":"What you and agents call this graph.","minLength":1,"maxLength":%d,"default":%s}},"required":["nickname"]}`,
			configstore.MaxNicknameLength, rawjson.Encode(suggested))),
	}
}
