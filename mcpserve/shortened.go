package mcpserve

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// restoreData puts whole data: addresses in the place of those in the arguments that a reply
// has shortened, from the graph's blocks. It refuses a call with one that no block has, so
// that none is written as it was shown.
func restoreData(ctx context.Context, c *call) error {
	sent := string(c.request.Params.Arguments)
	whole, missing, err := textsafe.RestoreData(sent, func(head string) ([]string, error) { return c.Graph().TextsWith(ctx, head) })
	switch {
	case err != nil:
		return err
	case missing != "":
		refused := surface.Invalid(c.tool.Name, "%s is shortened, and no block has the whole.", textsafe.Quote(missing))
		refused.Hint = problem.Say("Read the block again, and send the address as it is shown, or whole, or leave it out.")
		return refused
	case whole != sent:
		c.args, err = c.server.offering.profile.Parse(c.tool, json.RawMessage(whole), c.view.choosing())
	}
	return err
}
