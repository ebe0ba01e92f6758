package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// Proof is what a real call through a server has shown.
type Proof struct {
	Tools int           // number of tools that the server offers
	Call  string        // the tool that was called
	Took  time.Duration // from connecting to the answer of the call
}

// Prove does what a client does: it connects to the server, in memory, asks for
// its tools and reads the guidelines of the one graph that the server serves.
// An error that a tool reported is a *problem.Error.
func Prove(ctx context.Context, s *Server) (Proof, error) {
	proof := Proof{Call: s.offering.profile.ToolName(task.ReadGuidelines)}
	started := s.now()
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	serving, err := s.Connect(ctx, serverEnd)
	if err != nil {
		return proof, err
	}
	defer serving.Close()
	client := mcp.NewClient(&mcp.Implementation{Name: "roam-mcp-proof", Version: s.options.Version}, nil)
	session, err := client.Connect(ctx, clientEnd, nil)
	if err != nil {
		return proof, fmt.Errorf("initialize the server: %w", err)
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return proof, fmt.Errorf("list the tools: %w", err)
	}
	proof.Tools = len(list.Tools)
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: proof.Call})
	if err != nil {
		return proof, fmt.Errorf("call %s: %w", proof.Call, err)
	}
	proof.Took = s.now().Sub(started)
	if result.IsError {
		return proof, failureIn(result)
	}
	return proof, nil
}

// failureIn reads the failure out of a result that reports one.
func failureIn(result *mcp.CallToolResult) error {
	for _, content := range result.Content {
		text, ok := content.(*mcp.TextContent)
		if !ok {
			continue
		}
		// Only what a person reads: applied has a form of its own.
		var reply struct {
			Error struct {
				Code    string `json:"code"`
				Message string `json:"message"`
				Hint    string `json:"hint"`
			} `json:"error"`
		}
		if json.Unmarshal([]byte(text.Text), &reply) == nil && reply.Error.Code != "" {
			return &problem.Error{Code: problem.Code(reply.Error.Code), Message: reply.Error.Message, Hint: problem.Say("%s", reply.Error.Hint)}
		}
	}
	return errors.New("the tool reported an error without saying which")
}
