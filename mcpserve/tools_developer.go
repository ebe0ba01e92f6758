package mcpserve

import (
	"context"
	"encoding/json"
)

func reloadDevExtensions(ctx context.Context, c *call) (json.RawMessage, error) {
	result, err := c.roam(ctx, "depot.reloadDeveloperExtensions")
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"reloaded":[]}`), nil
}

// callExtensionTool leaves the check of the arguments to Roam, which answers
// with the schema where they are wrong.
func callExtensionTool(ctx context.Context, c *call) (json.RawMessage, error) {
	args := c.args.pick(map[string]any{}, "tool", "tool", "args", "args")
	result, err := c.write(ctx, "data.ai.callExtensionTool", []any{args}, nil)
	if err != nil {
		return nil, err
	}
	return listOr(result, `{}`), nil
}
