package main

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

	"roam-mcp/internal/testutil/require"
	"roam-mcp/localapi"
	"roam-mcp/sandbox"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/store"
)

func sandboxWorld(t *testing.T) world {
	t.Helper()
	home := t.TempDir()
	return world{home: home, config: filepath.Join(home, configName), sandbox: true}
}

func TestThoseWhoNeedTheSandboxAtTheSameTimeShareOne(t *testing.T) {
	w := sandboxWorld(t)
	const users = 4
	type hosted struct {
		server *sandbox.Server
		err    error
	}
	all := make(chan hosted, users)
	for range users {
		go func() {
			server, err := w.hostSandbox(t.Context(), desk.Ask, slog.New(slog.DiscardHandler))
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
	if _, err := w.client().OpenGraphs(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestASandboxThatDoesNotStartIsSaidWithTheReason(t *testing.T) {
	w := sandboxWorld(t)
	data := filepath.Join(w.home, ".roam-sandbox")
	require.NoError(t, os.Mkdir(data, 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(data, "lock"), 0o700))
	roam := &hostedRoam{Client: w.client(), world: w, log: slog.New(slog.DiscardHandler)}
	defer roam.close()
	_, err := roam.Call(t.Context(), localapi.Graph{Name: "demo", Type: localapi.Hosted}, localapi.Token{}, "data.ai.getGraphGuidelines")
	if said := explain(err); said.Code != store.CodeUnusable || said.Hint.IsZero() {
		t.Errorf("%+v of %v", said, err)
	}
}

// The port file of a sandbox that has ended may lead to anybody.
func TestASandboxIsStartedWhereAStrangerHasItsPort(t *testing.T) {
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	w := sandboxWorld(t)
	port := fmt.Appendf(nil, `{"port": %d}`, stranger.Listener.Addr().(*net.TCPAddr).Port)
	require.NoError(t, os.WriteFile(filepath.Join(w.home, localapi.PortFileName), port, 0o600))
	roam := &hostedRoam{Client: w.client(), world: w, log: slog.New(slog.DiscardHandler)}
	defer roam.close()
	if graphs, err := roam.OpenGraphs(t.Context()); err != nil || roam.server == nil {
		t.Errorf("%v, %v", graphs, err)
	}
}
