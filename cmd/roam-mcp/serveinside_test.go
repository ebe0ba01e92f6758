package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/tui"
)

// worldWithSandbox is a world whose sandbox runs in this process.
func worldWithSandbox(t *testing.T) dirs {
	t.Helper()
	home := t.TempDir()
	w := dirs{home: home, config: filepath.Join(home, configName), sandbox: true}
	server, err := sandbox.Start(t.Context(), sandbox.Options{Home: home, Policy: desk.Allow, New: []sandbox.NewGraph{
		{Graph: localapi.Graph{Name: "notes", Type: localapi.Hosted}},
	}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close(context.WithoutCancel(t.Context())) })
	return w
}

// The end waits for what was granted to be saved, so nothing is asked for after
// it.
func TestTheEndOfAServerInsideEndsItsRequestsForTokens(t *testing.T) {
	w := worldWithSandbox(t)
	inside := &insideServers{world: w, client: w.client(), log: slog.New(slog.DiscardHandler)}
	service, err := inside.serve(t.Context(), tui.ServeRequest{AnyPort: true})
	require.NoError(t, err)
	service.Stop()
	inside.all.Wait()
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	if _, err := service.(*mcpserve.Background).Server.Connect(t.Context(), serverEnd); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "late", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	require.NoError(t, err)
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "setup_new_graph", Arguments: map[string]any{"graph": "notes", "nickname": "Notes"}})
	require.NoError(t, err)
	if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, string(localapi.CodeRequestInProgress)) {
		t.Errorf("a server that has ended asks for tokens: %s", text)
	}
}
