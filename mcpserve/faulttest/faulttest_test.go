// Package faulttest holds writes against a Roam that does not do as it should: one that does
// otherwise than is believed of it (truth), and one whose connection breaks (faults). What a
// call answers, what the graph is, and what the history says have to be the same thing.
package faulttest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// patientTimeouts are for a slow machine: what is asked for comes in the end. between is how
// the server waits between two looks.
func patientTimeouts(between func(context.Context, time.Duration) bool) *mcpserve.Timeouts {
	long := 2 * time.Minute
	return &mcpserve.Timeouts{
		Roam: mcpserve.CallTimeouts{Write: long, Read: long, Token: long, Note: long}, Call: 2 * long,
		Guidelines: long, TokenInfo: long, Completion: long, Look: long, Between: between,
	}
}

// connect connects a client to a server, until ctx ends. nil: with the newest version of the
// protocol.
func connect(ctx context.Context, t testing.TB, server *mcpserve.Server, options *mcp.ClientSessionOptions) *mcp.ClientSession {
	t.Helper()
	toServer, toClient := mcp.NewInMemoryTransports()
	_, err := server.Connect(ctx, toServer)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, toClient, options)
	require.NoError(t, err)
	return session
}

// callTool calls a tool.
func callTool(ctx context.Context, session *mcp.ClientSession, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
	return session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(rawjson.Encode(arguments))})
}
