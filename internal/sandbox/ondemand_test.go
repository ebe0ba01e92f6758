package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
	"roam-mcp/internal/testutil/require"
)

// onDemand returns an OnDemand with a home of its own.
func onDemand(t *testing.T) *OnDemand {
	t.Helper()
	home := t.TempDir()
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	roam := NewOnDemand(client, Options{Home: home, Policy: desk.Ask, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(roam.Close)
	return roam
}

func TestThoseWhoNeedTheSandboxAtTheSameTimeShareOne(t *testing.T) {
	roam := onDemand(t)
	const users = 4
	type hosted struct {
		server *Server
		err    error
	}
	all := make(chan hosted, users)
	for range users {
		go func() {
			server, err := StartOnce(t.Context(), roam.options)
			all <- hosted{server, err}
		}()
	}
	servers := 0
	for range users {
		one := <-all
		if one.err != nil {
			t.Errorf("one is left without: %v", one.err)
		}
		if one.server != nil {
			servers++
			defer one.server.Close(context.Background())
		}
	}
	if servers != 1 {
		t.Errorf("%d sandboxes were started", servers)
	}
	if _, err := roam.Client.OpenGraphs(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestASandboxThatDoesNotStartIsSaidWithTheReason(t *testing.T) {
	roam := onDemand(t)
	data := filepath.Join(roam.options.Home, ".roam-sandbox")
	require.NoError(t, os.Mkdir(data, 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(data, "lock"), 0o700))
	_, err := roam.Call(t.Context(), localapi.Graph{Name: "demo", Type: localapi.Hosted}, localapi.Token{}, "data.ai.getGraphGuidelines")
	if said := problem.FromError(err); said.Code != store.CodeUnusable || said.Hint.IsZero() {
		t.Errorf("%+v of %v", said, err)
	}
}

// The port file of a sandbox that has ended may lead to anybody.
func TestASandboxIsStartedWhereAStrangerHasItsPort(t *testing.T) {
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	roam := onDemand(t)
	port := fmt.Appendf(nil, `{"port": %d}`, stranger.Listener.Addr().(*net.TCPAddr).Port)
	require.NoError(t, os.WriteFile(filepath.Join(roam.options.Home, localapi.PortFileName), port, 0o600))
	if graphs, err := roam.OpenGraphs(t.Context()); err != nil || roam.server == nil {
		t.Errorf("%v, %v", graphs, err)
	}
}
