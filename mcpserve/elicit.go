package mcpserve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/textsafe"
)

// inputRequired is what a tool of the stateless era answers where the person
// has to be asked: the client asks, and calls again with what was said.
type inputRequired struct{ requests mcp.InputRequestMap }

func (*inputRequired) Error() string { return "the client asks the person first" }

// elicit asks the person at the client for something. It gives nil where the
// client can't ask. In the stateless era its error is *inputRequired at first.
func (c *call) elicit(ctx context.Context, id string, question *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	if response, ok := c.request.Params.InputResponses[id].(*mcp.ElicitResult); ok {
		return response, nil
	}
	if !canAsk(c.request) {
		return nil, nil
	}
	question = visibleQuestion(question)
	if c.session == nil {
		return nil, &inputRequired{mcp.InputRequestMap{id: question}}
	}
	stop := c.roam.Progress.Repeat(ctx, func() string { return "Waiting for the user to answer." })
	defer stop()
	said, err := c.request.Session.Elicit(ctx, question)
	if err != nil && ctx.Err() == nil {
		// A client that can't ask after all must not end the call.
		c.server.log.Warn("the client could not ask the user", "error", textsafe.Redact(textsafe.Line(err.Error(), 200)))
		return nil, nil
	}
	return said, err
}

// canAsk reports whether the client shows forms. One that says that it asks,
// but not how, does.
func canAsk(request *mcp.CallToolRequest) bool {
	if request.Session == nil {
		return false
	}
	capabilities := request.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil {
		return false
	}
	return capabilities.Elicitation.Form != nil || capabilities.Elicitation.URL == nil
}
