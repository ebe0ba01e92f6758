package mcpserve

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/ops"
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

// confirmation begins the names of the forms of confirm.
const confirmation = "confirmation"

// confirm asks whether something may be done, with a form that has nothing but its question.
// In the stateless era the answer counts for this question alone, which this process has put: a
// call that asks another one is asked about again. A call that has written something can't
// come again there, so its later questions are not put.
func (c *call) confirm(ctx context.Context, question string) (ops.Answer, error) {
	id := confirmation + ":" + c.server.sealer.sealQuestion(c.target.entry.Graph(), question)
	if c.session == nil && c.graph.Wrote() && c.request.Params.InputResponses[id] == nil {
		return ops.NotAsked, nil
	}
	said, err := c.elicit(ctx, id, &mcp.ElicitParams{
		Mode: "form", Message: question, RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
	})
	switch {
	case err != nil:
		return ops.NotAsked, err
	case said == nil:
		return ops.NotAsked, nil
	case said.Action == "accept":
		return ops.Allowed, nil
	}
	return ops.Declined, nil
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
