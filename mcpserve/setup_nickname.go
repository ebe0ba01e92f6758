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
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/manage"
)

// askNickname returns the nickname that the person gives at the client, or the
// one that was planned where the client can't ask.
func (c setupCall) askNickname(ctx context.Context, plan manage.Authorization) (string, error) {
	suggested := plan.Entry.Nickname
	said, err := c.elicit(ctx, nicknameQuestion, nicknameForm(plan.Request, suggested))
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", &problem.Error{Code: localapi.CodeTimeout, Message: "The user did not say what nickname the graph should have. Nothing was requested.", Hint: problem.Say("Ask for it, then call again with nickname.")}
	case err != nil:
		return "", err
	case said == nil:
		return suggested, nil
	case said.Action != "accept":
		return "", &problem.Error{Code: localapi.CodeCancelled, Message: "The user did not want to connect the graph. Nothing was requested.", Hint: problem.Say("Do not ask again by yourself.")}
	}
	if given, _ := said.Content[nicknameQuestion].(string); strings.TrimSpace(given) != "" {
		return given, nil
	}
	return suggested, nil
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
