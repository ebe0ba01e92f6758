package mcpserve

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// restoreData returns arguments with whole data: addresses in the place of those that a reply
// has shortened, from the graph's blocks. It refuses a call with one that no block has, so
// that none is written as it was shown.
func restoreData(ctx context.Context, c *call, sent json.RawMessage) (json.RawMessage, error) {
	whole, missing, err := textsafe.RestoreData(string(sent), func(head string) ([]string, error) { return c.Graph().TextsWith(ctx, head) })
	if missing != "" && err == nil {
		refused := surface.Invalid(c.tool.Name, "%s is shortened, and no block has the whole.", textsafe.Quote(missing))
		refused.Hint = problem.Say("Read the block again, and send the address as it is shown, or whole, or leave it out.")
		return nil, refused
	}
	return json.RawMessage(whole), err
}
