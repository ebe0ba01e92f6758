package mcpserve

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
)

// slowRoam takes its time for every action.
type slowRoam struct{ delay time.Duration }

func (s slowRoam) Call(ctx context.Context, _ localapi.Graph, _ localapi.Token, _ string, _ ...any) (localapi.Reply, error) {
	select {
	case <-time.After(s.delay):
		return localapi.Reply{Result: []byte(pageResult)}, nil
	case <-ctx.Done():
		return localapi.Reply{}, ctx.Err()
	}
}

func (s slowRoam) TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo {
	return localapi.TokenInfo{Status: localapi.TokenUnknown}
}

func TestWaitingForRoamIsReportedWhereTheClientAsksForIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	must(t, os.WriteFile(path, []byte(configText("Work")), 0o600))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		server, err := New(ctx, Options{Store: configstore.New(path), Roam: slowRoam{3*progressInterval + time.Second}})
		must(t, err)
		serverEnd, clientEnd := mcp.NewInMemoryTransports()
		_, err = server.Connect(ctx, serverEnd)
		must(t, err)
		var heard atomic.Int32
		session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { heard.Add(1) },
		}).Connect(ctx, clientEnd, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		must(t, err)
		defer session.Close()
		params := &mcp.CallToolParams{Name: "get_page", Arguments: map[string]any{"title": "x"}}
		_, err = session.CallTool(ctx, params)
		must(t, err)
		if heard.Load() != 0 {
			t.Error("progress is sent to a client that did not ask")
		}
		params.SetProgressToken("p")
		_, err = session.CallTool(ctx, params)
		must(t, err)
		synctest.Wait()
		if n := heard.Load(); n != 3 {
			t.Errorf("%d notifications, want 3", n)
		}
	})
}
