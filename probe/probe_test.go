package probe

import (
	"context"
	"path/filepath"
	"testing"

	"roam-mcp/internal/observed"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/localapi"
	"roam-mcp/sandbox"
	"roam-mcp/sandbox/desk"
)

var testGraph = localapi.Graph{Name: "confidential", Type: localapi.Offline}

// bench is a sandbox with a graph of a few blocks.
type bench struct {
	server  *sandbox.Server
	client  *localapi.Client
	options Options
}

func newBench(t *testing.T) *bench {
	t.Helper()
	home := t.TempDir()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Home: home, Policy: desk.Allow, New: []sandbox.NewGraph{{Graph: testGraph, Blocks: 20}}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	t.Cleanup(client.CloseIdleConnections)
	grant, err := client.RequestToken(t.Context(), localapi.TokenRequest{Graph: testGraph, AccessLevel: localapi.Full, Description: "test"})
	require.NoError(t, err)
	return &bench{server, client, Options{Caller: client, Graph: testGraph, Token: grant.Token, Folder: t.TempDir(), Version: "test", WritesPerSecond: 100_000}}
}

func TestASandboxDoesAsThePagesSay(t *testing.T) {
	b := newBench(t)
	report, err := Run(t.Context(), b.options)
	require.NoError(t, err)
	for _, c := range report.File.Checks {
		if c.Verdict != observed.Same {
			t.Errorf("%s: %s %s, want %s: %s", c.ID, c.Verdict, c.Found, c.Expected, report.Why[c.ID])
		}
	}
	if len(report.Left) > 0 || !report.File.Cleaned {
		t.Errorf("left: %v", report.Left)
	}
}
