package mcpserve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/problem"
)

// Proof is what a real call through a server has shown.
type Proof struct {
	Tools int           // number of tools that the server offers
	Call  string        // the tool that was called
	Took  time.Duration // from connecting to the answer of the call
}

// Prove does what a client does: it connects to the server, in memory, asks for
// its tools and calls the profile's probe on the one graph that the server serves.
// An error that a tool reported is a *problem.Error.
func Prove(ctx context.Context, s *Server) (Proof, error) {
	proof := Proof{Call: s.offering.profile.Proving()}
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
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		return proof, failureOf(coded.Data, coded.Message)
	}
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
		if text, ok := content.(*mcp.TextContent); ok {
			return failureOf(rawjson.Parse([]byte(text.Text)).Get("error"), text.Text)
		}
	}
	return errors.New("the tool reported an error without saying which")
}

// failureOf reads a failure out of an object with code, message and hint, as far as it
// has them; otherwise is its message where it has none.
func failureOf(object json.RawMessage, otherwise string) error {
	var told struct{ Code, Message, Hint string } // what a person reads
	_ = json.Unmarshal(object, &told)
	return &problem.Error{
		Code:    problem.Code(cmp.Or(told.Code, string(problem.CodeFailed))),
		Message: cmp.Or(told.Message, safetext.Line(otherwise, 500)), Hint: problem.Say("%s", told.Hint),
	}
}
