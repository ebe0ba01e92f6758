package localapi

import (
	"context"
	"encoding/json"
)

// GuidelinesAction is a harmless read that every token is good for.
const GuidelinesAction = "data.ai.getGraphGuidelines"

// Guidelines reads what the graph's owner tells agents, as markdown: the page
// [[roam/agent guidelines]] (LOCAL_API.md 2 and 7). Empty: there are none. Roam
// opens the graph for it where it is not open.
func (c *Client) Guidelines(ctx context.Context, graph Graph, token Token) (string, error) {
	reply, err := c.Call(ctx, graph, token, GuidelinesAction)
	if err != nil {
		return "", err
	}
	return guidelinesIn(reply.Result), nil
}

// guidelinesIn finds the text in a reply: an object that holds it, the bare
// string of older builds, or null. A shape that is none of these has no text.
func guidelinesIn(result json.RawMessage) string {
	var text string
	if json.Unmarshal(result, &text) == nil {
		return text
	}
	var object struct {
		Guidelines json.RawMessage `json:"guidelines"`
	}
	if json.Unmarshal(result, &object) != nil || json.Unmarshal(object.Guidelines, &text) != nil {
		return ""
	}
	return text
}
